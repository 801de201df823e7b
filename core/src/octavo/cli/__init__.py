"""The command line: `octavo`.

One module a command. Starting it imports click at most: contracts, database and plugins are imported by the command
that needs them, when it runs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec

__all__ = ["main"]

_TOOL_UNAVAILABLE = 6
"""`octavo_contracts.ExitCode.TOOL_UNAVAILABLE`, which is not imported here; a test compares."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code.

    Args:
        arguments: what stands after the program's name; by default `sys.argv[1:]`.

    Returns:
        A value of `octavo_contracts.ExitCode`.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--version"]:
        # Scripts ask this often; importing click would make the answer five times slower.
        from .._version import __version__

        try:
            print(f"octavo {__version__}", flush=True)  # noqa: T201 - printing is what a command line does
        except OSError:
            pass  # below, the same is tried with all that it takes to report it
        else:
            return 0
    if find_spec("click") is None or find_spec("rich") is None:
        message = "octavo: the command line needs click and rich, which are not installed [tool_unavailable]\n"
        sys.stderr.write(message + "  Run: pip install 'octavo[cli]'\n")
        return _TOOL_UNAVAILABLE
    from .app import cli
    from .toolkit.running import run

    return run(cli, given)
