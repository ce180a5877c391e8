"""Everything that Proctor raises on purpose.

    ProctorError
    ├── InputError             what somebody handed us is not what it has to be (also a ValueError)
    │   ├── SampleError        a message, a sample or a dataset
    │   ├── FileError          a file: missing, unreadable, cut off, in the wrong format (says file and line)
    │   ├── OptionError        an argument or a command-line option
    │   ├── ArgumentError      an argument that a function does not know, or one that lacks (also a TypeError)
    │   └── ScriptEndedError   a scripted fake was asked more often than its script has replies
    ├── StorageError           bytes could not be put away: a full disk, a folder that is read-only
    ├── ModelError             a language model was asked and nothing usable came back (countable by `kind`)
    │   ├── ModelRefusedError      the key or the model's name is refused: no later call can succeed, so the run stops
    │   ├── ModelRequestError      the endpoint does not take this one request (too long, a parameter that it lacks)
    │   ├── ModelUnavailableError  faults of the line or of the server outlasted the retries
    │   │   ├── ModelBusyError         … with 429 to the end
    │   │   └── ModelTimeoutError      … with no answer in time to the end
    │   ├── ReplyError             a reply came and is no use (empty, cut off, filtered, of the wrong shape)
    │   └── NotRecordedError       a recording is replayed and does not hold this request
    ├── AgentError             an agent outside Proctor crashed, or said what its protocol does not know
    │   └── AgentUnavailableError  its endpoint could not be reached, or was too busy: no fault of the agent's
    ├── NeedsExtraError        an optional package is not installed (also an ImportError)
    └── UnmeasuredError        a metric was asked for a number that it cannot give; carries the reason

Each branch names the boundary that was crossed. The text of an error is one sentence or two: what was wrong, where,
what was expected and how to put it right. The command line prints that text and no traceback; any other exception is a
defect of Proctor's own and keeps its traceback.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, ClassVar


class ProctorError(Exception):
    """The root: `except proctor.ProctorError` catches all that Proctor raises on purpose."""


class InputError(ProctorError, ValueError):
    """Something that was handed to Proctor is not what it has to be."""


class SampleError(InputError):
    """A message, a sample or a dataset is not what it has to be."""


class FileError(InputError):
    """A file cannot be read as what it is said to be.

    `path` and `line` (counted from 1) say where, as far as that is known, and `id` is the record's own name.
    """

    def __init__(
        self,
        problem: str,
        *,
        path: str | None = None,
        line: int | None = None,
        id: str | int | None = None,  # noqa: A002 - as records say it
    ) -> None:
        self.problem = problem
        self.path = path
        self.line = line
        self.id = id
        where = f"{path or '<input>'}:{line}: " if line is not None else f"{path}: " if path else ""
        super().__init__(f"{where}{problem}")

    def __reduce__(self) -> tuple[object, ...]:
        return (_file_error, (self.problem, self.path, self.line, self.id))


def _file_error(problem: str, path: str | None, line: int | None, name: str | int | None) -> FileError:
    return FileError(problem, path=path, line=line, id=name)


class OptionError(InputError):
    """An argument or a command-line option has a value that it cannot have."""


class ScriptEndedError(InputError):
    """A scripted fake was asked more often than its script has replies: the test's script is too short."""


class ArgumentError(InputError, TypeError):
    """A function was called with an argument that it does not know, or without one that it needs."""


class StorageError(ProctorError):
    """Bytes could not be put away."""


class ModelError(ProctorError):
    """A language model was asked and nothing usable came back.

    `kind` is one word from `MODEL_FAULTS`, to count by; `reason` is its sentence, which is what `Missing.reason` says
    where a score would have stood. `model` names the model, `status` is the last HTTP status, `attempts` how often it
    was asked, `raw` the reply as it came, where there was one, and `usage` what it cost all the same. A key never
    stands in any of them.
    """

    kinds: ClassVar[tuple[str, ...]] = ("unavailable",)
    """What `kind` may be; the first is what it is when nobody says."""

    def __init__(self, problem: str, *, model: str, kind: str | None = None, **known: Any) -> None:
        self.problem = problem
        self.model = model
        self.kind = kind if kind is not None else self.kinds[0]
        self.reason = MODEL_FAULTS[self.kind]
        self.status: int | None = known.pop("status", None)
        self.attempts: int = known.pop("attempts", 1)
        self.raw: str | None = known.pop("raw", None)
        self.usage: Any = known.pop("usage", None)
        if known:
            raise TypeError(f"a ModelError does not know {', '.join(known)}.")
        super().__init__(f"{model}: {problem}")

    def __reduce__(self) -> tuple[object, ...]:
        known = {name: getattr(self, name) for name in ("model", "kind", "status", "attempts", "raw", "usage")}
        return (_model_error, (type(self), self.problem, known))


