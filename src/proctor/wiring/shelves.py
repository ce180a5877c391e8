"""A folder of runs as pages: the list of them and each one's page, made anew when there is more."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit

import msgspec

from proctor.errors import OptionError, ProctorError
from proctor.report.page import page, shelf
from proctor.runs import folders
from proctor.server.viewing import Reply
from proctor.wiring.pages import Wish, exhibit_of
from proctor.wiring.shelf_rows import Rows

__all__ = ["Shelf"]

_KEPT = 8
"""So many pages are kept until their runs grow."""
_PAUSE = 10
"""A page is made anew no sooner than after so many times the time that making it took."""


class _Made(msgspec.Struct, frozen=True):
    """A page, the stamp of what it was made from, and when and for how long it was made."""

    stamp: str
    body: bytes
    at: float
    took: float


class Shelf:
    """The runs below a folder of results, as pages. Only folders directly in its `runs` are shown, by their names."""

    def __init__(self, results: str | Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.results = Path(results)
        if not self.results.is_dir():
            raise OptionError(f"{results}: there is no such folder; name one that holds results of proctor run.")
        self._clock = clock
        self._made: dict[tuple[str, str], _Made] = {}
        self._lock = threading.Lock()
        self._rows = Rows(clock)

    def reply(self, target: str) -> Reply:
        """The answer to a request for this path and query."""
        split = urlsplit(target)
        parts = [unquote(part) for part in split.path.split("/")[1:]]
        against = parse_qs(split.query).get("against", [""])[0]
        try:
            match parts:
                case [""]:
                    return Reply(HTTPStatus.OK, self._list())
                case ["stamp"]:
                    return Reply.text(HTTPStatus.OK, self._stamp_of_all())
                case ["runs", name, ""] if self._knows(name, against):
                    return Reply(HTTPStatus.OK, self._page(name, against).body)
                case ["runs", name, "stamp"] if self._knows(name, against):
                    return Reply.text(HTTPStatus.OK, self._seen(name, against))
        except ProctorError as error:
            return Reply.text(HTTPStatus.INTERNAL_SERVER_ERROR, f"{error}\n")
        return Reply.text(HTTPStatus.NOT_FOUND, "There is no such run here.\n")

    def _list(self) -> bytes:
        known = [path for path in _entries(self.results / "runs") if self._knows(path.name)]
        rows = self._rows.of([(path, _stamp_of(path)) for path in known])
        return shelf(self.results.name or str(self.results), rows, "stamp").encode()

    def _knows(self, name: str, against: str = "") -> bool:
        """Whether there is such a run here, and not elsewhere by way of a link."""
        home = (self.results / "runs").resolve()
        return all(
            any(path.name == wanted and path.resolve().parent == home for path in _entries(home))
            and (home / wanted / folders.MANIFEST).is_file()
            for wanted in (name, against or name)
        )

    def _page(self, name: str, against: str) -> _Made:
        with self._lock:  # two windows on one run make its page once
            stamp, kept = self._stamp(name, against), self._made.get((name, against))
            if kept is not None and kept.stamp == stamp:
                return kept
            began = self._clock()
            body = self._drawn(name, against)
            made = _Made(stamp, body, self._clock(), self._clock() - began)
            self._made.pop((name, against), None)
            self._made[name, against] = made
            while len(self._made) > _KEPT:
                self._made.pop(next(iter(self._made)))
            return made

    def _drawn(self, name: str, against: str) -> bytes:
        folder = folders.run_path(self.results, name)
        record = folders.read_run(folder)
        other = folders.read_run(folders.run_path(self.results, against)) if against else None
        live = f"stamp?against={quote(against, safe='')}" if against else "stamp"
        wish = Wish(live=live, grown=_grown(folder), page_of=lambda run: f"../{quote(run, safe='')}/")
        return page(exhibit_of(folder, record, other, wish)).encode()

    def _seen(self, name: str, against: str) -> str:
        """The stamp to which a window compares what it shows; a page that takes long to make changes seldom."""
        kept = self._made.get((name, against))
        if kept is not None and self._clock() - kept.at < _PAUSE * kept.took:
            return kept.stamp
        return self._stamp(name, against)

    def _stamp(self, *names: str) -> str:
        return " ".join(_stamp_of(folders.run_path(self.results, name)) for name in names if name)

    def _stamp_of_all(self) -> str:
        stamps = [f"{path.name} {_stamp_of(path)}" for path in _entries(self.results / "runs")]
        return "\n".join([*stamps, *([f"at {self._clock()}"] if self._rows.owes else [])])


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _grown(folder: Path) -> int | None:
    """When a run last wrote something down."""
    try:
        return int((folder / folders.JOURNAL).stat().st_mtime)
    except OSError:
        return None


def _stamp_of(folder: Path) -> str:
    """What changes when a run grows."""
    parts = []
    for name in (folders.MANIFEST, folders.JOURNAL):
        try:
            found = (folder / name).stat()
        except OSError:
            continue
        parts.append(f"{found.st_size}-{found.st_mtime_ns}")
    return "/".join(parts)
