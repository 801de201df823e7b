"""Who may see what: tokens, each for the whole library or for one corpus."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from octavo_contracts import UsageError
from octavo_library.commands.token_file import read_or_create

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
    text, made = read_or_create(path)
    lines = [line.strip() for line in text.splitlines()]
    pairs = [line.partition(" ") for line in lines if line and not line.startswith("#")]
    return Access.of_tokens((token, name.strip() or corpus) for token, _, name in pairs), made
