"""Logs for which processes a run waits: it would otherwise look like one that hangs (ENG-22)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from ..storage import Index

if TYPE_CHECKING:
    from .engine import Engine

_log = logging.getLogger("octavo.ingestion")


class WaitLog:
    """Logs one line for each process whose documents a run waits for.

    Args:
        engine: the engine of the run.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lease_seconds = engine.context.runtime.settings.objects.lease_seconds
        self._told: set[str] = set()

    def tell(self, busy: Mapping[str, int]) -> None:
        """Log the processes that were not named yet.

        Args:
            busy: owner → number of its documents that the run waits for.
        """
        new = {owner: number for owner, number in busy.items() if owner not in self._told}
        self._told.update(new)
        for owner, number in new.items():
            documents = "1 document is" if number == 1 else f"{number} documents are"
            shown = shown_process(self._engine.index, owner, self._lease_seconds)
            _log.warning("%s in work at %s; waiting for them", documents, shown)


def shown_process(index: Index, owner: str, lease_seconds: float) -> str:
    """A process for messages, and when its documents are free at the latest if it has died.

    Args:
        index: the library's index.
        owner: the process.
        lease_seconds: how long a process counts as alive without a sign.
    """
    found = next((one for one in index.hosts.all() if one.owner == owner), None)
    if found is None:  # its files tell whether it is alive
        return "another process"
    now, seen = (datetime.fromisoformat(at) for at in (index.now(), found.seen_at))
    silent = max(0, round((now - seen).total_seconds()))
    left = max(0, round(lease_seconds) - silent)
    return f"process {found.pid} on {found.host}, last seen {silent} s ago (if it died, they are free in {left} s)"
