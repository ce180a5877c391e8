"""Opinions, written down: asking a model what it thinks, and reading what it says.

A judge has `judge(…) -> Verdict | Missing`: an opinion with its words, or the reason why there is none. No verdict is
ever made up.
"""
