"""The documents in the queue, as `library.queue` lists and withdraws them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from octavo.documents.location import place_of
from octavo_contracts import UsageError, file_ref

from ..ingestion.queued_jobs import path_of, without_mark
from ..storage import Index, document_id_for
from ..storage.index.queue import QUEUED, QueuedRow

_ID = re.compile(r"[0-9a-f][0-9a-f-]{5,63}")
_STOPPED = "its workers ended too often while they converted it, or an error of Octavo ended its conversion"


class QueueCondition(StrEnum):
    """What a document in the queue waits for."""

    HELD = "held"
    """A process converts it, or has died and its lease has not ended yet."""
    STOPPED = "stopped"
    """No worker takes it any more: it waits for a tool, or is submitted again."""
    NOT_BEGUN = "not_begun"
    """A worker could not begin it; it waits for another one."""
    WAITING = "waiting"
    """It waits for a worker."""


@dataclass(frozen=True, kw_only=True)
class QueuedDocument:
    """A document in the queue.

    Attributes:
        job_id: its job.
        document_id: its id, also before it is in the library.
        raw_hash: SHA-256 of its bytes.
        path: its path on the machine that submitted it; None for one without.
        condition: what it waits for.
        reason: why a worker could not begin it, with the name of its machine, or why it is stopped; None otherwise.
        host: machine of the process that holds it; None if no process does, or its lease is unknown.
        pid: id of that process there.
        is_alive: whether the lease of that process has not ended; None if it has none in the index.
        since: when its state last changed; ISO 8601, UTC.
        submitted_at: when its job was made; ISO 8601, UTC.
        run_id: the run that queued it, or None.
    """

    job_id: str
    document_id: str
    raw_hash: str
    path: str | None
    condition: QueueCondition
    reason: str | None
    host: str | None
    pid: int | None
    is_alive: bool | None
    since: str
    submitted_at: str
    run_id: str | None


def queued_documents(rows: Iterable[QueuedRow]) -> list[QueuedDocument]:
    """The documents of rows of the queue."""
    return [_shown(row) for row in rows if row.job.raw_hash is not None]


def withdraw(index: Index, refs: Sequence[str], *, is_running: Callable[[str], bool]) -> list[QueuedDocument]:
    """Take documents out of the queue.

    Args:
        index: the library's index.
        refs: each a path, a folder, a file name, or the id or hash of a document or six or more of its first digits.
        is_running: whether a run is in progress.

    Returns:
        The documents that are out of the queue now.

    Raises:
        UsageError: a reference fits no document or more than one, or one that a process or a run in progress has.
    """
    rows = index.queue.listing()
    jobs = {row.job.job_id: row.job for row in rows}
    listed = queued_documents(rows)
    chosen = {one.job_id: one for ref in refs for one in _matching(listed, ref)}
    for one in chosen.values():
        _check_free(one, is_running)
    return [
        one for one in chosen.values() if index.queue.dismiss(job := jobs[one.job_id], request_json=without_mark(job))
    ]


def _shown(row: QueuedRow) -> QueuedDocument:
    job = row.job
    assert job.raw_hash is not None  # checked by the caller
    reason = None
    if job.owner is not None:
        condition = QueueCondition.HELD
    elif job.waiting_reason != QUEUED:
        condition, reason = QueueCondition.STOPPED, job.waiting_reason or _STOPPED
    elif row.error is not None:
        condition, reason = QueueCondition.NOT_BEGUN, row.error
    else:
        condition = QueueCondition.WAITING
    return QueuedDocument(
        job_id=job.job_id,
        document_id=document_id_for(job.raw_hash),
        raw_hash=job.raw_hash,
        path=path_of(job),
        condition=condition,
        reason=reason,
        host=row.host,
        pid=row.pid,
        is_alive=row.is_alive,
        since=row.since,
        submitted_at=job.created_at,
        run_id=job.run_id,
    )


def _matching(listed: Sequence[QueuedDocument], ref: str) -> list[QueuedDocument]:
    """The documents that a reference names: one, or all below a folder."""
    path = str(place_of(file_ref(os.path.abspath(ref))))
    exact = [one for one in listed if one.path in (ref, path)]
    below = exact or [one for one in listed if one.path is not None and one.path.startswith(path.rstrip("/") + "/")]
    if below:
        return below
    digits = ref.lower()
    found = [
        one
        for one in listed
        if (one.path is not None and Path(one.path).name == ref)
        or (
            _ID.fullmatch(digits) and any(key.startswith(digits) for key in (one.document_id, one.raw_hash, one.job_id))
        )
    ]
    if len(found) == 1:
        return found
    if not found:
        raise UsageError(f"no document in the queue matches {ref!r}", remedy="Run `octavo queue` to list them")
    names = ", ".join(sorted(one.path or one.document_id for one in found)[:3])
    raise UsageError(f"{len(found)} documents in the queue match {ref!r}: {names}", remedy="Give a whole path or an id")


def _check_free(one: QueuedDocument, is_running: Callable[[str], bool]) -> None:
    name = one.path or one.document_id
    if one.condition is QueueCondition.HELD:
        raise UsageError(f"{name} is being converted", remedy="Stop its worker first, or wait until its lease ends")
    if one.run_id is not None and is_running(one.run_id):
        raise UsageError(
            f"{name} belongs to the run {one.run_id[:8]}, which is in progress", remedy="End that run first"
        )
