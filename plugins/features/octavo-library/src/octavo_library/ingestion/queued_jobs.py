"""Jobs of the queue: how they are marked, and what a worker needs to convert those that it took (ENG-6)."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from octavo.conversion.routing import RoutingOverride
from octavo.documents.location import place_of
from octavo.documents.source import Source
from octavo_contracts import IngestionState, Intent, OctavoError, UsageError

from ..storage import Index, Job, NewJob, document_id_for
from .engine_context import EngineContext
from .follow_ups import follow_up_of
from .originals import open_original, places_of, stored_originals
from .requests import IngestRequest, PersistedRequest

STEPS = (IngestionState.HASH_CHECKED, IngestionState.SOURCE_STORED)
"""States of a job when it is queued."""

_MARK = "queued"
"""Key of a job's request: the job was queued for workers, to whom it returns if its owner dies."""

Prefer = Callable[[str | None], tuple[tuple[str, RoutingOverride], ...]]


def as_queued(job: NewJob) -> NewJob:
    """The job as it is started in the queue."""
    request_json = json.dumps(json.loads(job.request_json or "{}") | {_MARK: True})
    return replace(job, steps=STEPS, is_claimed=False, is_queued=True, request_json=request_json)


def was_queued(job: Job) -> bool:
    """Whether a job was started in the queue: a process that only opens the library returns it there."""
    return bool(json.loads(job.request_json or "{}").get(_MARK))


def is_workers(job: Job) -> bool:
    """Whether a job belongs to the queue alone. One of a run is left to the run, which follows it and reports its end."""
    return job.run_id is None and was_queued(job)


def path_of(job: Job) -> str | None:
    """The path in a job's request; None if it has none."""
    place: str | None = json.loads(job.request_json or "{}").get("path")
    try:
        return str(place_of(place)) if place is not None else None
    except ValueError:  # a reference of another kind
        return place


def shown_document(job: Job) -> str:
    """The document of a job for messages: its path, if its request has one."""
    return path_of(job) or f"the document of job {job.job_id}"


def not_begun_here(error: BaseException) -> str:
    """Why a job could not be begun, for `octavo queue`: the machine, and the problem."""
    return f"{platform.node()}: {error.message if isinstance(error, OctavoError) else error}"


def without_mark(job: Job) -> str:
    """The request of a job that is withdrawn: no process returns it to the queue."""
    return json.dumps({key: value for key, value in json.loads(job.request_json or "{}").items() if key != _MARK})


def requeue(index: Index, job: Job, wanted: NewJob) -> bool:
    """Queue an open job again that no process has, by a new request, unless it is for another corpus.

    Args:
        index: the library's index.
        job: the open job, as last read.
        wanted: the new request for the same work.

    Returns:
        Whether the job is in the queue now; False if it changed meanwhile.
    """
    if job.source_instance_id != wanted.source_instance_id:
        return index.queue.put_back(job.job_id, owner=None)
    assert wanted.request_json is not None  # `JobClaims.new_job` sets it
    queued = index.queue.put_in(
        job, request_json=wanted.request_json, engine_set=wanted.engine_set, run_id=wanted.run_id
    )
    return queued is not None


@dataclass(frozen=True, kw_only=True)
class TakenJob:
    """A job that a worker has taken and begun.

    Attributes:
        job: the claim, in `conversion_pending`.
        request: its request.
        path_ref: path of the document in that request, as a reference; None for bytes.
        above: the highest version number ever used for the document.
    """

    job: Job
    request: IngestRequest
    path_ref: str | None
    above: int

    @property
    def raw_hash(self) -> str:
        """SHA-256 of the document."""
        assert self.job.raw_hash is not None  # only jobs of documents are queued
        return self.job.raw_hash


class TakenJobs:
    """Looks up together what the conversions of many taken jobs need. Thread-safe.

    Args:
        context: the shared components of the engine.
        prefer: the plugins that the user's verdicts on a profile prefer, as `ConvertOptions.preferences`.
    """

    def __init__(self, context: EngineContext, *, prefer: Prefer) -> None:
        self._artifacts = context.artifacts
        self._index = context.index
        self._prefer = prefer

    def prepare(self, jobs: Sequence[Job]) -> dict[str, TakenJob]:
        """By job id, the jobs that the take has begun.

        Any other has to be resumed: it had an owner before, or its profile does not exist here.
        """
        begun = [
            (job, persisted)
            for job in jobs
            if job.state is IngestionState.CONVERSION_PENDING and job.attempts == 1 and job.intent is Intent.INGEST
            if job.raw_hash is not None and follow_up_of(job) is None
            if (persisted := PersistedRequest.read(job.request_json)) is not None
            and not persisted.has_password
            and persisted.attached is None
        ]
        if not begun:
            return {}
        ids = {job.job_id: document_id_for(str(job.raw_hash)) for job, _ in begun}
        highest = self._index.versions.highest_of_many(list(ids.values()))
        preferred: dict[str | None, tuple[tuple[str, RoutingOverride], ...]] = {}
        for name in {persisted.options.profile for _, persisted in begun}:
            with suppress(UsageError):  # there is no such profile here; the resumer says so
                preferred[name] = self._prefer(name)
        return {
            job.job_id: TakenJob(
                job=job,
                request=self._request(job, persisted, preferred[persisted.options.profile]),
                path_ref=persisted.path,
                above=highest.get(ids[job.job_id], 0),
            )
            for job, persisted in begun
            if persisted.options.profile in preferred
        }

    def open(self, taken: TakenJob) -> Source:
        """Open the document: at the path of its request, or from the bytes in the library. The caller closes it.

        Raises:
            OctavoError: it cannot be read here.
        """
        return open_original(self._places(taken), self._artifacts, raw_hash=taken.raw_hash)

    def _places(self, taken: TakenJob) -> Iterator[str]:
        """As `places_of`, but the index is asked last: a document that is new has no other path there."""
        if taken.path_ref is not None:
            yield taken.path_ref
        yield from stored_originals(self._artifacts, taken.raw_hash)
        yield from places_of(self._index, self._artifacts, raw_hash=taken.raw_hash, policy=taken.request.told_as)

    def _request(
        self, job: Job, persisted: PersistedRequest, preferred: tuple[tuple[str, RoutingOverride], ...]
    ) -> IngestRequest:
        corpus = self._index.corpora.get(persisted.corpus_id) if persisted.corpus_id else None
        request = persisted.request(corpus, run_id=job.run_id)
        return replace(request, options=replace(request.options, preferences=preferred))
