"""The command line: one module a verb. The one place where a sentence, an exit code or a loop begins."""

from proctor.cli.group import main, proctor

__all__ = ["main", "proctor"]
