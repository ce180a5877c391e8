"""Names become live objects: the only room that knows everybody."""
