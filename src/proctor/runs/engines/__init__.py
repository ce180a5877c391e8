"""Engines: what carries out a schedule."""
