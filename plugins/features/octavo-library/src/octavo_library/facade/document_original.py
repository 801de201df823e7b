"""`document.original`: finds and opens the original bytes of a document."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from itertools import chain

from octavo.documents.source import Source
from octavo_contracts import PageImage

from ..ingestion.originals import open_original, stored_originals
from ..observability.audit import AuditAction
from ..storage import DocumentRecord, PolicyContext
from .context import LibraryContext
from .maintenance.paths import relink


class Original:
    """The original of a document.

    Args:
        context: the library's parts.
        record: the document's row in the index.
        shown: the document's name in messages.
        policy: the asking policy context: paths of other contexts are not tried. None: the library's owner.
    """

    def __init__(
        self, context: LibraryContext, record: DocumentRecord, *, shown: str, policy: PolicyContext | None
    ) -> None:
        self._context = context
        self._record = record
        self._shown = shown
        self._policy = policy

    def open(self) -> Source:
        """Open it for reading; the caller closes it.

        Raises:
            SourceMissing: the original is at none of its known paths.
            SourceChanged: the file has changed.
        """
        documents, document_id = self._context.index.documents, self._record.document_id
        known = self._record.original_ref
        seen = (record.path for record in documents.paths(document_id, policy=self._policy))
        stored: Iterable[str] = ()
        # A library of several machines may have a copy of a file that only another machine can open.
        is_shared = self._context.artifacts.store.is_shared
        if is_shared or documents.came_without_path(document_id, policy=self._policy):
            stored = stored_originals(self._context.artifacts, self._record.raw_hash)
        places = chain([known] if known else [], seen, stored)
        return open_original(places, self._context.artifacts, raw_hash=self._record.raw_hash, shown=self._shown)

    @property
    def has_page_images(self) -> bool:
        """Whether its pages can be rendered: it is a PDF file or an image."""
        from .page_render import can_render  # a reader of texts needs no rendering

        return can_render(self._record.mime_type)

    def page_image(self, page: int, *, dpi: float = 96.0, cancel: threading.Event | None = None) -> PageImage:
        """Render one of its pages as a grey PNG, in a sandboxed worker.

        Args:
            page: the page, from 1.
            dpi: resolution.
            cancel: set it from another thread to stop.

        Raises:
            UsageError: the page does not exist, or documents of this type are not rendered.
            SourceMissing: the original is at none of its known paths.
            SourceChanged: the file has changed.
            ToolError: the page cannot be rendered, or the worker exceeded a limit.
        """
        from .page_render import render_page

        with self.open() as source:
            return render_page(
                self._context.runtime,
                source,
                page,
                media_type=self._record.mime_type,
                dpi=dpi,
                password=self._context.runtime.settings.password_for(None),
                cancel=cancel,
            )

    def relink(self, path: str | os.PathLike[str]) -> str:
        """Record its new path, after comparing the bytes (STO-11).

        Returns:
            The path's reference.

        Raises:
            SourceMissing: there is no readable file.
            SourceChanged: the file has other bytes.
        """
        document_id = self._record.document_id
        ref = relink(
            self._context.index,
            document_id=document_id,
            raw_hash=self._record.raw_hash,
            path=path,
            policy=self._policy,
        )
        self._context.audit.record(AuditAction.RELINKED, document_id=document_id)
        return ref
