"""Pages to look at over HTTP: who asks is looked at first, and only reading is answered.

It is a door for people with a browser, and needs no package beside Python's own. What there is to see it is handed.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import signal
import socket
import socketserver
import sys
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NoReturn
from urllib.parse import urlsplit

import msgspec

from proctor.errors import OptionError

__all__ = ["Reply", "serve"]


class Reply(msgspec.Struct, frozen=True):
    """What is sent back."""

    status: int
    body: bytes
    kind: str = "text/html; charset=utf-8"

    @classmethod
    def text(cls, status: int, text: str) -> Reply:
        """A reply in plain text."""
        return cls(status, text.encode(), "text/plain; charset=utf-8")


def serve(
    answers: Callable[[str], Reply], host: str, port: int, token: str | None, began: Callable[[str], object]
) -> None:
    """Serve until somebody stops it. `answers` has what is at a path with its query; `began` is told the address."""

    class Handler(_Handler):
        shown = staticmethod(answers)
        secret = token
        hosts = frozenset() if token else frozenset({"localhost", "127.0.0.1", "::1", host})

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        daemon_threads = True

        def server_bind(self) -> None:
            """Without asking a name server who we are."""
            socketserver.TCPServer.server_bind(self)
            self.server_name, self.server_port = host, self.server_address[1]

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A browser that goes elsewhere before its answer has come is no error."""
            if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
                super().handle_error(request, client_address)

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

    shown: Callable[[str], Reply]
    secret: str | None
    hosts: frozenset[str]
    """The names by which the server may be asked for; none where a token is wanted instead."""
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        """Answer a request."""
        if not self._welcome():
            return
        self._send(self.shown(self.path))

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
            self._send(Reply.text(HTTPStatus.FORBIDDEN, f"This server is {min(self.hosts)}, not {asked!r}.\n"))
            return False
        if self.secret is not None and not hmac.compare_digest(_said(self.headers), self.secret.encode()):
            self._send(Reply.text(HTTPStatus.UNAUTHORIZED, "This server wants its token, as the password.\n"))
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


def _leave(*_: object) -> NoReturn:
    raise SystemExit(0)
