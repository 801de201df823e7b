"""The context of a hook call: the work folder, the deadline, the network and the options of the plugin."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

if TYPE_CHECKING:
    from .services import Fetcher


@dataclass(frozen=True, kw_only=True)
class HookContext:
    """Resources that a hook may use while it runs.

    Attributes:
        work_dir: a private, empty folder; the only place a hook may write; removed after the call.
        deadline: `time.monotonic()` at which the process is killed.
        fetch: guarded network access, for plugins with the capability `network`; else None.
        options: options of the plugin, see `PluginManifest.options`: those of the user, and the defaults of the others.
    """

    work_dir: Path
    deadline: float
    fetch: Fetcher | None = None
    options: Mapping[str, JsonValue] = field(default_factory=dict)

    def remaining(self) -> float:
        """Seconds until the deadline; 0 when it has passed."""
        return max(0.0, self.deadline - time.monotonic())
