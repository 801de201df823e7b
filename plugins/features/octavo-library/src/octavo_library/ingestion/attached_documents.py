"""Attachments: stores their bytes before the parent is committed, names them, and derives their requests."""

from __future__ import annotations

import io
import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from octavo.conversion.attachments import Listing, listed, taken_in
from octavo.documents.source import printable
from octavo.formats import format_of
from octavo.settings.ocr import AUTOMATIC
from octavo_contracts import AttachmentRef, Intent

from ..storage import AttachedDocument, Index, document_id_for
from .corpus_plugin import corpus_overrides
from .requests import AttachmentParent, IngestRequest

if TYPE_CHECKING:
    from octavo_contracts import Attachment

    from .claimed_job import ClaimedJob
    from .engine_context import EngineContext

LONGEST_NAME = 255


class AttachmentStore:
    """Stores the bytes of attachments. Thread-safe.

    Args:
        context: the shared components of the engine.
    """

    def __init__(self, context: EngineContext) -> None:
        self._context = context

    def listing(self, attachments: Sequence[Attachment], claimed: ClaimedJob) -> Listing:
        """List the attachments of a document, and store the bytes of those that will be ingested.

        If the host dies before the document is committed, the stored bytes are orphans: `verify` reports them, `repair`
        removes them, and they are stored again when the document is ingested again.

        Raises:
            StorageError: the disk has no room for them.
        """
        context, request = self._context, claimed.request
        if not ways_in(
            context.index, document_id_for(claimed.source.raw_file_hash), request, intent=claimed.job.intent
        ):
            return listed(attachments)  # no source refers to the document, so none would refer to these
        found = taken_in(
            attachments,
            of=claimed.source.raw_file_hash,
            settings=context.runtime.settings.attachments,
            depth=request.attached.depth if request.attached else 0,
        )
        for item in found.taken:
            assert item.data is not None  # only attachments with data are ingested
            context.throttle.before_write(item.size, cancel=request.options.cancel)
            context.artifacts.put_original(
                item.sha256,
                extension=PurePosixPath(name_of(item)).suffix,
                stream=io.BytesIO(item.data),
                generation=context.index.purges.generation(document_id_for(item.sha256)),
            )
        return found


def attached_in(refs: Sequence[AttachmentRef]) -> tuple[AttachedDocument, ...]:
    """The attachments of a document that are ingested: each once, under a unique name."""
    inside: dict[str, str] = {}
    for ref in refs:
        if ref.document_id is not None and ref.sha256 not in inside:
            inside[ref.sha256] = _free_name(name_of(ref), set(inside.values()))
    return tuple(
        AttachedDocument(document_id=document_id_for(raw_hash), raw_hash=raw_hash, name=name)
        for raw_hash, name in inside.items()
    )


def child_request(index: Index, parent_id: str, name: str | None, way: IngestRequest) -> IngestRequest:
    """The request for an attachment: that of its parent without the plugin, which was chosen for the parent only."""
    depth = way.attached.depth if way.attached else 0
    return replace(
        way,
        surface="email_attachment",
        options=replace(
            way.options,
            plugin=None,
            standing=corpus_overrides(index, way.corpus) if way.corpus is not None else (),
            ocr=AUTOMATIC,
        ),
        run_id=None,  # a run counts its own sources only
        findings=(),  # they concern the source of the parent
        attached=AttachmentParent(to=parent_id, name=name or "attachment", depth=depth + 1),
    )


def ways_in(index: Index, document_id: str, request: IngestRequest, *, intent: Intent) -> list[IngestRequest]:
    """The requests by which the attachments of a document are ingested: the request itself, or one per parent's corpus.

    A reconversion is requested for a document, not for a corpus: its attachments must be visible exactly where the
    document is visible (STO-5).
    """
    if intent is Intent.INGEST:
        return [request]
    return [replace(request, corpus=corpus) for corpus in index.attachments.ways_of(document_id)]


def _free_name(name: str, taken: set[str]) -> str:
    """The name, with a number if another attachment of the message has the same name: `plan (2).pdf`."""
    path = PurePosixPath(name)
    numbered = (f"{path.stem} ({number}){path.suffix}" for number in itertools.count(2))
    return next(each for each in itertools.chain([name], numbered) if each not in taken)


def name_of(item: Attachment | AttachmentRef) -> str:
    """The name without path parts and unprintable characters; a name made from the media type if it has none."""
    shown = "".join(letter for letter in printable(item.name or "") if letter.isprintable())
    name = PurePosixPath(shown.replace("\\", "/")).name[-LONGEST_NAME:]
    extensions = format_of(item.media_type).extensions
    return name or f"attachment{extensions[0] if extensions else ''}"
