"""The list of commands as `octavo --help` shows it: in groups, in the order in which people need them."""

from __future__ import annotations

from .toolkit.command_list import CommandGroup, CommandRow

ALIASES = {
    "add": "ingest",
    "check": "doctor",
    "delete": "purge",
    "engines": "plugins",
    "extract": "fields",
}
"""Another name of a command → the command. A command that is installed under the name goes first."""

GROUPS = (
    CommandGroup("Convert", (CommandRow("convert"), CommandRow("ocr"), CommandRow("compare"))),
    CommandGroup(
        "Keep a library",
        (
            CommandRow("add", also=("ingest",)),
            CommandRow("watch"),
            CommandRow("list"),
            CommandRow("show", also=("type", "metadata", "mark")),
            CommandRow("search"),
            CommandRow("export"),
            CommandRow("delete", also=("purge",)),
            CommandRow("retry", also=("runs",)),
            CommandRow("reconvert", also=("activate", "accept")),
        ),
    ),
    CommandGroup(
        "Work with the text",
        (
            CommandRow("brief"),
            CommandRow("digest", also=("verify",)),
            CommandRow("fields", also=("extract",)),
            CommandRow("entities"),
        ),
    ),
    CommandGroup(
        "Administer",
        (
            CommandRow("corpus", also=("remove",)),
            CommandRow("engines", also=("plugins", "routing")),
            CommandRow("settings"),
            CommandRow("check", also=("doctor", "verify-store", "repair", "check-paths", "relink")),
        ),
    ),
)
"""Rows whose command is not installed are left out; commands that no row names follow in sections of their own."""

QUIETLY = frozenset({"schema", "completion", "help"})
"""Commands for programs, which only `octavo help --all` lists."""
EPILOGUE = (
    "-q, -v, --json and --library DIR work wherever they mean something. `octavo help COMMAND` explains one command; "
    "`octavo help --all` lists all."
)
