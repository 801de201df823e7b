"""What a document offers for keeping: a type, annotations, links, export, a new path. `Document` is built on it."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

from octavo_contracts import PageAnchorMap, Span, UsageError, ref_path

from ..filesystem.output_file import write_output
from ..observability.audit import AuditAction
from ..storage import AnnotationKind, DocumentRecord, Link, LinkKind, PolicyContext
from ..storage.result_view import FILTERED, as_json, file_as_told
from ..storage.version_files import ANCHORS, CANONICAL, CONVERTED, METADATA, REPORT, TOOL
from ..storage.version_reader import files_of
from . import document_annotations as marks
from . import export as exporting
from . import similarity as similar
from .document_annotations import Annotation
from .document_type import TypedDocument
from .maintenance import paths
from .similarity import Similar

if TYPE_CHECKING:
    from .library import Library

_EXPORTED = (CONVERTED, CANONICAL, REPORT, ANCHORS, TOOL)


class KeptDocument(TypedDocument):
    """The part of `Document` that is about what users add to it and take out of it."""

    _library: Library
    _record: DocumentRecord
    _policy: PolicyContext | None

    def relink(self, path: str | os.PathLike[str]) -> str:
        """Say where its original stands now; the bytes are compared first (STO-11).

        Returns:
            The path's reference.

        Raises:
            SourceMissing: there is no readable file.
            SourceChanged: the file is another one.
        """
        ref = paths.relink(
            self._library.index,
            document_id=self._key,
            raw_hash=self._record.raw_hash,
            path=path,
            policy=self._policy,
        )
        self._library.audit.record(AuditAction.RELINKED, document_id=self._key)
        self.__dict__.pop("paths", None)  # `Document.paths` is kept once it was read
        return ref

    def export(self, path: str | os.PathLike[str]) -> str:
        """Write it as a zip: texts, metadata, quality, anchors, annotations, and a manifest with the SHA-256 of each.

        A file that is there is replaced whole; the same state of the document gives the same bytes (STO-14).

        Returns:
            SHA-256 of the file.

        Raises:
            UsageError: it has no content, or the path is the document's own or has no folder.
            StorageError: the file can not be written.
        """
        data = self.archive()
        places = self._library.index.places(document_id=self._key, limit=10_000)
        originals = tuple(ref_path(place.path) for place in places if place.path.startswith("file:"))
        write_output(path, data, never=originals, sha256=self._record.raw_hash, shown="export")
        sha256 = hashlib.sha256(data).hexdigest()
        self._library.audit.record(
            AuditAction.EXPORTED, document_id=self._key, version=self._record.active_version, sha256=sha256
        )
        return sha256

    def archive(self) -> bytes:
        """The bytes that `export` writes.

        Raises:
            UsageError: it has no content.
            LibraryDamaged: files of its version are missing or altered.
        """
        version = self._content_version()
        with files_of(self._library, self._record, version) as stored:
            files = {name: stored.read(f"{stored.folder}/{name}") for name in _EXPORTED}
            files[METADATA] = stored.read(f"{stored.folder}/{METADATA}")
        if self._policy is not None:
            files |= {name: file_as_told(name, files[name], self._record) for name in FILTERED}
        files[METADATA] = as_json({**json.loads(files[METADATA]), "document": self._facts()})
        files["annotations.json"] = as_json([_annotation_keys(one) for one in self.annotations])
        facts = {"document_id": self._key, "version": self._record.active_version, "raw_hash": self._record.raw_hash}
        return exporting.as_zip(files, facts)

    def annotate(
        self,
        kind: AnnotationKind,
        *,
        text: str = "",
        span: Span | None = None,
        page: int | None = None,
        by: str = "user",
    ) -> Annotation:
        """Add a bookmark, a highlight or a note (STO-17).

        Args:
            kind: "bookmark" (a page or a span), "highlight" (a span), or "note" (either, or the whole document).
            text: what to say.
            span: a place in this version's canonical text.
            page: a page, from 1.
            by: the user.

        Raises:
            UsageError: the place is not in the text, the kind wants one, or the document has no content.
        """
        version, canonical, anchors = self._version_texts()
        new = marks.compose(
            kind, text=text, span=span, page=page, by=by, version=version, canonical=canonical, anchors=anchors
        )
        stored = self._library.index.add_annotation(self._key, new, policy=self._policy)
        return marks.seen_from(stored, version=version, canonical=canonical, anchors=anchors)

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """Its annotations, the first first, with their places in this version's text.

        Those that were made under another policy context than the asker's are not told (STO-5).
        """
        stored = self._library.index.annotations(self._key, policy=self._policy)
        if not stored:
            return ()
        version, canonical, anchors = self._version_texts()
        return tuple(marks.seen_from(one, version=version, canonical=canonical, anchors=anchors) for one in stored)

    def change_annotation(self, annotation_id: str, *, text: str) -> None:
        """Replace what an annotation says.

        Raises:
            UsageError: it has no such annotation.
        """
        self._library.index.change_annotation(self._key, annotation_id, body=text, policy=self._policy)

    def remove_annotation(self, annotation_id: str) -> None:
        """Delete an annotation.

        Raises:
            UsageError: it has no such annotation.
        """
        self._library.index.remove_annotation(self._key, annotation_id, policy=self._policy)

    def similar(self, *, corpus: str | None = None, threshold: float = 0.5, limit: int = 10) -> list[Similar]:
        """Documents with the same text, or with much of the same wording, the most alike first (STO-9).

        They are offered, never merged; `link` keeps what the user makes of it. The first call on a library reads
        every text once.

        Args:
            corpus: the corpus that asks: only what came in under its policy is offered (STO-5); None asks under
                the policy that this object was asked for with, or the default one.
            threshold: the least share of common wording, 0..1.
            limit: at most so many.

        Raises:
            UsageError: no such corpus.
        """
        library = self._library
        policy = self._policy or PolicyContext()
        if corpus is not None:
            policy = library.index.get_corpus(corpus).policy
            if self._policy not in (None, policy):
                raise UsageError(
                    f"the corpus {corpus!r} has another policy than the one this document was asked for with"
                )
        return similar.similar_documents(
            library.artifacts, library.index, self._key, policy=policy, threshold=threshold, limit=limit
        )

    def link(self, other: str | KeptDocument, *, kind: LinkKind = "related_to", by: str = "user") -> None:
        """Say that it `revises` another document, or is `related_to` it; both stay as they are (STO-9).

        Raises:
            UsageError: no such document, or it is this one.
        """
        self._library.index.add_link(self._key, self._other(other), kind=kind, by=by, policy=self._policy)

    def unlink(self, other: str | KeptDocument, *, kind: LinkKind = "related_to") -> bool:
        """Take a link back; returns whether it was there.

        Raises:
            UsageError: no such document.
        """
        return self._library.index.remove_link(self._key, self._other(other), kind=kind, policy=self._policy)

    @property
    def links(self) -> tuple[Link, ...]:
        """Links from and to it, the first first; those of other policy contexts, or to their documents, are not told."""
        found = self._library.index.links(self._key, policy=self._policy)
        if self._policy is None:
            return found
        index, policy = self._library.index, self._policy
        others = {one: one.other_id if one.document_id == self._key else one.document_id for one in found}
        return tuple(one for one, other in others.items() if index.is_visible(other, policy=policy))

    @property
    def _key(self) -> str:
        return self._record.document_id

    def _other(self, other: str | KeptDocument) -> str:
        """The id of the other document; by a reference, one that the asker may not see is as unknown as one that is not there."""
        return self._library.index.resolve(other, policy=self._policy) if isinstance(other, str) else other._key

    def _content_version(self) -> int:
        version = self._record.active_version
        if version is None:
            raise UsageError(
                "it has no content to keep anything of",
                source=self._record.title or self._key,
                remedy="See why it failed with `octavo show`",
            )
        return version

    def _version_texts(self) -> tuple[int, str, PageAnchorMap]:
        """Number, canonical text and anchors of the version that this object is bound to."""
        version = self._content_version()
        with files_of(self._library, self._record, version) as stored:
            anchors = PageAnchorMap.model_validate_json(stored.text(ANCHORS))
            return version, stored.text(CANONICAL), anchors

    def _facts(self) -> dict[str, Any]:
        record = self._record
        return {
            "document_id": record.document_id,
            "title": record.title,
            "document_type": record.document_type,
            "media_type": record.mime_type,
            "size": record.file_size,
            "status": record.status.value,
            "first_ingested_at": record.first_ingested_at,
        }


def _annotation_keys(one: Annotation) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind,
        "text": one.text,
        "page": one.page,
        "span": [one.span.start, one.span.end] if one.span else None,
        "quote": one.quote,
        "made_in": one.made_in,
        "made_by": one.made_by,
        "created_at": one.created_at,
        "updated_at": one.updated_at,
    }
