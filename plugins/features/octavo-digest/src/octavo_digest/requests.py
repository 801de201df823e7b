"""Shared by all functions that make a digest: parsing the policy, calling the digestor, warning of an empty text."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from octavo_contracts import Digestor, DigestOutcome, QualityFinding, UsageError
from octavo_text.canonical import CanonicalText

from .choosing import StructuredDigestor
from .policy import DigestPolicy, SourceQuality
from .query_match import match_warnings


def parse_policy(name: str) -> DigestPolicy:
    """Return a policy by name.

    Raises:
        UsageError: there is no such policy.
    """
    try:
        return DigestPolicy(name)
    except ValueError:
        raise UsageError(f"unknown digest policy {name!r}; the policies are {', '.join(DigestPolicy)}") from None


def with_empty(warnings: Iterable[str], why: QualityFinding | None) -> tuple[str, ...]:
    """Return the warnings of a digest, plus the reason why the document has no text, if any."""
    said = () if why is None else (f"there is no text to digest: {why.message} [{why.flag}]",)
    return (*warnings, *said)


async def digest_with(
    digestor: Digestor, text: CanonicalText, query: str, *, source_id: str, quality: SourceQuality
) -> DigestOutcome:
    """Call a digestor, passing the structure of the text if the digestor supports it.

    The outcome says if no word of the query stands in the text, and if both are in different languages.
    """
    if isinstance(digestor, StructuredDigestor):
        outcome = await digestor.digest_canonical(text, query, source_id=source_id, quality=quality)
    else:
        outcome = await digestor.digest_text(text.text, query, source_id=source_id)
    if outcome.payload is None:
        return outcome
    said = await asyncio.to_thread(match_warnings, text, query, outcome.payload)
    return replace(outcome, warnings=(*outcome.warnings, *said)) if said else outcome
