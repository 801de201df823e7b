"""What can begin before the host has imported anything large: the process that workers are forked from."""

from __future__ import annotations

import sys

WORKER_MODULES = (
    "octavo_contracts",
    "octavo.plugins.worker",
    "octavo.builtins.classification.inspector",
    "octavo.plugins.models",
)
"""What every worker has imported when it starts: of the core and the contracts, never a plugin nor an engine."""


def start_workers_ahead() -> None:
    """Have workers made ready in the background, for a host that is about to convert.

    The host and the workers import the same large things. Begun here, they do so at the same time.
    """
    if sys.platform != "linux" or "octavo.runtime" in sys.modules:
        return
    from octavo_sandbox.forkserver_client import start_ahead
    from octavo_sandbox.spawn import import_paths

    start_ahead(import_paths=import_paths(()), modules=WORKER_MODULES)
