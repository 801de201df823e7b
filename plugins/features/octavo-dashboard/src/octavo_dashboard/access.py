"""Who may see what: tokens, each for the whole library or for one corpus."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from octavo_contracts import UsageError

LEAST_TOKEN = 16
"""Fewest characters of a token."""


@dataclass(frozen=True, kw_only=True)
class Grant:
    """What a request may see.

    Attributes:
        corpus: only this corpus, under its policy; None: everything, as the library's owner.
    """

    corpus: str | None = None


@dataclass(frozen=True, kw_only=True)
class TokenGrant:
    """A token and what it grants.

    Attributes:
        token: the secret.
        grant: what its bearer may see.
    """

    token: str
    grant: Grant

    @property
    def fingerprint(self) -> str:
        """A digest that names the token in a session cookie without disclosing it."""
        return hashlib.sha256(self.token.encode()).hexdigest()[:32]


@dataclass(frozen=True, kw_only=True)
class Access:
    """The tokens of a server.

    Attributes:
        tokens: the tokens; a server without any is open to every program of this machine.
        without_token: what a request without a token may see; used only if `tokens` is empty.
    """

    tokens: tuple[TokenGrant, ...] = ()
    without_token: Grant = field(default_factory=Grant)

    @classmethod
    def open_to(cls, *, corpus: str | None = None) -> Self:
        """Access without tokens, to the library or to one corpus."""
        return cls(without_token=Grant(corpus=corpus))

    @classmethod
    def of_tokens(cls, tokens: Iterable[tuple[str, str | None]]) -> Self:
        """Access with tokens, each with the name of its corpus, or None for the library.

        Raises:
            UsageError: a token is too short, is given twice, or there is none.
        """
        made = tuple(TokenGrant(token=token, grant=Grant(corpus=corpus)) for token, corpus in tokens)
        for one in made:
            if len(one.token) < LEAST_TOKEN or not one.token.isascii() or not one.token.isprintable():
                raise UsageError(
                    f"a token must have at least {LEAST_TOKEN} printable ASCII characters",
                    remedy="Remove the token file; the command then creates one with a token of 43",
                )
        if not made or len({one.token for one in made}) < len(made):
            raise UsageError("each token must be given once, and at least one", remedy="Correct the token file")
        return cls(tokens=made)

    @property
    def needs_token(self) -> bool:
        """Whether a request without a token is refused."""
        return bool(self.tokens)

    def by_token(self, token: str) -> TokenGrant | None:
        """The token's entry, compared in constant time; None for an unknown token."""
        found = None
        for one in self.tokens:
            if hmac.compare_digest(one.token.encode(), token.encode("utf-8", "replace")):
                found = one
        return found

    def by_fingerprint(self, fingerprint: str) -> TokenGrant | None:
        """The entry of the token with this fingerprint, or None."""
        return next((one for one in self.tokens if one.fingerprint == fingerprint), None)


def read_token_file(path: Path, *, corpus: str | None) -> tuple[Access, bool]:
    """Read the tokens, one a line: the token, and after a space the name of its corpus, if it is for one alone.

    Args:
        path: the token file. A missing one is created with a new token, readable by its owner only.
        corpus: the corpus of tokens without one; None: the library.

    Returns:
        The access, and whether the file was created.

    Raises:
        UsageError: the file cannot be read or created, other users can read it, or a token is invalid.
    """
    made = _create(path)
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UsageError("the token file cannot be read as text", source=str(path)) from error
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise UsageError("other users can read the token file", source=str(path), remedy=f"Run: chmod 600 {path}")
    lines = [line.strip() for line in text.splitlines()]
    pairs = [line.partition(" ") for line in lines if line and not line.startswith("#")]
    return Access.of_tokens((token, name.strip() or corpus) for token, _, name in pairs), made


def _create(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    except OSError as error:
        raise UsageError(f"the token file cannot be created: {error.strerror}", source=str(path)) from error
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(32) + "\n")
    return True
