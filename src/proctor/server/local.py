"""Which requests come from this machine on purpose: a page in a browser reaches loopback as well. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from proctor.server.protocol import error_body

__all__ = ["LocalOnly"]

_MOST = 100


class LocalOnly:
    """Refuses requests that name another host, or come from another site.

    A browser says both: the host of the address that it was given, which an attacker may point at this machine, and the
    site of the page that asks. Programs that say no host, or no origin, were not talked into anything.
    """

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def refusal(self, headers: Iterable[tuple[bytes, bytes]]) -> tuple[int, bytes, None] | None:
        """What is answered to a request with these headers in place of an answer; None where it may be answered."""
        for name, value in headers:
            if name == b"host" and not self._is_here(value):
                return 421, error_body(f"{_WORDS} Its host is {_shown(value)}; ask by 127.0.0.1 or localhost."), None
            if name == b"origin" and not (value.startswith(_SCHEMES) and self._is_here(value.partition(b"//")[2])):
                return 403, error_body(f"{_WORDS} It comes from a page of {_shown(value)}."), None
        return None

    def _is_here(self, host: bytes) -> bool:
        if host in self._known:
            return True
        if not is_loopback(host.decode("latin-1")):
            return False
        if len(self._known) < _MOST:
            self._known.add(host)
        return True


def is_loopback(host: str) -> bool:
    """Whether a host, with or without a port, is this machine."""
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        name, port = host, ""
    if port and not (port.isascii() and port.isdigit()):
        return False
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


_SCHEMES = (b"http://", b"https://")
_WORDS = "this server has no token and answers this machine only."


def _shown(value: bytes) -> str:
    return repr(value.decode("latin-1")[:80])
