"""Doors for programs: the virtual APIs over HTTP."""
