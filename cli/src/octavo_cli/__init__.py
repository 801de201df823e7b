"""The command line: `octavo`.

Each command has its own module. Starting the command line imports at most click: contracts, database and plugins are
imported by the command that needs them, when it runs.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code.

    Args:
        arguments: the arguments after the program's name; by default `sys.argv[1:]`.

    Returns:
        A value of `octavo_contracts.ExitCode`.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--version"]:
        # Scripts call this often; importing click would make it five times slower.
        from octavo._version import __version__

        try:
            print(f"octavo {__version__}", flush=True)  # noqa: T201 - printing is what a command line does
        except OSError:
            pass  # the code below tries again, with error reporting
        else:
            return 0
    # Imports and models make many objects that stay: looking for garbage among them takes 4 % of a short command.
    gc.set_threshold(50_000, 20, 20)
    from .app import cli
    from .toolkit import immediate_exit
    from .toolkit.running import run

    code = run(cli, given)
    if arguments is None:
        immediate_exit.end_process(code)
    return code
