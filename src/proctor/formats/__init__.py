"""Other people's files."""
