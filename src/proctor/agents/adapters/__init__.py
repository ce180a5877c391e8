"""Agents of other people: in Python, in another process, behind an address, or recorded. One module a kind."""
