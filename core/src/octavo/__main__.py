"""Runs the command `octavo` as `python -m octavo`, if the distribution `octavo-cli` is installed."""

import sys
from importlib import import_module
from importlib.util import find_spec

_TOOL_UNAVAILABLE = 6
"""`octavo_contracts.ExitCode.TOOL_UNAVAILABLE`, not imported here to start fast; a test compares the two."""

if find_spec("octavo_cli") is None:
    sys.stderr.write("octavo: the command line is not installed [tool_unavailable]\n  Run: pip install 'octavo[cli]'\n")
    raise SystemExit(_TOOL_UNAVAILABLE)
raise SystemExit(import_module("octavo_cli").main())
