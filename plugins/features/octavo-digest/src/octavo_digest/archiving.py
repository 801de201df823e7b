"""A digestor that archives the source first, so that the digest can be verified (DIG-9)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from octavo_contracts import DigestOutcome, StorageError
from octavo_text.canonical import CanonicalText

from .archive import Archive, check_source_id
from .plain import PlainDigestor
from .policy import SourceQuality


class ArchivingDigestor:
    """The core's digestor with an archive. If archiving fails, the text is still digested, with a warning (R-5).

    Args:
        digestor: builds the payload.
        folder: the archive folder.
    """

    def __init__(self, digestor: PlainDigestor, folder: Path) -> None:
        self._digestor = digestor
        self._archive = Archive(folder)

    async def digest_text(self, text: str, query: str, *, source_id: str) -> DigestOutcome:
        """Archive and digest a canonical text.

        Raises:
            UsageError: the source id is not a safe name.
        """
        return await self.digest_canonical(CanonicalText.from_archive(text), query, source_id=source_id)

    async def digest_canonical(
        self, text: CanonicalText, query: str, *, source_id: str, quality: SourceQuality = SourceQuality.UNKNOWN
    ) -> DigestOutcome:
        """Like `digest_text`, for a text whose blocks are known."""
        check_source_id(source_id)
        return await asyncio.to_thread(self._digest, replace(self._digestor, quality=quality), text, query, source_id)

    def _digest(self, digestor: PlainDigestor, text: CanonicalText, query: str, source_id: str) -> DigestOutcome:
        if digestor.refusal(text) is not None:
            return digestor.digest(text, query)
        try:
            self._archive.write(source_id, text)
        except StorageError as error:
            outcome = digestor.digest(text, query)
            warning = f"the source is not archived, so the digest cannot be verified: {error.message}"
            return replace(outcome, warnings=(*outcome.warnings, warning))
        self._archive.sweep_when_due()
        outcome = digestor.digest(text, query)
        return replace(outcome, details={**outcome.details, "archive_hash": text.sha256})
