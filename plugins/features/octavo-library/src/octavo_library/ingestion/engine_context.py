"""What the parts of one engine share."""

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
    """What every part of an engine works with.

    Attributes:
        runtime: plugins, workers and settings.
        artifacts: the library's files; its owner is that of the jobs that this process works on.
        index: the library's index, for reading.
        writer: commits every write to it, in groups.
        events: publishes what happens.
        throttle: delays work while the machine is short of something.
        document_locks: which document is worked on in this process.
    """

    runtime: Runtime
    artifacts: ArtifactStore
    index: Index
    writer: CommitQueue
    events: EventHub
    throttle: Throttle
    document_locks: KeyedLock
