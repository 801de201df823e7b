"""Sessions of browsers: a signed cookie, and a token against forged requests that follows from it.

The server keeps no list of sessions. A cookie is valid until it expires, its token is removed or the server restarts.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from .access import Access, Grant

LIFETIME = 12 * 3600
"""Seconds until a browser has to give the token again."""

_ANYONE = "-"


@dataclass(frozen=True, kw_only=True)
class Session:
    """A session.

    Attributes:
        grant: what it may see.
        cookie: the value of its cookie.
        csrf: token that each change of this session has to carry.
    """

    grant: Grant
    cookie: str
    csrf: str


class Sessions:
    """Makes and checks session cookies.

    Args:
        access: the tokens.
        port: TCP port of the server; cookies of two servers on one host are kept apart by it.
        clock: seconds since the epoch.
    """

    def __init__(self, access: Access, *, port: int, clock: Callable[[], float] = time.time) -> None:
        self.cookie_name = f"octavo-{port}"
        self._access = access
        self._clock = clock
        self._secret = secrets.token_bytes(32)

    def begin(self, *, fingerprint: str = _ANYONE) -> Session | None:
        """Begin a session.

        Args:
            fingerprint: of the token that the browser gave; by default the session of a server without tokens.

        Returns:
            The session; None if the token is unknown, or missing on a server that needs one.
        """
        body = f"{secrets.token_urlsafe(12)}.{int(self._clock())}.{fingerprint}"
        return self._session(f"{body}.{self._sign('session', body)}")

    def of_cookies(self, header: str) -> Session | None:
        """The session of a Cookie header; None without a valid one."""
        given = dict(part.strip().partition("=")[::2] for part in header.split(";"))
        cookie = given.get(self.cookie_name)
        return None if cookie is None else self._session(cookie)

    def is_csrf(self, session: Session, given: str) -> bool:
        """Whether a change carries the session's token."""
        return hmac.compare_digest(session.csrf.encode(), given.encode("utf-8", "replace"))

    def set_cookie(self, session: Session) -> str:
        """The value of the Set-Cookie header that begins a session."""
        return f"{self.cookie_name}={session.cookie}; Path=/; Max-Age={LIFETIME}; HttpOnly; SameSite=Strict"

    def clear_cookie(self) -> str:
        """The value of the Set-Cookie header that ends a session."""
        return f"{self.cookie_name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"

    def _session(self, cookie: str) -> Session | None:
        body, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(self._sign("session", body).encode(), signature.encode("utf-8", "replace")):
            return None
        _, begun, fingerprint = body.split(".")
        if not -60 <= self._clock() - int(begun) <= LIFETIME:
            return None
        if fingerprint == _ANYONE:
            grant = None if self._access.needs_token else self._access.without_token
        else:
            token = self._access.by_fingerprint(fingerprint)
            grant = token.grant if token is not None else None
        return None if grant is None else Session(grant=grant, cookie=cookie, csrf=self._sign("csrf", cookie))

    def _sign(self, purpose: str, text: str) -> str:
        return hmac.digest(self._secret, f"{purpose}:{text}".encode("utf-8", "replace"), "sha256").hex()
