"""A document of a library: its texts, pages, quality and versions, read when asked for."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Final

from octavo.conversion import empty_text as emptiness
from octavo.settings.ocr import AUTOMATIC, OcrOptions
from octavo.text.canonical import CanonicalText
from octavo_contracts import IngestionQualityReport, IngestionResult, QualityFinding, UsageError

from ..observability.audit import AuditAction
from ..storage import DocumentRecord, PolicyContext
from ..storage.version_files import CANONICAL, CONVERTED, PAGES
from ..storage.version_reader import files_of
from .context import LibraryContext
from .document_annotations import Annotations
from .document_links import Links
from .document_original import Original
from .document_result import load_result
from .document_type import check_type, set_plugin
from .document_versions import DocumentPage, DocumentVersion, pages_of
from .export import archive_of, export_to
from .reconvert import ReconvertOptions, reconvert_document
from .similarity import Similar, asker_of_similar, similar_documents
from .versions import Versions


class Document:
    """A document of a library, bound to the version that was active when it was asked for.

    A reconversion never changes what this object gives: ask the library again for the new version (ENG-23).

    Args:
        context: the parts of its library.
        record: its row of the index.
        policy: who asks: paths, links and likenesses of other policy contexts are not shown (STO-5). None: all.

    Attributes:
        context: the parts of its library.
        policy: the policy context that asks; None: the library's owner.
        id: its id.
        status: `complete`, `degraded_complete` or `hard_failed`.
        reason: why it failed, or None.
        media_type: its type by content.
        raw_hash: SHA-256 of its bytes.
        active_version: the version this object is bound to; None where there is none.
        ingested_at: when it first came in, ISO 8601, UTC.
    """

    context: Final[LibraryContext]
    policy: Final[PolicyContext | None]
    id: Final[str]
    status: Final[str]
    reason: Final[str | None]
    media_type: Final[str | None]
    raw_hash: Final[str]
    active_version: Final[int | None]
    ingested_at: Final[str]

    def __init__(self, context: LibraryContext, record: DocumentRecord, *, policy: PolicyContext | None = None) -> None:
        self.context = context
        self.policy = policy
        self.id = record.document_id
        self.status = record.status.value
        self.reason = record.reason.value if record.reason else None
        self.media_type = record.mime_type
        self.raw_hash = record.raw_hash
        self.active_version = record.active_version
        self.ingested_at = record.first_ingested_at
        self._record = record

    def __repr__(self) -> str:
        version = f", version {self.active_version}" if self.active_version is not None else ""
        return f"<Document {self.id[:8]} {self._record.title or 'without a title'!r}: {self.status}{version}>"

    @property
    def title(self) -> str | None:
        """Its title, as it gives it; else what it is called by a message that it is attached to, and the asker may see."""
        return self._record.title or self._attached_name

    @cached_property
    def _attached_name(self) -> str | None:
        try:
            return self.context.index.attachments.name_of(self.id, policy=self.policy)
        except UsageError:
            return None  # the library is closed, and this stands in the message that says so

    @property
    def paths(self) -> tuple[str, ...]:
        """Where it was seen, as references, oldest first."""
        return tuple(record.path for record in self.context.index.documents.paths(self.id, policy=self.policy))

    @property
    def attachments(self) -> tuple[Document, ...]:
        """The documents that came inside it, such as what is attached to a message, and were taken in."""
        return self._others(one.document_id for one in self.context.index.attachments.of_document(self.id))

    @property
    def attached_to(self) -> tuple[Document, ...]:
        """The documents that it came inside of, as far as the asker may see them."""
        return self._others(self.context.index.attachments.parents_of(self.id, policy=self.policy))

    @cached_property
    def result(self) -> IngestionResult:
        """Everything known of it.

        Raises:
            UsageError: its version was purged.
            LibraryDamaged: files of its version are missing or altered.
        """
        return load_result(self.context, self._record, policy=self.policy)

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
        return pages_of(self.result.page_anchor_map, canonical=self.canonical_text, markdown=self.markdown)

    def page(self, number: int) -> DocumentPage:
        """A page, from 1.

        Raises:
            UsageError: there is no such page.
            LibraryDamaged: files of its version are missing or altered.
        """
        if not 1 <= number <= len(self.pages):
            raise UsageError(f"there is no page {number}; it has {len(self.pages)}", source=self.title or self.id)
        return self.pages[number - 1]

    @property
    def quality(self) -> IngestionQualityReport:
        """The quality report of this version."""
        return self.result.quality_report

    @property
    def versions(self) -> Versions:
        """The conversion versions, the first first, and which one is active."""
        return Versions(self.context, self.id, policy=self.policy)

    def reconvert(
        self,
        *,
        plugin: str | None = None,
        password: str | None = None,
        timeout: float | None = None,
        activate: bool | None = None,
        ocr: OcrOptions = AUTOMATIC,
        cancel: threading.Event | None = None,
    ) -> DocumentVersion:
        """Convert it again, as a new version; the ones it has stay (STO-6).

        The profile is that of the corpora it is in where they name one and the same, else the library's.

        Args:
            plugin: the plugin; it stays the document's for the conversions to come where the version becomes the active
                one (`Document.plugin`). By default the document's, the corpus's, or what routing chooses.
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
        if plugin is not None:
            self.context.runtime.catalogue.get(plugin)
        how = ReconvertOptions(
            plugin=plugin, password=password, timeout=timeout, activate=activate, ocr=ocr, cancel=cancel
        )
        with self.original.open() as source:
            made = reconvert_document(self.context, self.id, source, how, policy=self.policy)
        return next(version for version in self.versions if version.version == made)

    @property
    def original(self) -> Original:
        """Its original: opened for reading, or found again at another path."""
        return Original(self.context, self._record, shown=self.title or self.id, policy=self.policy)

    @property
    def document_type(self) -> str:
        """The type in force: the user's, else the classifier's of this version; 'unknown' where neither says one.

        Raises:
            UsageError: its version was purged.
            LibraryDamaged: files of its version are missing or altered.
        """
        return self.result.document_type

    @property
    def document_type_by(self) -> str | None:
        """Who set the type by hand; None where the classifier's is in force."""
        return self._record.document_type_by

    def set_type(self, document_type: str | None, *, by: str = "user") -> None:
        """Set its type by hand; no conversion overwrites it from then on (CLS-6).

        It applies from the next thing that is done with the document: nothing is converted again for it.

        Args:
            document_type: a shipped type, one that the profile of the library or of a corpus it is in registers, or
                'unknown': it is of none of them. None takes back the type that was set by hand: what the classifier
                says is in force again.
            by: the user.

        Raises:
            UsageError: there is no such type, where the nearest one is named; or the document was purged.
        """
        types = self.context.index.document_types
        if document_type is None:
            types.clear(self.id, policy=self.policy)
        else:
            check_type(self.context, self.id, document_type, policy=self.policy)
            types.set(self.id, document_type, by=by, policy=self.policy)
        self._type_changed(document_type)

    @property
    def plugin(self) -> str | None:
        """The plugin that a user set for it: every conversion is by it, as long as it reads the document (CNV-1).

        It is the library owner's to set and to know: None for whoever asks as a policy context (STO-5).
        """
        if self.policy is not None:
            return None
        return self.context.index.corpora.get_override(document_id=self.id)

    def set_plugin(self, plugin: str | None) -> None:
        """Set the plugin of the conversions to come; None takes it back, so that corpus and profile choose again.

        Raises:
            UsageError: no such plugin, or a policy context asks: the plugin holds for the bytes, whoever has them.
        """
        set_plugin(self.context, self.id, plugin, policy=self.policy)

    @property
    def annotations(self) -> Annotations:
        """Its annotations, with their places in this version's text (STO-17)."""
        return Annotations(self.context, self._record, policy=self.policy)

    @property
    def links(self) -> Links:
        """Links from and to it (STO-9)."""
        return Links(self.context, self.id, policy=self.policy)

    def similar(self, *, corpus: str | None = None, threshold: float = 0.5, limit: int = 10) -> list[Similar]:
        """Documents with the same text, or with much of the same wording, the most alike first (STO-9).

        They are offered, never merged; `links` keeps what the user makes of it. The first call on a library reads
        every text once.

        Args:
            corpus: the corpus that asks: only what came in under its policy is offered (STO-5); None asks under
                the policy that this object was asked for with, or the default one.
            threshold: the least share of common wording, 0..1.
            limit: at most so many.

        Raises:
            UsageError: no such corpus.
        """
        index = self.context.index
        policy = asker_of_similar(index, corpus, policy=self.policy)
        return similar_documents(
            self.context.artifacts, index, self.id, policy=policy, threshold=threshold, limit=limit
        )

    def export(self, path: str | os.PathLike[str]) -> str:
        """Write it as a zip: texts, metadata, quality, anchors, annotations, and a manifest with the SHA-256 of each.

        A file that is there is replaced whole; the same state of the document gives the same bytes (STO-14).

        Returns:
            SHA-256 of the file.

        Raises:
            UsageError: it has no content, or the path is the document's own or has no folder.
            StorageError: the file cannot be written.
        """
        return export_to(path, self.context, self._record, self.archive())

    def archive(self) -> bytes:
        """The bytes that `export` writes.

        Raises:
            UsageError: it has no content.
            LibraryDamaged: files of its version are missing or altered.
        """
        return archive_of(self.context, self._record, self.annotations, policy=self.policy)

    def _type_changed(self, by_hand: str | None) -> None:
        """Note it in the audit log and in this object, which stays bound to its version."""
        self.context.audit.record(AuditAction.TYPE_SET, document_id=self.id, document_type=by_hand)
        now = self.context.index.documents.get(self.id, policy=self.policy)
        self._record = replace(self._record, document_type=now.document_type, document_type_by=now.document_type_by)
        self.__dict__.pop("result", None)  # the cached property

    def _others(self, document_ids: Iterable[str]) -> tuple[Document, ...]:
        """Those of these documents that are there, and that the asker may see."""
        records = self.context.index.documents.get_many(document_ids, policy=self.policy)
        return tuple(Document(self.context, record, policy=self.policy) for record in records)

    def _read(self, name: str) -> str:
        if self.active_version is None:
            raise UsageError(
                f"it has no content: {self.reason}",
                source=self.title or self.id,
                remedy="See its receipts with `octavo show`",
            )
        with files_of(self.context, self._record, self.active_version) as files:
            return files.text(name)
