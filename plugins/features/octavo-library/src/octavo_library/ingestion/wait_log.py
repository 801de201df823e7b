"""Logs for which processes a run waits: it would otherwise look like one that hangs (ENG-22)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime

from .engine import Engine

_log = logging.getLogger("octavo.ingestion")


class WaitLog:
    """Logs one line for each process whose documents a run waits for.

    Args:
        engine: the engine of the run.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
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
            _log.warning("%s in work at %s", documents, self._described(owner))

    def _described(self, owner: str) -> str:
        """The process, and how long the run waits for it at most."""
        index = self._engine.index
        found = next((one for one in index.hosts.all() if one.owner == owner), None)
        if found is None:  # its files tell whether it is alive
            return "another process; waiting for them"
        now, seen = (datetime.fromisoformat(at) for at in (index.now(), found.seen_at))
        silent = max(0, round((now - seen).total_seconds()))
        left = max(0, round(self._engine.context.runtime.settings.objects.lease_seconds) - silent)
        return (
            f"process {found.pid} on {found.host}, last seen {silent} s ago; waiting for them, "
            f"for at most {left} s if that process has died"
        )
