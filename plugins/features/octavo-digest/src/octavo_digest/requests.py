"""What the ways to a digest share: the policy by its name, the call of the digestor, the warning of an empty text."""

from __future__ import annotations

from collections.abc import Iterable

from octavo.text.canonical import CanonicalText
from octavo_contracts import Digestor, DigestOutcome, QualityFinding, UsageError

from .choosing import StructuredDigestor
from .policy import DigestPolicy, SourceQuality


def parse_policy(name: str) -> DigestPolicy:
    """A policy by its name.

    Raises:
        UsageError: there is none.
    """
    try:
        return DigestPolicy(name)
    except ValueError:
        raise UsageError(f"no digest policy named {name!r}; there are {', '.join(DigestPolicy)}") from None


def with_empty(warnings: Iterable[str], why: QualityFinding | None) -> tuple[str, ...]:
    """The warnings of a digest, and the reason why the document has no text where it has none."""
    said = () if why is None else (f"there is no text to digest: {why.message} [{why.flag}]",)
    return (*warnings, *said)


async def digest_with(
    digestor: Digestor, text: CanonicalText, query: str, *, source_id: str, quality: SourceQuality
) -> DigestOutcome:
    """Digest with whatever digestor there is, giving it the structure where it takes it."""
    if isinstance(digestor, StructuredDigestor):
        return await digestor.digest_canonical(text, query, source_id=source_id, quality=quality)
    return await digestor.digest_text(text.text, query, source_id=source_id)
