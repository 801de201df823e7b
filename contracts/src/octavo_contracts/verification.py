"""Verifies that an archived text contains every quotation of a digest verbatim (DIG-10)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from .digest import DigestPayload
from .locators import LocatorError, resolve_locator

Verdict = Literal["verified", "failed", "unavailable"]


@dataclass(frozen=True, kw_only=True)
class DigestDifference:
    """The first difference between a digest and its archived text.

    Attributes:
        what: 'hash': the archived text is another one; 'locator': invalid in that text; 'text': the words differ.
        snippet: number of the snippet from 1; 0 for the hash.
        locator: the snippet's locator; empty for the hash.
        expected: text of the payload from the first differing code point on, at most `SHOWN` code points.
        found: text of the archive there; for an invalid locator, the reason.
        offset: number of code points of the snippet that match.
    """

    what: Literal["hash", "locator", "text"]
    snippet: int
    locator: str
    expected: str
    found: str
    offset: int = 0

    def __str__(self) -> str:
        if self.what == "hash":
            return f"the archived text is another one: its hash is {self.found}, the digest has {self.expected}"
        if self.what == "locator":
            return f"snippet {self.snippet} has an invalid locator {self.locator}: {self.found}"
        return (
            f"snippet {self.snippet} at {self.locator} differs after {self.offset} characters: "
            f"the digest has {self.expected!r}, the archive {self.found!r}"
        )


@dataclass(frozen=True, kw_only=True)
class DigestVerification:
    """The result of `verify_digest`.

    Attributes:
        status: 'verified', 'failed' or 'unavailable'.
        snippets: number of quotations that match.
        difference: the first mismatch in the order of the payload; None unless failed.
    """

    status: Verdict
    snippets: int = 0
    difference: DigestDifference | None = None


SHOWN = 80
"""Maximum code points of each text in a difference."""


def verify_digest(payload: DigestPayload, archived_text: str | None) -> DigestVerification:
    """Compare a digest with the archived canonical text.

    Args:
        payload: the digest.
        archived_text: the archived text with the digest's hash; None if there is none.
    """
    if archived_text is None:
        return DigestVerification(status="unavailable")
    for number, snippet in enumerate(payload.evidence_snippets, start=1):
        try:
            found = resolve_locator(archived_text, snippet.locator)
        except LocatorError as error:
            difference = DigestDifference(
                what="locator", snippet=number, locator=snippet.locator, expected=snippet.text[:SHOWN], found=str(error)
            )
            return DigestVerification(status="failed", snippets=number - 1, difference=difference)
        if found != snippet.text:
            return DigestVerification(
                status="failed",
                snippets=number - 1,
                difference=_difference(number, snippet.locator, snippet.text, found),
            )
    count = len(payload.evidence_snippets)
    # Last, although it is the cheapest check: a differing quotation tells the user more than two hashes.
    digest = "sha256:" + hashlib.sha256(archived_text.encode("utf-8", "surrogatepass")).hexdigest()
    if digest != payload.source_text_hash:
        difference = DigestDifference(
            what="hash", snippet=0, locator="", expected=payload.source_text_hash, found=digest
        )
        return DigestVerification(status="failed", snippets=count, difference=difference)
    return DigestVerification(status="verified", snippets=count)


def _difference(number: int, locator: str, expected: str, found: str) -> DigestDifference:
    same = next(
        (i for i, (a, b) in enumerate(zip(expected, found, strict=False)) if a != b), min(len(expected), len(found))
    )
    return DigestDifference(
        what="text",
        snippet=number,
        locator=locator,
        expected=expected[same : same + SHOWN],
        found=found[same : same + SHOWN],
        offset=same,
    )
