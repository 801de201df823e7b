"""Generates the reference page of the command line from the commands themselves."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import click
from octavo_contracts import REASONS, ExitCode

from ..app import COMMANDS, cli
from ..toolkit.running import PROGRAM

EXIT_CODES: dict[ExitCode, str] = {
    ExitCode.OK: "Success.",
    ExitCode.INTERNAL: "A bug in Octavo.",
    ExitCode.USAGE: "An unknown command, option, plugin, profile or document.",
    ExitCode.HARD_FAILURES: "The run finished, but a document failed; or a check of a library found problems.",
    ExitCode.DEGRADED: "`--fail-on` was given, and a document is degraded or a required field is not verified; a "
    "converted document has no text, or pages were not recognised; a new version lost pages or text and was not activated.",
    ExitCode.POLICY_REFUSED: "A policy forbids the operation.",
    ExitCode.TOOL_UNAVAILABLE: "A program, library or model is missing.",
    ExitCode.INTERRUPTED: "Ctrl-C, or the reader of the output closed the pipe.",
}
"""Meaning of each exit code, in ascending order."""

_JSON_HEADING = re.compile(r"^JSON:\n", re.MULTILINE)


class InstalledCommand(NamedTuple):
    """A command of another distribution, with the distribution's name."""

    command: click.Command
    distribution: str


def render(installed: Mapping[str, InstalledCommand] | None = None) -> str:
    """Render the page as markdown; the output depends only on the code, not on the terminal or the environment.

    Args:
        installed: commands of other distributions, by name; passed in, because installations differ.
    """
    added = dict(installed or {})
    parts = [
        "# Command line",
        _rewrapped(cli.help or ""),
        "\n".join(f"- [`{PROGRAM} {name}`](#{PROGRAM}-{name}): {says}" for name, says in _contents(added)),
        "Data on standard output (markdown, JSON) is UTF-8. A table in a pipe is ruled where it fits into 120 columns, or "
        "`COLUMNS` if that is more, and tab-separated where it does not: scripts read `--json`. Messages go to standard error, one or two lines each: the "
        "problem, the document, page and plugin, the reason code in brackets, and the remedy. Colours appear on "
        "a terminal only, and not if `NO_COLOR` is set.",
    ]
    with click.Context(cli, info_name=PROGRAM, **cli.context_settings) as parent:
        parts.append(_options(cli, parent))
        for name in COMMANDS:
            command = cli.get_command(parent, name)
            assert command is not None  # the name comes from the table
            parts.extend(_command(name, command, parent))
        for name, one in added.items():
            parts.extend(_command(name, one.command, parent))
    parts.extend(_exit_codes())
    return "\n\n".join(part for part in parts if part) + "\n"


def _contents(installed: Mapping[str, InstalledCommand]) -> Iterator[tuple[str, str]]:
    """Yield each command with its help line, and its distribution if that is not the core."""
    for name, entry in COMMANDS.items():
        yield name, entry.help
    for name, one in installed.items():
        yield name, f"{one.command.get_short_help_str(limit=200)} (`{one.distribution}`)"


def _command(name: str, command: click.Command, parent: click.Context) -> list[str]:
    with click.Context(command, info_name=name, parent=parent, **command.context_settings) as context:
        parts = _section(command, context, f"## {PROGRAM} {name}")
        if isinstance(command, click.Group):
            for word, inner in sorted(command.commands.items()):
                with click.Context(inner, info_name=word, parent=context, **inner.context_settings) as below:
                    parts += _section(inner, below, f"### {PROGRAM} {name} {word}")
        return [*parts, _json_keys(command)]


def _section(command: click.Command, context: click.Context, heading: str) -> list[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    line = f"{heading.lstrip('# ')} {usage}"
    return [heading, f"```\n{line}\n```", _rewrapped(command.help or ""), _options(command, context)]


def _options(command: click.Command, context: click.Context) -> str:
    rows = ["| option | meaning |", "|---|---|"]
    for parameter in command.get_params(context):
        # Arguments are explained in the command's text; newer versions of click would list them here, empty.
        record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
        if record is not None:
            names, meaning = (" ".join(text.split()).replace("|", "\\|") for text in record)
            rows.append(f"| `{names}` | {meaning} |")
    return "\n".join(rows)


def _json_keys(command: click.Command) -> str:
    """Return the description of a command's JSON output from its module's docstring."""
    documentation = inspect.cleandoc(getattr(inspect.getmodule(command.callback), "__doc__", None) or "")
    parts = _JSON_HEADING.split(documentation, maxsplit=1)
    return f"### JSON\n\n{inspect.cleandoc(parts[1])}" if len(parts) == 2 else ""


def _exit_codes() -> list[str]:
    codes = ["| code | when |", "|---|---|"]
    codes += [f"| {code.value} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    reasons = ["| reason | code | tried again |", "|---|---|---|"]
    reasons += [f"| `{reason}` | {int(row.exit_code)} | {row.retry} |" for reason, row in sorted(REASONS.items())]
    return [
        "## Exit codes",
        "\n".join(codes),
        "If several apply, the first of these is returned: 130, 1, 2, 3, 5, 6, 4, 0.",
        "### Reasons",
        "\n".join(reasons),
    ]


def _rewrapped(text: str) -> str:
    """Put each paragraph of a help text on one line."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


if __name__ == "__main__":
    sys.stdout.write(render())
