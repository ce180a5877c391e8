"""A folder of runs over HTTP: the list of them and each one's page, made anew when there is more.

It is a door for people with a browser on the same machine, and needs no package beside Python's own.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import signal
import socket
import socketserver
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import parse_qs, quote, unquote, urlsplit

import msgspec

from proctor.errors import OptionError, ProctorError
from proctor.report.page import page, shelf
from proctor.runs import folders
from proctor.wiring.pages import Wish, exhibit_of

__all__ = ["Reply", "Shelf", "serve"]

_KEPT = 8
"""So many pages are kept until their runs grow."""
_PAUSE = 10
"""A page is made anew no sooner than after so many times the time that making it took."""


class Reply(msgspec.Struct, frozen=True):
    """What is sent back."""

    status: int
    body: bytes
    kind: str = "text/html; charset=utf-8"


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
                    return _text(HTTPStatus.OK, self._stamp_of_all())
                case ["runs", name, ""] if self._knows(name, against):
                    return Reply(HTTPStatus.OK, self._page(name, against).body)
                case ["runs", name, "stamp"] if self._knows(name, against):
                    return _text(HTTPStatus.OK, self._seen(name, against))
        except ProctorError as error:
            return _text(HTTPStatus.INTERNAL_SERVER_ERROR, f"{error}\n")
        return _text(HTTPStatus.NOT_FOUND, "There is no such run here.\n")

    def _list(self) -> bytes:
        rows = [
            {
                "name": run.name,
                "page": f"runs/{quote(run.name, safe='')}/",
                "benchmark": run.manifest.spec.benchmark,
                "model": run.manifest.spec.agent_model,
                "method": run.method,
                "trials": run.traced,
                "planned": run.planned,
                "began": time.strftime("%Y-%m-%d %H:%M", time.gmtime(run.manifest.started)),
            }
            for run in folders.list_runs(self.results)
            if self._knows(run.name)
        ]
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
        wish = Wish(live=live, page_of=lambda run: f"../{quote(run, safe='')}/")
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
        return "\n".join(f"{path.name} {_stamp_of(path)}" for path in _entries(self.results / "runs"))


def serve(shown: Shelf, host: str, port: int, token: str | None, began: Callable[[str], object]) -> None:
    """Serve until somebody stops it; `began` is told the address."""

    class Handler(_Handler):
        shelf = shown
        secret = token
        hosts = frozenset() if token else frozenset({"localhost", "127.0.0.1", "::1", host})

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        daemon_threads = True

        def server_bind(self) -> None:
            """Without asking a name server who we are."""
            socketserver.TCPServer.server_bind(self)
            self.server_name, self.server_port = host, self.server_address[1]

    try:
        server = Server((host, port), Handler)
    except OSError as error:
        raise OptionError(f"cannot listen at {host}, port {port}: {error.strerror or error}.") from None
    with server:
        shown_host = f"[{host}]" if ":" in host else host
        began(f"http://{shown_host}:{server.server_address[1]}/")
        signal.signal(signal.SIGTERM, _leave)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return


class _Handler(BaseHTTPRequestHandler):
    """One request: who asks is looked at first, and only reading is answered."""

    shelf: Shelf
    secret: str | None
    hosts: frozenset[str]
    """The names by which the server may be asked for; none where a token is wanted instead."""
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        """Answer a request."""
        if not self._welcome():
            return
        reply = self.shelf.reply(self.path)
        self._send(reply)

    def do_HEAD(self) -> None:
        """Answer a request by its head alone."""
        self.do_GET()

    def log_message(self, *_: Any) -> None:
        """Nothing: the terminal belongs to whoever began the server."""

    def version_string(self) -> str:
        """No version of anything is told."""
        return "proctor"

    def _welcome(self) -> bool:
        asked = urlsplit(f"//{self.headers.get('host', '')}").hostname or ""
        if self.hosts and asked not in self.hosts:
            # A page of elsewhere whose name was made to point here.
            self._send(_text(HTTPStatus.FORBIDDEN, f"This server is {min(self.hosts)}, not {asked!r}.\n"))
            return False
        if self.secret is not None and not hmac.compare_digest(_said(self.headers), self.secret.encode()):
            self._send(_text(HTTPStatus.UNAUTHORIZED, "This server wants its token, as the password.\n"))
            return False
        return True

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        if reply.status == HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", 'Basic realm="proctor", charset="UTF-8"')
        for name, value in _HEADERS:
            self.send_header(name, value)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)


_HEADERS = (
    ("Cache-Control", "no-store"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
)


def _said(headers: Any) -> bytes:
    """The token that a request brings: as a bearer's, or as the password that a browser asked for."""
    kind, _, rest = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return str(rest).strip().encode()
    try:
        return base64.b64decode(rest, validate=True).partition(b":")[2] if kind.lower() == "basic" else b""
    except (binascii.Error, ValueError):
        return b""


def _text(status: int, text: str) -> Reply:
    return Reply(status, text.encode(), "text/plain; charset=utf-8")


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


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


def _leave(*_: object) -> NoReturn:
    raise SystemExit(0)
