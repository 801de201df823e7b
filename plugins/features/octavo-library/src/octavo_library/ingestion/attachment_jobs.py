"""What came inside a document, kept and owed: recorded as known, or opened as a job, with the end of the document's own.

That is one transaction, so that nothing of a message is lost where its host is killed between the message and what is
attached to it (ENG-6). Owed jobs have no owner: whoever comes first takes them, so that two processes never wait for
each other's.
"""

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
from octavo.runtime import Runtime
from octavo.settings.ocr import AUTOMATIC
from octavo_contracts import AttachmentRef, IngestionState, Intent

from ..storage import ArtifactStore, AttachedDocument, Index, Job, NewJob, document_id_for
from .plugin_fingerprint import EngineSet
from .requests import Attached, IngestRequest, corpus_overrides, remember

if TYPE_CHECKING:
    from octavo_contracts import Attachment

    from .claimed_job import Reserve, Task
    from .job_completion import EndJob

_S = IngestionState

OWED = (_S.HASH_CHECKED, _S.SOURCE_STORED)
"""As far as an owed job has come: its bytes are stored. No try of it has begun."""

LONGEST_NAME = 255


class Owing:
    """Keeps what came inside a document, and opens the jobs that take it in. Thread-safe.

    Args:
        runtime: its settings.
        artifacts: the library's files.
        index: the library's index, for reading.
        engines: which stored results hold.
        reserve: asked before bytes are written, with their number.
    """

    def __init__(
        self, runtime: Runtime, artifacts: ArtifactStore, index: Index, engines: EngineSet, *, reserve: Reserve
    ) -> None:
        self._runtime = runtime
        self._artifacts = artifacts
        self._index = index
        self._engines = engines
        self._reserve = reserve

    def listing(self, attachments: Sequence[Attachment], task: Task) -> Listing:
        """What came inside a document; the bytes of what is taken in are stored by now.

        Where the host dies before the document is committed, they belong to nobody: `verify` names them, `repair` removes
        them, and they are stored anew when the document comes again.

        Raises:
            StorageError: there is no room for them.
        """
        if not attachments:
            return Listing(())
        request = task.request
        if not ways_in(self._index, document_id_for(task.raw_hash), request, intent=task.job.intent):
            return listed(attachments)  # nothing refers to the document any more, so nothing would to these
        found = taken_in(
            attachments,
            of=task.raw_hash,
            settings=self._runtime.settings.attachments,
            depth=request.attached.depth if request.attached else 0,
        )
        for item in found.taken:
            assert item.data is not None  # nothing else is taken in
            self._reserve(item.size, request.options.cancel)
            self._artifacts.put_original(
                item.sha256, extension=PurePosixPath(name_of(item)).suffix, stream=io.BytesIO(item.data)
            )
        return found

    def along(
        self, end: EndJob, raw_hash: str, refs: Sequence[AttachmentRef], request: IngestRequest, *, intent: Intent
    ) -> EndJob:
        """Also note, with the end of a document's job, what came inside it, and see that it is taken in.

        Args:
            end: the write that ends the job.
            raw_hash: the document.
            refs: what came inside it.
            request: how it came in.
            intent: what the job is for; what a reconversion finds comes in by every way that the document came in by.
        """
        parent_id = document_id_for(raw_hash)
        inside: dict[str, str] = {}
        for ref in refs:
            if ref.document_id is not None and ref.sha256 not in inside:
                inside[ref.sha256] = _free_name(name_of(ref), set(inside.values()))
        if not inside:
            return end

        def end_both(index: Index) -> Job:
            job = end(index)
            index.attachments.record(
                parent_id,
                [
                    AttachedDocument(document_id=document_id_for(each), raw_hash=each, name=name)
                    for each, name in inside.items()
                ],
            )
            for way in ways_in(index, parent_id, request, intent=intent):
                self.bring(index, parent_id, way)
            return job

        return end_both

    def bring(self, index: Index, document_id: str, way: IngestRequest) -> None:
        """See that what came inside a document comes in by a way that the document came in by, at any depth.

        What is known is recorded, and the rest is owed: by a job of its own, or by one that is open for those bytes
        already, whose end records this way as well.

        Args:
            index: in the transaction that records the document's own way in.
            document_id: the document.
            way: how it came in.
        """
        inside = index.attachments.of_document(document_id)
        known = index.documents.find_by_hash([one.raw_hash for one in inside], policy=way.told_as)
        for one in inside:
            request = child_request(index, document_id, one.name, way)
            hit = known.get(one.raw_hash)
            if hit is None or not self._engines.is_settled(hit, request):
                self._owe(index, one.raw_hash, request)
                continue
            index.attachments.record_way(hit.document_id, request.sighting(None))
            self.bring(index, hit.document_id, request)

    def _owe(self, index: Index, raw_hash: str, request: IngestRequest) -> None:
        # Without the password, which is not kept: most need none, and one that does says so.
        kept = replace(request, options=replace(request.options, password=None))
        new = NewJob(
            raw_hash=raw_hash,
            source_instance_id=request.instance_id(document_id_for(raw_hash)),
            engine_set=self._engines.of(request),
            request_json=remember(kept, None, limits=self._engines.limits),
            steps=OWED,
            unless_converted=True,
        )
        job, is_new = index.jobs.start(new, owner=self._artifacts.owner)
        if is_new:
            index.jobs.release(job)


def child_request(index: Index, parent_id: str, name: str | None, way: IngestRequest) -> IngestRequest:
    """How what came inside a document comes in: as that did, but for the plugin, which was asked for that alone."""
    depth = way.attached.depth if way.attached else 0
    return replace(
        way,
        surface="email_attachment",
        options=replace(way.options, plugin=None, standing=corpus_overrides(index, way.corpus), ocr=AUTOMATIC),
        run_id=None,  # a run counts what it was given
        findings=(),  # they are of the way to that
        attached=Attached(to=parent_id, name=name or "attachment", depth=depth + 1),
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
