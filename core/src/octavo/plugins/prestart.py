"""Starts worker processes before the host has imported anything large."""

from __future__ import annotations

import sys

WORKER_MODULES = (
    "octavo_contracts",
    "octavo.plugins.worker",
    "octavo.builtins.classification.inspector",
    "octavo.plugins.models",
)
"""Modules that every worker imports at start: core and contracts, never a plugin or an engine."""

CALL_MODULES = ("octavo_contracts.authoring", "octavo_text.completion", "markdown_it", "email.parser")
"""Modules that most calls of plugins need, and the inspection before them does not."""


def start_workers_ahead() -> None:
    """Prepare workers in the background, for a host that is about to convert.

    Host and workers import the same large modules; started here, they import them in parallel.
    """
    if sys.platform != "linux" or "octavo.runtime" in sys.modules:
        return
    from octavo_sandbox.forkserver_client import start_ahead
    from octavo_sandbox.spawn import import_paths

    start_ahead(import_paths=import_paths(()), modules=WORKER_MODULES, idle_modules=CALL_MODULES)
