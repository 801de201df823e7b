"""The components that the parts of one engine share."""

from __future__ import annotations

from dataclasses import dataclass

from octavo.runtime import Runtime
from octavo_sandbox.keyed_lock import KeyedLock

from ..storage import ArtifactStore, Index
from .commit_queue import CommitQueue
from .events import EventHub
from .throttle import Throttle


@dataclass(frozen=True, kw_only=True, eq=False)
class EngineContext:
    """The shared components of an engine.

    Attributes:
        runtime: plugins, workers and settings.
        artifacts: the library's files; its owner also owns the jobs that this process works on.
        index: the library's index, for reading.
        commits: commits every write to the index, in groups.
        events: publishes what happens.
        throttle: delays work while the machine lacks resources.
        document_locks: one lock for each document that this process works on.
    """

    runtime: Runtime
    artifacts: ArtifactStore
    index: Index
    commits: CommitQueue
    events: EventHub
    throttle: Throttle
    document_locks: KeyedLock
