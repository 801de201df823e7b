"""Verification of a digest: whether an archived text holds every quotation, word for word (DIG-10)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from .digest import DigestPayload
from .locators import LocatorError, resolve_locator

Verdict = Literal["verified", "failed", "unavailable"]


@dataclass(frozen=True, kw_only=True)
class DigestDifference:
    """Where a digest and its archive part.

    Attributes:
        what: 'hash': the archive is another text; 'locator': it leads nowhere; 'text': the words differ.
        snippet: number of the snippet from 1; 0 for the hash.
        locator: the snippet's locator; empty for the hash.
        expected: what the payload says, from the first differing code point on, at most `SHOWN` code points.
        found: what the archive says there; for a locator that leads nowhere, why.
        offset: code points of the snippet that agree.
    """

    what: Literal["hash", "locator", "text"]
    snippet: int
    locator: str
    expected: str
    found: str
    offset: int = 0

    def __str__(self) -> str:
        if self.what == "hash":
            return f"the archived text is another one: its hash is {self.found}, the digest names {self.expected}"
        if self.what == "locator":
            return f"snippet {self.snippet} at {self.locator} leads nowhere: {self.found}"
        return (
            f"snippet {self.snippet} at {self.locator} differs after {self.offset} characters: "
            f"the digest has {self.expected!r}, the archive {self.found!r}"
        )


@dataclass(frozen=True, kw_only=True)
class DigestVerification:
    """The answer of `verify_digest`.

    Attributes:
        status: 'verified', 'failed' or 'unavailable'.
        snippets: how many quotations agree.
        difference: the first that does not, in the order of the payload; None unless failed.
    """

    status: Verdict
    snippets: int = 0
    difference: DigestDifference | None = None


SHOWN = 80
"""Code points that a difference shows."""


def verify_digest(payload: DigestPayload, archived_text: str | None) -> DigestVerification:
    """Compare a digest with the archived canonical text.

    Args:
        payload: the digest.
        archived_text: what the archive holds under the digest's hash; None where it holds nothing.
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
    # Last, though it is the cheapest: a quotation that differs says more than two hashes do.
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
