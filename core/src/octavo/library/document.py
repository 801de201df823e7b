"""A document of a library: its texts, pages, quality and versions, read when asked for."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from octavo_contracts import (
    ConversionTimeout,
    IngestionQualityReport,
    IngestionResult,
    Intent,
    QualityFinding,
    Summariser,
    UsageError,
)

from ..conversion import empty_text as emptiness
from ..conversion.options import ConvertOptions
from ..documents.source import Source
from ..ingestion.activation import HeldBack
from ..ingestion.originals import open_original, stored_originals
from ..ingestion.requests import BY_USER, IngestRequest
from ..observability.audit import AuditAction
from ..settings.ocr import AUTOMATIC, OcrOptions
from ..storage.result_view import result_as_told, with_findings
from ..storage.version_files import CANONICAL, CONVERTED, PAGES, REPORT, read_result, version_refs
from ..storage.version_reader import VersionFiles, files_of
from ..text.canonical import CanonicalText
from ..text.deadline import DeadlineExceeded, deadline
from .document_keeping import KeptDocument
from .document_type import corpus_plugins, corpus_profiles, in_force
from .way_in_findings import way_in_findings

if TYPE_CHECKING:
    from ..brief import Brief
    from ..storage import ConversionRecord, DocumentRecord, PolicyContext
    from .library import Library


@dataclass(frozen=True, kw_only=True)
class DocumentPage:
    """One page of a document's active version.

    Attributes:
        number: from 1.
        label: what the document calls it, or None.
        text: its canonical body.
        markdown: its markdown.
    """

    number: int
    label: str | None
    text: str
    markdown: str


@dataclass(frozen=True, kw_only=True)
class DocumentVersion:
    """A conversion version.

    Attributes:
        version: its number, from 1.
        tool: the plugin.
        tool_version: the plugin's version.
        created_at: ISO 8601, UTC.
        quality_score: 0..1, or None where not assessed.
        status: 'ok' or 'degraded'.
        flags: degraded flags.
        is_active: whether it is the one that readers get.
        condition: 'stored'; 'damaged' where a check found files of it missing or altered; 'purged' where they were
            removed for good.
        held_back: why it did not become the active one when it was made, with both figures; None where nothing held
            it back. `Document.activate` makes it the active one.
    """

    version: int
    tool: str
    tool_version: str | None
    created_at: str
    quality_score: float | None
    status: str
    flags: tuple[str, ...]
    is_active: bool
    condition: str = "stored"
    held_back: HeldBack | None = None


class Document(KeptDocument):
    """A document of a library, bound to the version that was active when it was asked for.

    A reconversion never changes what this object gives: ask the library again for the new version (ENG-23).

    Args:
        library: where it lives.
        record: its row of the index.
        policy: who asks: paths, links and likenesses of other policy contexts are not told (STO-5). None: all.
    """

    def __init__(self, library: Library, record: DocumentRecord, *, policy: PolicyContext | None = None) -> None:
        self._library = library
        self._record = record
        self._policy = policy

    @property
    def id(self) -> str:
        """Its id."""
        return self._record.document_id

    @property
    def title(self) -> str | None:
        """Its title, as it gives it; else what it is called by a message that it is attached to, and the asker may see."""
        return self._record.title or self._attached_name

    @property
    def status(self) -> str:
        """`complete`, `degraded_complete` or `hard_failed`."""
        return self._record.status.value

    @property
    def reason(self) -> str | None:
        """Why it failed, or None."""
        return self._record.reason.value if self._record.reason else None

    @property
    def media_type(self) -> str | None:
        """Its type by content."""
        return self._record.mime_type

    @property
    def raw_hash(self) -> str:
        """SHA-256 of its bytes."""
        return self._record.raw_hash

    @property
    def active_version(self) -> int | None:
        """The version this object is bound to; None where there is none."""
        return self._record.active_version

    @property
    def ingested_at(self) -> str:
        """When it first came in, ISO 8601, UTC."""
        return self._record.first_ingested_at

    @cached_property
    def _attached_name(self) -> str | None:
        try:
            return self._library.index.attached_name(self.id, policy=self._policy)
        except UsageError:
            return None  # the library is closed, and this stands in the message that says so

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Where it was seen, as references, oldest first."""
        return tuple(record.path for record in self._library.index.paths(self.id, policy=self._policy))

    @property
    def attachments(self) -> tuple[Document, ...]:
        """The documents that came inside it, such as what is attached to a message, and were taken in."""
        inside = [one.document_id for one in self._library.index.attachments(self.id)]
        return self._others(inside)

    @property
    def attached_to(self) -> tuple[Document, ...]:
        """The documents that it came inside of, as far as the asker may see them."""
        return self._others(self._library.index.attached_to(self.id, policy=self._policy))

    @cached_property
    def result(self) -> IngestionResult:
        """Everything known of it.

        Raises:
            UsageError: its version was purged.
            LibraryDamaged: files of its version are missing or altered.
        """
        return load_result(self._library, self._record, policy=self._policy)

    @cached_property
    def markdown(self) -> str:
        """converted.md.

        Raises:
            UsageError: it has no content.
            LibraryDamaged: the file is missing or altered.
        """
        return self._read(CONVERTED)

    @cached_property
    def canonical_text(self) -> str:
        """canonical.txt: what every offset counts in.

        Raises:
            UsageError: it has no content.
            LibraryDamaged: the file is missing or altered.
        """
        return self._read(CANONICAL)

    @property
    def why_empty(self) -> QualityFinding | None:
        """Why it has no text; None where it has some, and for a document that failed: its reason says why.

        Raises:
            LibraryDamaged: a file is missing or altered.
        """
        if self.active_version is None or not emptiness.is_empty(self.canonical_text):
            return None
        return emptiness.why_empty(self.quality, self.canonical_text)

    @cached_property
    def structured_text(self) -> CanonicalText:
        """The canonical text with its pages, and where its blocks begin as conversion found them.

        Raises:
            UsageError: it has no content.
            LibraryDamaged: a file is missing or altered.
        """
        pages = json.loads(self._read(PAGES))
        text = CanonicalText.from_archive(self.canonical_text)
        return replace(text, breaks=tuple(pages.get("breaks", ())), paginated=bool(pages["paginated"]))

    @cached_property
    def pages(self) -> list[DocumentPage]:
        """Its pages; a document without pages is one page with everything."""
        anchors = list(self.result.page_anchor_map.anchors())
        if not anchors:
            return [DocumentPage(number=1, label=None, text=self.canonical_text, markdown=self.markdown)]
        return [
            DocumentPage(
                number=anchor.page,
                label=anchor.label,
                text=self.canonical_text[anchor.text_start : anchor.text_end],
                markdown=self.markdown[anchor.markdown_start : anchor.markdown_end],
            )
            for anchor in anchors
        ]

    def page(self, number: int) -> DocumentPage:
        """A page, from 1.

        Raises:
            UsageError: there is no such page.
            LibraryDamaged: files of its version are missing or altered.
        """
        if not 1 <= number <= len(self.pages):
            raise UsageError(f"there is no page {number}; it has {len(self.pages)}", source=self.title or self.id)
        return self.pages[number - 1]

    def brief(self, *, summariser: Summariser | None = None) -> Brief:
        """Facts, summary and indexes of this version, made when asked for; every word of it is quoted (INT-1).

        Args:
            summariser: writes summary and key points in its own words; None: they are sentences of the document.

        Raises:
            UsageError: it has no content.
            LibraryDamaged: files of its version are missing or altered.
            ConversionTimeout: it was not made within the time of a document (`Settings.document_seconds`).
        """
        from .document_brief import brief_of

        try:
            with deadline(self._library.runtime.settings.budget(None).seconds):
                return brief_of(self, summariser=summariser)
        except DeadlineExceeded as error:
            raise ConversionTimeout(
                f"no brief was made: {error}",
                source=self.title or self.id,
                remedy="Set document_seconds, the time of a document, to more than that",
            ) from error

    @property
    def quality(self) -> IngestionQualityReport:
        """The quality report of this version."""
        return self.result.quality_report

    @property
    def versions(self) -> list[DocumentVersion]:
        """The conversion versions, the first first; those that were given up before the asker had it are left out."""
        return [_version(record) for record in self._library.index.versions(self.id, policy=self._policy)]

    def reconvert(
        self,
        *,
        with_: str | None = None,
        password: str | None = None,
        timeout: float | None = None,
        activate: bool | None = None,
        ocr: OcrOptions = AUTOMATIC,
        cancel: threading.Event | None = None,
    ) -> DocumentVersion:
        """Convert it again, as a new version; the ones it has stay (STO-6).

        The profile is that of the corpora it is in where they name one and the same, else the library's.

        Args:
            with_: the plugin; it stays the document's for the conversions to come where the version becomes the active
                one (`plugin`). By default the document's, the corpus's, or what routing chooses.
            password: of an encrypted document.
            timeout: seconds a plugin may take.
            activate: None: the new version becomes the active one unless it lost pages or text of the version before,
                and `DocumentVersion.held_back` says so then; True: in any case; False: in no case.
            ocr: what is asked of recognition; by default pages and pictures are read that the active version was read
                with, if somebody had asked for them.
            cancel: set it from another thread to stop; there is no new version then.

        Raises:
            UsageError: no such plugin.
            SourceMissing: no path leads to the original any more.
            OctavoError: it could not be converted; its versions are untouched.
        """
        if with_ is not None:
            self._library.runtime.catalogue.get(with_)
        overrides = ((with_, BY_USER),) if with_ else ()
        profiles = corpus_profiles(self._library, self.id, policy=self._policy)
        # Corpora that want different rules leave the choice to the library's.
        profile = profiles[0] if len(profiles) == 1 else None
        options = ConvertOptions(
            overrides=overrides,
            standing=corpus_plugins(self._library, self.id, policy=self._policy),
            profile=profile,
            password=password,
            timeout=timeout,
            ocr=ocr,
            cancel=cancel,
            preferences=self._library.routing_preferences(profile),
        )
        request = IngestRequest(options=options, asker=self._policy)
        with self.open_original() as source:
            made = self._library.engine.ingestor.reconvert(source, request, activate=activate)
        if with_ is not None and made.is_active:
            self._library.audit.record(AuditAction.PLUGIN_SET, document_id=self.id, plugin=with_)
        self._library.engine.attached.all_of(self.id, request, intent=Intent.RECONVERT)
        return next(version for version in self.versions if version.version == made.version)

    def activate(self, version: int) -> None:
        """Make another version the one that readers get; a rollback is the same.

        Raises:
            UsageError: it has no such version.
        """
        known = [one.version for one in self.versions if one.condition != "purged"]
        if version not in known:  # what the asker is not told of is as unknown as what is not there
            raise UsageError(
                f"document {self.id} has no version {version}",
                remedy=f"Its versions: {', '.join(map(str, known)) or 'none'}",
            )
        self._library.index.activate(self.id, version, by="user")
        self._library.audit.record(AuditAction.ACTIVATED, document_id=self.id, version=version)

    def open_original(self) -> Source:
        """Its original, opened for reading; close it.

        Raises:
            SourceMissing: no path leads to it any more.
            SourceChanged: other bytes stand in its place.
        """
        library, shown = self._library, self.title or self.id
        known = self._record.original_ref
        stored: Iterable[str] = ()
        if library.index.came_without_path(self.id, policy=self._policy):
            stored = stored_originals(library.artifacts, self.raw_hash)
        places = chain([known] if known else [], self.paths, stored)
        return open_original(places, library.artifacts, raw_hash=self.raw_hash, shown=shown)

    def _others(self, document_ids: Iterable[str]) -> tuple[Document, ...]:
        """Those of these documents that are there, and that the asker may see."""
        records = self._library.index.documents_of(document_ids, policy=self._policy)
        return tuple(Document(self._library, record, policy=self._policy) for record in records)

    def _read(self, name: str) -> str:
        if self.active_version is None:
            raise UsageError(
                f"it has no content: {self.reason}",
                source=self.title or self.id,
                remedy="See its receipts with `octavo show`",
            )
        with files_of(self._library, self._record, self.active_version) as files:
            return files.text(name)


