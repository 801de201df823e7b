"""What came inside a document: its bytes, kept before the document is committed; its names; the ways by which it comes in."""

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
from .requests import AttachmentParent, IngestRequest, corpus_overrides

if TYPE_CHECKING:
    from octavo_contracts import Attachment

    from .claimed_job import ClaimedJob
    from .engine_context import EngineContext

LONGEST_NAME = 255


class AttachmentStore:
    """Keeps the bytes of what came inside documents. Thread-safe.

    Args:
        context: what the engine's parts share.
    """

    def __init__(self, context: EngineContext) -> None:
        self._context = context

    def listing(self, attachments: Sequence[Attachment], task: ClaimedJob) -> Listing:
        """What came inside a document; the bytes of what is taken in are stored by now.

        Where the host dies before the document is committed, they belong to nobody: `verify` names them, `repair` removes
        them, and they are stored anew when the document comes again.

        Raises:
            StorageError: there is no room for them.
        """
        context, request = self._context, task.request
        if not ways_in(context.index, document_id_for(task.raw_hash), request, intent=task.job.intent):
            return listed(attachments)  # nothing refers to the document any more, so nothing would to these
        found = taken_in(
            attachments,
            of=task.raw_hash,
            settings=context.runtime.settings.attachments,
            depth=request.attached.depth if request.attached else 0,
        )
        for item in found.taken:
            assert item.data is not None  # nothing else is taken in
            context.throttle.before_write(item.size, cancel=request.options.cancel)
            context.artifacts.put_original(
                item.sha256, extension=PurePosixPath(name_of(item)).suffix, stream=io.BytesIO(item.data)
            )
        return found


def attached_in(refs: Sequence[AttachmentRef]) -> tuple[AttachedDocument, ...]:
    """The documents that came inside one and are taken in: each once, under a name that no other one has."""
    inside: dict[str, str] = {}
    for ref in refs:
        if ref.document_id is not None and ref.sha256 not in inside:
            inside[ref.sha256] = _free_name(name_of(ref), set(inside.values()))
    return tuple(
        AttachedDocument(document_id=document_id_for(raw_hash), raw_hash=raw_hash, name=name)
        for raw_hash, name in inside.items()
    )


def child_request(index: Index, parent_id: str, name: str | None, way: IngestRequest) -> IngestRequest:
    """How what came inside a document comes in: as that did, but for the plugin, which was asked for that alone."""
    depth = way.attached.depth if way.attached else 0
    return replace(
        way,
        surface="email_attachment",
        options=replace(way.options, plugin=None, standing=corpus_overrides(index, way.corpus), ocr=AUTOMATIC),
        run_id=None,  # a run counts what it was given
        findings=(),  # they are of the way to that
        attached=AttachmentParent(to=parent_id, name=name or "attachment", depth=depth + 1),
    )


def ways_in(index: Index, document_id: str, request: IngestRequest, *, intent: Intent) -> list[IngestRequest]:
    """The ways that what came inside a document comes in by: that of the request, or all by which the document came.

    A reconversion is asked for a document, not for a corpus: what it finds must be seen by whoever sees the document,
    and by nobody else (STO-5).
    """
    if intent is Intent.INGEST:
        return [request]
    return [replace(request, corpus=corpus) for corpus in index.attachments.ways_of(document_id)]


def _free_name(name: str, taken: set[str]) -> str:
    """The name, or with a number where another one in the message has it already: `plan (2).pdf`."""
    path = PurePosixPath(name)
    numbered = (f"{path.stem} ({number}){path.suffix}" for number in itertools.count(2))
    return next(each for each in itertools.chain([name], numbered) if each not in taken)


def name_of(item: Attachment | AttachmentRef) -> str:
    """The name without what would make it a path or cannot be shown; made up from the type where it has none."""
    shown = "".join(letter for letter in printable(item.name or "") if letter.isprintable())
    name = PurePosixPath(shown.replace("\\", "/")).name[-LONGEST_NAME:]
    extensions = format_of(item.media_type).extensions
    return name or f"attachment{extensions[0] if extensions else ''}"
