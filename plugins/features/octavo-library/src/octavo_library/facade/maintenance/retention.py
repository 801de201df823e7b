"""Retention of inactive versions, and the purge of expired ones (STO-6, STO-19, ENG-29).

Nothing is removed automatically. A rule decides what may be removed; a preview lists it with its size; a call removes
what the preview listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, Self

from octavo_contracts import UsageError, store_ref

from ...storage import ArtifactStore, ConversionRecord, CorpusRecord, DocumentRecord, Index, OldVersion
from ...storage.files.layout import OCR
from .purge import Purged, remove_noted, summary

WINDOW_DAYS = 30
"""Days for which a superseded version can be activated again, unless a corpus has another rule (STO-6)."""

SETTING = "retention"
"""Key of the rule in a corpus's overrides."""

_FORMS = "'everything', 'active_only', or a number of days"


@dataclass(frozen=True, kw_only=True)
class Retention:
    """The retention rule of a corpus.

    Attributes:
        days: days for which a superseded version is kept; 0 keeps originals and active versions only.
    """

    days: int = WINDOW_DAYS

    @classmethod
    def parse(cls, setting: object) -> Self:
        """Parse a setting.

        Args:
            setting: "everything" (the default: old versions can be purged by hand after `WINDOW_DAYS`),
                "active_only" (originals and active versions), or a number of days.

        Raises:
            UsageError: the setting is invalid.
        """
        if setting is None or setting == "everything":
            return cls()
        if setting == "active_only":
            return cls(days=0)
        days = setting if isinstance(setting, int) and not isinstance(setting, bool) else _whole(setting)
        if days is None or days < 0:
            raise UsageError(f"invalid retention rule {setting!r}", remedy=f"Give {_FORMS}")
        return cls(days=days)

    @classmethod
    def of(cls, corpus: CorpusRecord) -> Self:
        """The rule of a corpus."""
        return cls.parse(corpus.overrides.get(SETTING))


@dataclass(frozen=True, kw_only=True)
class Purgeable:
    """What may be purged, with its size. Version numbers are never reused; active versions are never listed.

    Attributes:
        as_of: the reference time for ages, ISO 8601, UTC.
        versions: expired and damaged versions.
        ocr_pages: fingerprint → bytes, of recognised pages all of whose documents are in no corpus.
    """

    as_of: str
    versions: tuple[OldVersion, ...]
    ocr_pages: Mapping[str, int]

    @property
    def bytes(self) -> int:
        """Total size."""
        return sum(old.bytes for old in self.versions) + sum(self.ocr_pages.values())


def purgeable(artifacts: ArtifactStore, index: Index, *, now: datetime | None = None) -> Purgeable:
    """List what may be purged by the rules of the corpora; remove nothing.

    For a document in several corpora the longest of their rules applies; for one in no corpus the default.

    Args:
        artifacts: the library's files.
        index: the library's index.
        now: the reference time for ages, with time zone; by default the current time.
    """
    moment = now or datetime.now(UTC)
    rules = {corpus.corpus_id: Retention.of(corpus).days for corpus in index.corpora.all()}
    versions = []
    for document in index.documents.iterate():
        days = max((rules[corpus] for corpus in index.paths.corpora_of(document.document_id)), default=WINDOW_DAYS)
        versions += list(_expired(artifacts, index, document, before=moment - timedelta(days=days)))
    pages = {page: _size(artifacts, f"{OCR}/{page}") for page in index.purges.ocr_pages_in_no_corpus()}
    return Purgeable(as_of=moment.astimezone(UTC).isoformat(), versions=tuple(versions), ocr_pages=pages)


def purge_expired(artifacts: ArtifactStore, index: Index, shown: Purgeable, *, by: str = "user") -> Purged:
    """Remove what a preview listed, except what became active or joined a corpus since.

    Raises:
        StorageError: files could not be removed; the purge continues when the library is next opened.
    """
    noted = index.purges.begin_version(shown.versions, ocr_pages=shown.ocr_pages, by=by)
    return summary(noted, kept=remove_noted(artifacts, index, noted))


def _expired(
    artifacts: ArtifactStore, index: Index, document: DocumentRecord, *, before: datetime
) -> Iterator[OldVersion]:
    versions = [record for record in index.versions.of_document(document.document_id) if record.purged_at is None]
    if len(versions) < 2:
        return
    ended = _ends_of_activity(index.versions.activations(document.document_id))
    for record in versions:
        since = ended.get(record.version, record.created_at)
        if not record.is_active and (record.damaged_at is not None or _moment(since) <= before):
            yield OldVersion(
                document_id=document.document_id,
                raw_hash=document.raw_hash,
                version=record.version,
                bytes=_size(artifacts, _folder(record)),
            )


def _ends_of_activity(activations: tuple[tuple[int, str], ...]) -> dict[int, str]:
    """Version → when it was last superseded."""
    return {version: at for (version, _), (_, at) in pairwise(activations)}


def _folder(record: ConversionRecord) -> str:
    return record.artifact_ref.removeprefix("store:")


def _size(artifacts: ArtifactStore, relative: str) -> int:
    return sum(size for _, size in artifacts.own_files(store_ref(relative)))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _whole(setting: Any) -> int | None:
    return int(setting) if isinstance(setting, str) and setting.isascii() and setting.isdecimal() else None
