"""Records in, page out."""
