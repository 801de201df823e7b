"""One line of help for each command, for `octavo --help`."""

from __future__ import annotations

HELP = {
    "plugin": "Begin the project of a new plugin.",
    "conformance": "Test plugins, results and digests against the contract.",
}
