"""Who may speak to a server over HTTP: the token, and against web pages the host and the origin."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@attrs.frozen
class Refused:
    """Why a request is refused: the HTTP status, one sentence, and further headers."""

    status: int
    reason: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


@attrs.frozen
class Guard:
    """Checks every request's headers.

    Attributes:
        token: what clients must bear; '' is nothing.
        host: the address that is listened at. At a loopback address no name but a loopback one is answered to, so that
            a web page cannot reach the server by a name of its own (DNS rebinding).
    """

    token: str
    host: str

    def check(self, headers: Mapping[bytes, bytes]) -> Refused | None:
        """Return why a request is refused, or None; the keys of `headers` are lower case."""
        host, origin = headers.get(b"host", b"").decode("latin-1"), headers.get(b"origin")
        if self.host in LOOPBACK and _name(f"//{host}") not in LOOPBACK:
            return Refused(421, f"this server answers to {', '.join(LOOPBACK)} only, not to {host[:80]!r}")
        if origin is not None and _name(origin.decode("latin-1")) not in LOOPBACK:
            return Refused(403, f"requests of web pages from {origin.decode('latin-1')[:80]!r} are not taken")
        if self.token and not self._borne(headers.get(b"authorization", b"")):
            return Refused(401, _UNKNOWN_BEARER, ((b"www-authenticate", b"Bearer"),))
        return None

    def _borne(self, given: bytes) -> bool:
        scheme, _, token = given.partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self.token.encode())


_UNKNOWN_BEARER = "the token is missing or wrong; send the header `Authorization: Bearer TOKEN` with the server's token"


def _name(address: str) -> str:
    """Return the host name of an address, '' when it has none.

    >>> _name("http://localhost:8000"), _name("//[::1]:80"), _name("null")
    ('localhost', '::1', '')
    """
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
