"""A document of a library: its texts, pages, quality and versions, read at their first use."""

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
from octavo_contracts import IngestionQualityReport, IngestionResult, QualityFinding, UsageError
from octavo_text.canonical import CanonicalText
from octavo_text.document_pages import DocumentPage, pages_of

from ..observability.audit import AuditAction
from ..storage import DocumentRecord, PolicyContext
from ..storage.version_files import CANONICAL, CONVERTED, PAGES
from ..storage.version_reader import files_of
from .context import LibraryContext
from .declared_metadata import Metadata
from .document_annotations import Annotations
from .document_links import Links
from .document_original import Original
from .document_result import load_result
from .document_type import check_type, set_plugin
from .document_versions import DocumentVersion
from .export import archive_of, export_to
from .page_marks import PageMarks
from .similarity import Similar, asker_of_similar, similar_documents
from .versions import Versions


class Document:
    """A document of a library, bound to the version that was active when the object was created.

    A reconversion never changes this object: get the document from the library again for the new version (ENG-23).

    Args:
        context: the components of its library.
        record: its row in the index.
        policy: the asking policy context; paths, links and similar documents of others are hidden (STO-5). None: all.

    Attributes:
        context: the components of its library.
        policy: the asking policy context; None: the library's owner.
        id: its id.
        status: `complete`, `degraded_complete` or `hard_failed`.
        reason: why it failed, or None.
        media_type: its type by content.
        raw_hash: SHA-256 of its bytes.
        active_version: the version to which this object is bound; None if the document has no version.
        ingested_at: when it was first ingested, ISO 8601, UTC.
        metadata: title, date, source and further metadata that callers declared of it (ENG-21).
        page_marks: pages that users marked as needing recognition, or as visually important (CNV-3).
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
    metadata: Final[Metadata]
    page_marks: Final[PageMarks]

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
        self.metadata = Metadata(context, record, policy=policy)
        self.page_marks = PageMarks(context, record, policy=policy)
        self._record = record

    def __repr__(self) -> str:
        version = f", version {self.active_version}" if self.active_version is not None else ""
        return f"<Document {self.id[:8]} {self._record.title or 'without a title'!r}: {self.status}{version}>"

    def _repr_html_(self) -> str:
        """For notebooks: the first page as a picture, what is known of the document, and the beginning of its text."""
        from octavo.conversion.rich_display import html_display

        from .document_display import first_page

        markdown = self.markdown if self.active_version is not None else ""
        picture = first_page(self.context.runtime, self.original, media_type=self.media_type)
        return html_display(self.result, markdown, title=self.title or self.id, page_image=picture)

    @property
    def title(self) -> str | None:
        """Its declared title; else its own; else its name in a message that it is attached to and that the asker may see."""
        return self._record.title or self._attached_name

    @cached_property
    def _attached_name(self) -> str | None:
        try:
            return self.context.index.attachments.name_of(self.id, policy=self.policy)
        except UsageError:
            return None  # the library is closed, and the error message for that uses this title

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths at which it was ingested, as references, oldest first."""
        return tuple(record.path for record in self.context.index.documents.paths(self.id, policy=self.policy))

    @property
    def attachments(self) -> tuple[Document, ...]:
        """Its ingested attachments, such as those of a message."""
        return self._others(one.document_id for one in self.context.index.attachments.of_document(self.id))

    @property
    def attached_to(self) -> tuple[Document, ...]:
        """The documents that contain it as an attachment and that the asker may see."""
        return self._others(self.context.index.attachments.parents_of(self.id, policy=self.policy))

    @cached_property
    def result(self) -> IngestionResult:
        """The complete ingestion result.

        Raises:
            UsageError: its version was purged.
            LibraryDamaged: files of its version are missing or altered.
        """
        return load_result(self.context, self._record, policy=self.policy)

    @cached_property
    def markdown(self) -> str:
        """The content of converted.md.

        Raises:
            UsageError: the document has no converted content.
            LibraryDamaged: the file is missing or altered.
        """
        return self._read(CONVERTED)

    @cached_property
    def canonical_text(self) -> str:
        """The content of canonical.txt, to which every offset refers.

        Raises:
            UsageError: the document has no converted content.
            LibraryDamaged: the file is missing or altered.
        """
        return self._read(CANONICAL)

    @property
    def why_empty(self) -> QualityFinding | None:
        """Why it has no text; None if it has text, and for a failed document, whose `reason` says why.

        Raises:
            LibraryDamaged: a file is missing or altered.
        """
        if self.active_version is None or not emptiness.is_empty(self.canonical_text):
            return None
        return emptiness.why_empty(self.quality, self.canonical_text)

    @cached_property
    def structured_text(self) -> CanonicalText:
        """The canonical text with its pages and the block boundaries that the conversion found.

        Raises:
            UsageError: the document has no converted content.
            LibraryDamaged: a file is missing or altered.
        """
        pages = json.loads(self._read(PAGES))
        text = CanonicalText.from_archive(self.canonical_text)
        return replace(text, breaks=tuple(pages.get("breaks", ())), paginated=bool(pages["paginated"]))

    @cached_property
    def pages(self) -> list[DocumentPage]:
        """Its pages; a document without pages has one page with the whole text."""
        return pages_of(self.result.page_anchor_map, canonical=self.canonical_text, markdown=self.markdown)

    def page(self, number: int) -> DocumentPage:
        """A page, from 1.

        Raises:
            UsageError: the page does not exist.
            LibraryDamaged: files of its version are missing or altered.
        """
        if not 1 <= number <= len(self.pages):
            raise UsageError(
                f"there is no page {number}; the document has {len(self.pages)}", source=self.title or self.id
            )
        return self.pages[number - 1]

    @property
    def quality(self) -> IngestionQualityReport:
        """The quality report of this version."""
        return self.result.quality_report

    @property
    def versions(self) -> Versions:
        """The conversion versions, oldest first, the active one, and whether this one was accepted with its flags."""
        return Versions(self.context, self._record, policy=self.policy)

    def reconvert(
        self,
        *,
        plugin: str | None = None,
        profile: str | None = None,
        password: str | None = None,
        timeout: float | None = None,
        activate: bool | None = None,
        ocr: OcrOptions = AUTOMATIC,
        cancel: threading.Event | None = None,
    ) -> DocumentVersion:
        """Convert the document again, as a new version; the existing versions stay (STO-6).

        By default, the profile is that of its corpora if they all name the same one, else the library's.

        Args:
            plugin: the plugin; if the version becomes the active one, it stays the document's plugin for later
                conversions (`Document.plugin`). By default the document's, the corpus's, or the routed plugin.
            profile: the profile whose rules choose for this conversion, whatever plugin is set for the document or its
                corpora: `thorough` for a heavier conversion, `fast` for a lighter one (ENG-25).
            password: password of an encrypted document.
            timeout: seconds that a plugin may take.
            activate: None: the new version becomes the active one unless it lost pages or text of the previous one
                (`DocumentVersion.held_back`); True: always; False: never.
            ocr: OCR options; by default those of the active version, if OCR was requested for it.
            cancel: set it from another thread to stop; no version is made then.

        Raises:
            UsageError: no such plugin or profile, or both are given.
            SourceMissing: the original is at none of its known paths.
            OctavoError: the conversion failed; existing versions are untouched.
        """
        from .reconvert import ReconvertOptions, reconvert_document  # a reader of documents needs no converter code

        how = ReconvertOptions(
            plugin=plugin,
            profile=profile,
            password=password,
            timeout=timeout,
            activate=activate,
            ocr=ocr,
            cancel=cancel,
        )
        how.check(self.context.runtime)
        with self.original.open() as source:
            made = reconvert_document(self.context, self.id, source, how, policy=self.policy)
        return next(version for version in self.versions if version.version == made)

    @property
    def original(self) -> Original:
        """Its original: open it for reading, or relink it to another path."""
        return Original(self.context, self._record, shown=self.title or self.id, policy=self.policy)

    @property
    def document_type(self) -> str:
        """The effective type: the user's, else the classifier's of this version; 'unknown' if neither set one.

        Raises:
            UsageError: its version was purged.
            LibraryDamaged: files of its version are missing or altered.
        """
        return self.result.document_type

    @property
    def document_type_by(self) -> str | None:
        """Who set the type by hand; None if the classifier's type applies."""
        return self._record.document_type_by

    def set_type(self, document_type: str | None, *, by: str = "user") -> None:
        """Set its type by hand; later conversions do not overwrite it (CLS-6).

        The type applies to later operations on the document: nothing is converted again.

        Args:
            document_type: a shipped type, one that the profile of the library or of one of its corpora registers, or
                'unknown' for none of them. None removes the type that was set by hand: the classifier's applies
                again.
            by: the user.

        Raises:
            UsageError: unknown type (the message suggests the nearest one), or the document was purged.
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
        """The plugin that a user set for the document: it converts the document as long as it can read it (CNV-1).

        Only the library's owner can set and see it: None for a policy context (STO-5).
        """
        if self.policy is not None:
            return None
        return self.context.index.corpora.get_override(document_id=self.id)

    def set_plugin(self, plugin: str | None) -> None:
        """Set the plugin for later conversions; None removes it, so that corpus and profile choose again.

        Raises:
            UsageError: no such plugin, or called for a policy context: the plugin applies in all contexts.
        """
        set_plugin(self.context, self.id, plugin, policy=self.policy)

    @property
    def annotations(self) -> Annotations:
        """Its annotations, with their positions in this version's text (STO-17)."""
        return Annotations(self.context, self._record, policy=self.policy)

    @property
    def links(self) -> Links:
        """Its links to and from other documents (STO-9)."""
        return Links(self.context, self.id, policy=self.policy)

    def similar(self, *, corpus: str | None = None, threshold: float = 0.5, limit: int = 10) -> list[Similar]:
        """Documents with the same text or much of the same wording, the most similar first (STO-9).

        They are only suggested, never merged; `links` stores the user's decision. The first call on a library reads
        every text once.

        Args:
            corpus: the asking corpus: only documents ingested under its policy are suggested (STO-5); None: the policy
                of this object, or the default one.
            threshold: minimum share of common wording, 0..1.
            limit: maximum number of documents.

        Raises:
            UsageError: no such corpus.
        """
        index = self.context.index
        policy = asker_of_similar(index, corpus, policy=self.policy)
        return similar_documents(
            self.context.artifacts, index, self.id, policy=policy, threshold=threshold, limit=limit
        )

    def export(self, path: str | os.PathLike[str]) -> str:
        """Write a zip file: texts, metadata, quality, anchors, annotations, memories, summaries, and their SHA-256.

        An existing file is replaced atomically; the same state of the document gives the same bytes (STO-14).

        Returns:
            SHA-256 of the file.

        Raises:
            UsageError: the document has no converted content, or the path is that of its original or in no folder.
            StorageError: the file cannot be written.
        """
        return export_to(path, self.context, self._record, self.archive())

    def archive(self) -> bytes:
        """The bytes that `export` writes.

        Raises:
            UsageError: the document has no converted content.
            LibraryDamaged: files of its version are missing or altered.
        """
        return archive_of(self.context, self._record, self.annotations, policy=self.policy)

    def _type_changed(self, by_hand: str | None) -> None:
        """Update the audit log and this object, which stays bound to its version."""
        self.context.audit.record(AuditAction.TYPE_SET, document_id=self.id, document_type=by_hand)
        now = self.context.index.documents.get(self.id, policy=self.policy)
        self._record = replace(self._record, document_type=now.document_type, document_type_by=now.document_type_by)
        self.__dict__.pop("result", None)  # the cached property

    def _others(self, document_ids: Iterable[str]) -> tuple[Document, ...]:
        """The documents among these that exist and that the asker may see."""
        records = self.context.index.documents.get_many(document_ids, policy=self.policy)
        return tuple(Document(self.context, record, policy=self.policy) for record in records)

    def _read(self, name: str) -> str:
        if self.active_version is None:
            raise UsageError(
                f"the document has no converted content: {self.reason}",
                source=self.title or self.id,
                remedy="See its failure receipts with `octavo show`",
            )
        with files_of(self.context, self._record, self.active_version) as files:
            return files.text(name)