def load_result(
    library: Library,
    record: DocumentRecord,
    *,
    policy: PolicyContext | None,
    instance_id: str | None = None,
    findings: Sequence[QualityFinding] = (),
) -> IngestionResult:
    """The result of a document's active version, or of its failure, as an asker is told of it (STO-5).

    Args:
        library: where it lives.
        record: its row of the index, as the asker is told of it.
        policy: who asks; None: the library's owner.
        instance_id: the way in that is asking; by default the asker's first one by which it came.
        findings: what that way in showed just now; by default what the asker's ways in showed before.

    Raises:
        UsageError: no result is stored, or its version was purged.
        LibraryDamaged: files of its version are missing or altered.
    """
    by_hand = record.document_type if record.document_type_by is not None else None
    instances = library.index.instances(record.document_id, policy=policy)
    instance = instance_id or next(iter(instances), None)
    since = record.first_ingested_at
    if record.active_version is None:
        failure = library.index.stored_failure(record.raw_hash)
        if failure is None or failure.result_json is None:
            raise UsageError("its result is not stored", source=record.title or record.document_id)
        result = IngestionResult.read(failure.result_json)
        if result.content_hashes.source_instance_id in instances:
            since = ""  # the asker's own try, which ended a moment before its way in was noted
    else:
        with files_of(library, record, record.active_version) as files:
            original = record.original_ref or _original(files)
            result = read_result(
                files.read,
                document_id=record.document_id,
                refs=version_refs(record.raw_hash, record.active_version, original=original),
                chunking_version=library.runtime.settings.chunking.version,
                source_instance_id=instance,
            )
    found = tuple(findings) or way_in_findings(library.index, record, policy=policy)
    if policy is not None:
        profiles = library.index.profiles_of(policy)
        result = result_as_told(result, record, instance_id=instance, since=since, findings=found, profiles=profiles)
    return in_force(with_findings(result, found), by_hand)


def _original(files: VersionFiles) -> str:
    try:
        return str(json.loads(files.text(REPORT))["source_ref"])
    except (ValueError, KeyError, TypeError) as error:
        raise files.damaged(REPORT, "does not hold what belongs in it") from error


def text_of(document: Document) -> CanonicalText:
    """A document's canonical text with its pages."""
    return CanonicalText.from_archive(document.canonical_text)


def _version(record: ConversionRecord) -> DocumentVersion:
    return DocumentVersion(
        version=record.version,
        tool=record.tool,
        tool_version=record.tool_version,
        created_at=record.created_at,
        quality_score=record.quality_score,
        status=record.status,
        flags=record.flags,
        is_active=record.is_active,
        condition="purged" if record.purged_at else "damaged" if record.damaged_at else "stored",
        held_back=HeldBack.read(record.config_json or "{}"),
    )
