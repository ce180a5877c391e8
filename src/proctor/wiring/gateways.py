"""The gateway of a run or of a server: its store, its simulators, its live sources and its faults, by name."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from proctor.errors import FileError, OptionError
from proctor.gateway.faults import Faults
from proctor.gateway.live import BackendSource, RapidApiSource
from proctor.gateway.simulators import MirrorSource, ModelSource, TemplateSource
from proctor.gateway.source import AnswerSource
from proctor.models.adapt import as_chat_model
from proctor.models.chat import ChatModel
from proctor.models.environment import Secret, read_environment
from proctor.store.responses import ResponseStore, open_responses

__all__ = ["MirrorForm", "faults_of", "frozen_id", "index_beside", "live_of", "opened_store", "simulators_of"]


class MirrorForm(msgspec.Struct, frozen=True):
    """How a MirrorAPI is asked."""

    thought: bool = False
    """Whether it reasons first."""
    system: str | None = None
    """A file with the instructions of its training; Proctor's own where none is named."""


_OWN = MirrorForm()


@contextlib.contextmanager
def opened_store(where: str | Path | None, *, read_only: bool) -> Iterator[ResponseStore | None]:
    """The store of recorded answers, closed in the end; None where none is named."""
    store = None if where is None else open_responses(str(where), read_only=read_only)
    try:
        if store is not None:
            _ = store.frozen  # looks into it: what cannot be read is said now and not at the first call
        yield store
    finally:
        if store is not None:
            store.close()


def frozen_id(where: str | Path | None) -> str | None:
    """The content id of a store of recorded answers that is frozen; None where there is none yet, or it takes more."""
    if where is None:
        return None
    if "://" not in str(where) and not (Path(where).is_file() and Path(where).stat().st_size):
        return None  # it is made, or filled, when the first answer is stored
    database = "://" in str(where)
    try:
        with opened_store(where, read_only=True) as store:
            return None if store is None else store.frozen
    except FileError:
        if database:  # there is no store in it yet; what else there may be to say is said when it is opened
            return None
        raise


def simulators_of(
    kind: str | None,
    url: str | None,
    store: ResponseStore | None,
    make: Callable[..., ChatModel] = as_chat_model,
    *,
    mirror: MirrorForm = _OWN,
) -> list[AnswerSource]:
    """Who plays the APIs: `template`, `model:NAME` or `mirror:NAME`."""
    if mirror != _OWN and not (kind or "").startswith("mirror:"):
        raise OptionError("--simulator-thought and --simulator-system are for a MirrorAPI: --simulator mirror:NAME.")
    if kind is None:
        return []
    if kind == "template":
        return [TemplateSource()]
    role, colon, name = kind.partition(":")
    if role not in {"model", "mirror"} or not colon or not name:
        raise OptionError(f"--simulator {kind!r}: expected template, model:NAME or mirror:NAME.")
    model = make(name, url=url)
    if role == "mirror":
        return [MirrorSource(model, thought=mirror.thought, system=_text(mirror.system))]
    return [ModelSource(model, examples=store.examples if store is not None else None)]


def live_of(kind: str | None) -> list[AnswerSource]:
    """Who the live API is: `rapidapi`, or the address of a ToolBench backend."""
    if kind is None:
        return []
    known = read_environment()
    if kind != "rapidapi":
        key = known.get("TOOLBENCH_KEY")
        return [BackendSource(kind, key=Secret(key) if key else None)]
    key = known.get("RAPIDAPI_KEY")
    if not key:
        raise OptionError("--live rapidapi needs a key; set RAPIDAPI_KEY in the environment.")
    return [RapidApiSource(Secret(key))]


def faults_of(share: float | None, kinds: tuple[str, ...], seed: int, by: str = "call") -> Faults | None:
    """Which answers are spoilt on purpose."""
    if share is None:
        if kinds or by != "call":
            raise OptionError("--fault and --faults-by say how to spoil answers; say how many as well: --faults SHARE.")
        return None
    return Faults(share, kinds, seed, by) if kinds else Faults(share, seed=seed, by=by)


def index_beside(index: str | None, cache: str | Path | None) -> str | None:
    """Where an index of the tools is kept: in the file that is named, else beside the cache, where that is a file.

    >>> index_beside(None, "answers/cache.db")
    'answers/cache.db.index'
    """
    if index is not None or cache is None or str(cache).startswith(("postgresql://", "postgres://")):
        return index
    return f"{cache}.index"


def _text(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        return Path(path).read_text("utf-8").strip()
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}.", path=path) from None
    except UnicodeDecodeError:
        raise FileError("this is not UTF-8 text.", path=path) from None
