"""Everything that Proctor raises on purpose.

    ProctorError
    ├── InputError             what somebody handed us is not what it has to be (also a ValueError)
    │   ├── SampleError        a message, a sample or a dataset
    │   ├── FileError          a file: missing, unreadable, cut off, in the wrong format (says file and line)
    │   └── OptionError        an argument or a command-line option
    ├── StorageError           bytes could not be put away: a full disk, a folder that is read-only
    ├── NeedsExtraError        an optional package is not installed (also an ImportError)
    └── UnmeasuredError        a metric was asked for a number that it cannot give; carries the reason

Each branch names the boundary that was crossed. The text of an error is one sentence or two: what was wrong, where,
what was expected and how to put it right. The command line prints that text and no traceback; any other exception is a
defect of Proctor's own and keeps its traceback.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ProctorError(Exception):
    """The root: `except proctor.ProctorError` catches all that Proctor raises on purpose."""


class InputError(ProctorError, ValueError):
    """Something that was handed to Proctor is not what it has to be."""


class SampleError(InputError):
    """A message, a sample or a dataset is not what it has to be."""


class FileError(InputError):
    """A file cannot be read as what it is said to be.

    `path` and `line` (counted from 1) say where, as far as that is known.
    """

    def __init__(self, problem: str, *, path: str | None = None, line: int | None = None) -> None:
        self.problem = problem
        self.path = path
        self.line = line
        where = f"{path or '<input>'}:{line}: " if line is not None else f"{path}: " if path else ""
        super().__init__(f"{where}{problem}")

    def __reduce__(self) -> tuple[object, ...]:
        return (_file_error, (self.problem, self.path, self.line))


def _file_error(problem: str, path: str | None, line: int | None) -> FileError:
    return FileError(problem, path=path, line=line)


class OptionError(InputError):
    """An argument or a command-line option has a value that it cannot have."""


class StorageError(ProctorError):
    """Bytes could not be put away."""


class NeedsExtraError(ProctorError, ImportError):
    """A feature needs a package that is not installed; the text says how to get it."""


class UnmeasuredError(ProctorError):
    """A metric was asked for a number that it cannot give.

    `reason` is the sentence that `Missing.reason` holds wherever the number would have stood in a table.
    """

    def __init__(self, metric: str, reason: str) -> None:
        self.metric = metric
        self.reason = reason
        super().__init__(f"{metric} is unmeasured: {reason}")

    def __reduce__(self) -> tuple[object, ...]:
        return (UnmeasuredError, (self.metric, self.reason))


def close_to(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known word that is nearest, if one is near enough to have been meant."""
    return next(iter(difflib.get_close_matches(word, sorted(known), n=1, cutoff=cutoff)), None)


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of an error sentence about an unknown word: the nearest known one, or all that are known.

    >>> nearest("referense", ["reference", "response"])
    "did you mean 'reference'?"
    """
    choices = sorted(known)
    close = close_to(word, choices)
    return f"did you mean {close!r}?" if close else f"known are {', '.join(choices)}."
