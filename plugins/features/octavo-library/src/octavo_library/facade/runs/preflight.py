"""Estimates the disk space of a run before it begins, and refuses a run that does not fit (ENG-12)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, tee
from pathlib import Path
from typing import TYPE_CHECKING, Self

from octavo.documents.source import hash_file
from octavo.settings.engine import CareSettings
from octavo_contracts import StorageExhausted
from octavo_sandbox.egress.targets import is_url

from ...ingestion.disk_estimate import DiskNeed, need_of, need_of_all
from ...ingestion.machine_probe import MachineProbe
from ...ingestion.throttle import DiskRoom, bytes_text, disk_room
from ...storage import Index, PolicyContext
from ..context import LibraryContext
from ..corpora import CorpusSettings
from ..ingest_batch import SourcePath, files_beforehand
from ..ingest_options import IngestOptions
from .cost_guard import cost_limit_of

if TYPE_CHECKING:
    from ...ingestion.requests import IngestRequest

_BATCH = 500
"""Sources that are looked up in the index together."""
_FREE_SPACE = (
    "Free disk space, ingest fewer documents, open a library on another disk, or turn the estimate off in the settings "
    "(`engine.care.disk_preflight`)"
)


@dataclass(frozen=True, kw_only=True)
class RunEstimate:
    """What a run over some sources would need.

    Attributes:
        new: number of sources that would be converted.
        known: number of sources that the library has already, as far as the asker may know (STO-5).
        bytes: size of the new ones.
        disk_needed: estimated bytes that the library grows by.
        room: free space of the library's disk; None if it cannot be read or is no matter, as in an object store.
    """

    new: int
    known: int
    bytes: int
    disk_needed: int
    room: DiskRoom | None

    @property
    def is_short(self) -> bool:
        """Whether the space above the disk's floor is too small.

        A run that needs less than the margin is never short: the work waits for space as it does during a run.
        """
        return self.room is not None and self.disk_needed > max(self.room.usable, self.room.margin)

    def __str__(self) -> str:
        text = (
            f"{_documents(self.new)} of {bytes_text(self.bytes)} to convert, {self.known} known before; "
            f"the library would grow by about {bytes_text(self.disk_needed)}"
        )
        if self.room is None:
            return text
        return f"{text}, and the disk has {bytes_text(self.room.usable)} above its reserve of {bytes_text(self.room.floor)}"


class DiskPreflight:
    """Estimates runs into one library.

    Args:
        index: the index of the library; None: there is no library yet.
        room: the free space of its disk; None if it cannot be read or is no matter.
        safe_to_purge: what a user could free immediately, as a sentence; or empty.
    """

    def __init__(
        self,
        index: Index | None,
        room: DiskRoom | None,
        *,
        safe_to_purge: Callable[[], str] = lambda: "",
    ) -> None:
        self._index = index
        self._room = room
        self._safe_to_purge = safe_to_purge

    @classmethod
    def of(cls, context: LibraryContext) -> Self:
        """The preflight of an open library. The disk of a library in an object store does not limit its runs."""
        room = None if context.artifacts.store.is_shared else context.engine.throttle.disk_room()
        return cls(context.index, room, safe_to_purge=context.engine.throttle.safe_to_purge)

    @classmethod
    def of_new(cls, folder: str, settings: CareSettings) -> Self:
        """The preflight of a library that does not exist yet, in the nearest folder that does."""
        place = Path(os.path.abspath(folder))
        while not place.exists():
            place = place.parent
        return cls(None, disk_room(settings, MachineProbe(place)))

    def estimate(
        self, sources: Iterable[SourcePath], *, corpus: str | None = None, reingest: bool = False
    ) -> RunEstimate:
        """Estimate a run. Known documents are found by size and hash, and do not count; nothing is stored.

        Args:
            sources: paths and URLs; no folders.
            corpus: the corpus that the documents would join, by name; only what it may know counts as known (STO-5).
            reingest: whether known documents are converted again.
        """
        need, known = DiskNeed(), 0
        for is_known, one in self._looked_up(sources, self._told_as(corpus)):
            known += is_known
            need += DiskNeed() if is_known and not reingest else one
        return self._estimate(need, known=known)

    def new_sources(
        self, sources: Iterable[SourcePath], *, corpus: str | None = None, reingest: bool = False
    ) -> Iterator[SourcePath]:
        """Yield the sources that a run would convert; arguments as for `estimate`."""
        first, second = tee(sources)
        for source, (is_known, _) in zip(first, self._looked_up(second, self._told_as(corpus)), strict=True):
            if reingest or not is_known:
                yield source

    def check(self, sources: Iterable[SourcePath], *, corpus: str | None = None, reingest: bool = False) -> int:
        """Refuse a run whose estimate does not fit the disk.

        The sizes of all files are added first. Only where they do not fit are known documents looked for.

        Args:
            sources: paths and URLs, iterated at most twice.
            corpus: as `estimate`.
            reingest: as `estimate`.

        Returns:
            The number of sources.

        Raises:
            StorageExhausted: the run needs more than the free space above the floor.
        """
        need = need_of_all(sources)
        if self._room is None or not self._estimate(need, known=0).is_short:
            return need.documents
        exact = self.estimate(sources, corpus=corpus, reingest=reingest)
        if exact.is_short:
            raise StorageExhausted(
                f"the run would need about {bytes_text(exact.disk_needed)} for {_documents(exact.new)}, and the disk has "
                f"{bytes_text(self._room.usable)} above its reserve of {bytes_text(self._room.floor)}; nothing was ingested",
                remedy="; ".join(filter(None, (self._safe_to_purge(), _FREE_SPACE))),
            )
        return need.documents

    def _estimate(self, need: DiskNeed, *, known: int) -> RunEstimate:
        return RunEstimate(new=need.documents, known=known, bytes=need.bytes, disk_needed=need.needed, room=self._room)

    def _looked_up(
        self, sources: Iterable[SourcePath], policy: PolicyContext | None
    ) -> Iterator[tuple[bool, DiskNeed]]:
        """For each source whether the asker has it already, and the space that it needs if not.

        A second copy of a file in the same run counts as known. Only files are hashed whose size another one has too.
        """
        seen = _SizesAndHashes(self._index.documents.sizes() if self._index is not None else frozenset())
        rest = iter(sources)
        while batch := list(islice(rest, _BATCH)):
            needs = [need_of(source) for source in batch]
            hashes = [seen.hash_of(source, one.bytes) for source, one in zip(batch, needs, strict=True)]
            known = self._known([one for one in hashes if one is not None], policy)
            for raw_hash, need in zip(hashes, needs, strict=True):
                yield raw_hash is not None and (seen.came(raw_hash) or raw_hash in known), need

    def _known(self, hashes: list[str], policy: PolicyContext | None) -> set[str]:
        if self._index is None:
            return set()
        found = self._index.documents.find_by_hash(hashes, policy=policy)
        return {one.raw_hash for one in found.values() if one.is_told and one.active_version is not None}

    def _told_as(self, corpus: str | None) -> PolicyContext | None:
        """The policy context that learns what is known; None: all that are not firewalled."""
        if corpus is None or self._index is None:
            return None
        policies = {record.name: record.policy for record in self._index.corpora.all()}
        return policies.get(corpus, CorpusSettings().policy)


def new_sources(context: LibraryContext, sources: object, options: IngestOptions) -> Iterator[SourcePath]:
    """Yield the sources that a run would convert; nothing is looked at before the first is asked for.

    Args:
        context: the library's parts.
        sources: as a caller gave them.
        options: options of the run.
    """
    files = files_beforehand(sources, library=context.path)
    yield from DiskPreflight.of(context).new_sources(files, corpus=options.corpus, reingest=options.reingest)


def check_cost(
    context: LibraryContext, sources: Iterable[SourcePath], options: IngestOptions, request: IngestRequest
) -> None:
    """Refuse a run that is estimated above the cost limit of its corpus, unless the user confirmed the cost.

    Args:
        context: the library's parts.
        sources: those that the run would convert; iterated once, where the corpus has a limit.
        options: options of the run.
        request: the request of the run.

    Raises:
        CostLimitReached: the run has not begun.
    """
    if cost_limit_of(request.corpus) is None or options.confirm_cost:
        return
    from .cost_forecast import check_forecast  # few runs have a limit

    check_forecast(context, sources, request)


class _SizesAndHashes:
    """Hashes files of equal size, and remembers which hashes came already.

    Args:
        sizes: sizes of the documents that the library has.
    """

    def __init__(self, sizes: frozenset[int]) -> None:
        self._sizes = sizes
        self._alone: dict[int, SourcePath] = {}
        self._came: set[str] = set()

    def hash_of(self, source: SourcePath, size: int) -> str | None:
        """The hash of a file; None if no other file has its size, or if it cannot be read."""
        if is_url(source):
            return None
        if size not in self._sizes:
            first = self._alone.setdefault(size, source)
            if first is source:
                return None
            first_hash = hash_file(first)
            if first_hash is not None:
                self._came.add(first_hash)
        return hash_file(source)

    def came(self, raw_hash: str) -> bool:
        """Whether a file with this hash came before; from now on, one did."""
        before = raw_hash in self._came
        self._came.add(raw_hash)
        return before


def _documents(count: int) -> str:
    return "1 document" if count == 1 else f"{count} documents"