def _model_error(branch: type[ModelError], problem: str, known: dict[str, Any]) -> ModelError:
    return branch(problem, **known)


MODEL_FAULTS = {
    "refused_key": "the model's key was refused",
    "no_key": "there is no key for the model",
    "no_credit": "the account at the model's endpoint has no credit left",
    "unknown_model": "the endpoint does not know the model",
    "bad_request": "the endpoint did not take the request",
    "too_long": "the request was too long for the model",
    "unavailable": "the model could not be reached",
    "server_error": "the model's server failed",
    "garbled": "what came from the model's endpoint was no model's reply",
    "busy": "the model was too busy to answer",
    "timeout": "the model did not answer in time",
    "empty_reply": "the model's reply was empty",
    "cut_reply": "the model's reply was cut off",
    "filtered": "a content filter withheld the model's reply",
    "wrong_shape": "the model's reply had the wrong shape",
    "not_recorded": "the recording does not hold this request",
}
"""Every way in which asking a model fails, with its sentence."""


class ModelRefusedError(ModelError):
    """The endpoint refuses the key, or does not know the model: no later call can succeed, so the run stops."""

    kinds: ClassVar[tuple[str, ...]] = ("refused_key", "no_key", "no_credit", "unknown_model")


class ModelRequestError(ModelError):
    """The endpoint does not take this one request. Asking again would not help; other requests may be taken."""

    kinds: ClassVar[tuple[str, ...]] = ("bad_request", "too_long")


class ModelUnavailableError(ModelError):
    """Faults of the line or of the server outlasted the retries."""

    kinds: ClassVar[tuple[str, ...]] = ("unavailable", "server_error", "garbled")


class ModelBusyError(ModelUnavailableError):
    """The endpoint said 429, too many requests, until the retries were used up."""

    kinds: ClassVar[tuple[str, ...]] = ("busy",)


class ModelTimeoutError(ModelUnavailableError):
    """No answer came in time, until the retries were used up."""

    kinds: ClassVar[tuple[str, ...]] = ("timeout",)


class ReplyError(ModelError):
    """A reply came and is no use."""

    kinds: ClassVar[tuple[str, ...]] = ("wrong_shape", "empty_reply", "cut_reply", "filtered")


class NotRecordedError(ModelError):
    """A recording is replayed, and it does not hold this request."""

    kinds: ClassVar[tuple[str, ...]] = ("not_recorded",)


class AgentError(ProctorError):
    """An agent outside Proctor crashed, or said something that its protocol does not know: its own fault."""


class AgentUnavailableError(AgentError):
    """An agent's endpoint could not be reached, or was too busy: the trial is begun again later."""


class NeedsExtraError(ProctorError, ImportError):
    """A feature needs a package that is not installed; the text says how to get it."""


class UnmeasuredError(ProctorError):
    """A metric was asked for a number that it cannot give.

    `reason` is the sentence that `Missing.reason` holds wherever the number would have stood in a table, `detail` what
    its detail holds: a model's raw reply.
    """

    def __init__(self, metric: str, reason: str, detail: str | None = None) -> None:
        self.metric = metric
        self.reason = reason
        self.detail = detail
        super().__init__(f"{metric} is unmeasured: {reason}")

    def __reduce__(self) -> tuple[object, ...]:
        return (UnmeasuredError, (self.metric, self.reason, self.detail))


def counted(number: int, noun: str) -> str:
    """So many of something, as it is said.

    >>> counted(1, "sample"), counted(2, "sample")
    ('1 sample', '2 samples')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


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
