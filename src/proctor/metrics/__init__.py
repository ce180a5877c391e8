"""Arithmetic over facts: every metric, under the import paths that users of ragas know."""
