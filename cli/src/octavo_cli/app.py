"""The group of all commands. Importing it imports nothing heavier than click."""

from __future__ import annotations

import click
from octavo._version import __version__

from .command_groups import ALIASES, EPILOGUE, GROUPS, QUIETLY
from .toolkit.lazy import Entry, LazyGroup
from .toolkit.options import DEBUG_OPTION

COMMANDS: dict[str, Entry] = {
    "convert": Entry("convert", "Convert documents to markdown, text, HTML, JSON or chunks; nothing is stored."),
    "settings": Entry("installation.settings", "Show every setting and the origin of its value."),
    "plugins": Entry(
        "installation.plugins", "List the installed plugins and features, and the problems of those that fail."
    ),
    "doctor": Entry("installation.doctor", "Check the installation and report what is missing."),
    "schema": Entry("installation.schema", "Print the JSON Schemas of Octavo's results."),
    "help": Entry("installation.help", "Explain a command, or list all of them."),
    "completion": Entry("installation.completion", "Print the script that completes octavo commands in a shell."),
}
"""Octavo's own commands: name → module and one line of help. Features add others."""


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    aliases=ALIASES,
    groups=GROUPS,
    quietly=QUIETLY,
    epilog=EPILOGUE,
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
)
@click.version_option(__version__, "-V", "--version", prog_name="octavo", message="%(prog)s %(version)s")
def cli() -> None:
    """Turn documents into text that can be trusted.

    Try: octavo convert report.pdf, or octavo convert papers -d out
    """


cli.params.append(DEBUG_OPTION)
