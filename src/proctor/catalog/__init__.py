"""Which tools exist: tool files read into records, one resolver of names, function schemas, and search."""
