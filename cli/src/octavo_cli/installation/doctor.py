"""`octavo doctor`: check the installation and report what is missing.

JSON:
    `--json` prints one object:

    - `ok`: whether at least one plugin is installed, nothing is missing, no setting names missing weights,
      workers start, and the servers of the library can be used.
    - `versions`: `octavo`, `octavo_contracts`, `contract`, `python`, `platform`, `encoding`.
    - `plugins`: a list of `name`, `version`, `engine` (its distribution, or null for the standard library),
      `installed`, `expected` (the supported versions), `programs` (that it starts: `command`, and `path` or null),
      `problems`, `fixes` (commands), `ms` (duration of the check).
    - `failures`: a list of plugins that cannot be used: `name`, `stage`, `message`, `remedy`.
    - `sandbox`: `level`, `missing` (why it is not higher), `error` (why no worker starts, or null).
    - `search`: `method` (`fts`, by words only; `hybrid`, by words and meanings), `problems` (why meanings are not
      compared; these do not count as missing).
    - `weights`: for each installed plugin that needs weights: `plugin`, `setting` (that sets their path; null if they
      come from packages only), `path` (or null), `found`, `problem` (a sentence; empty if they are found).
    - `disk`: `library`, `exists`, `free_bytes`, `library_bytes`, `index` (host and database of an index on a server; null for
      the library's own file). Of a library at a URL, `exists` and `library_bytes` are null.
    - `servers`: the object store and the database of the library, a list of `name`, `place`, `finding`, `problem` (why the
      server cannot be used, or null), `remedy`; empty for a library in a folder with its own index.
    - `unread`: the formats that nothing installed reads, a list of `name`, `extensions`, `install` (distributions that read
      it); nothing is missing for that.

    `--bug-report` prints only the facts that name no document, folder or person.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ..toolkit.options import json_option, library_option
from ..toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo_contracts import ExitCode

_MOST_NAMES = 3
"""Formats that are named before a command that reads them."""


@octavo_command(name="doctor")
@library_option
@json_option
@click.option("--bug-report", is_flag=True, help="Print the facts for a bug report, without content, names or paths.")
def command(library: str, as_json: bool, bug_report: bool) -> ExitCode:
    """Check the installation and report what is missing.

    Of a library on servers, the object store and the database are tried: credentials, bucket, conditional writes, rights,
    schema. The exit code is 6 if a plugin or the sandbox lacks something, or a server cannot be used. No engine is imported.
    """
    from octavo.plugins import load_catalogue
    from octavo_contracts import ExitCode

    from ..toolkit.configured import settings
    from ..toolkit.output import write_json
    from .diagnostics import bug_report as without_names
    from .diagnostics import examine

    known = settings()
    facts = examine(load_catalogue(known.plugins), library=library, settings=known)
    if bug_report:
        write_json(without_names(facts))
    elif as_json:
        write_json(facts)
    else:
        _write(facts)
    return ExitCode.OK if facts["ok"] else ExitCode.TOOL_UNAVAILABLE


def _told_once(problems: Sequence[str]) -> list[str]:
    """The problems, with a command that mends several of them at the last one only."""
    parts = [problem.partition(". Run: ") for problem in problems]
    commands = [command for _, _, command in parts]
    return [
        said if command and command in commands[place + 1 :] else f"{said}{run}{command}"
        for place, (said, run, command) in enumerate(parts)
    ]


def _write(facts: dict[str, Any]) -> None:
    from ..toolkit.output import clean, write_line
    from ..toolkit.remedies import remedy_text

    versions = facts["versions"]
    write_line(f"octavo {versions['octavo']}, contract {versions['contract']}")
    write_line(f"{versions['python']} on {versions['platform']}, file names in {versions['encoding']}")
    sandbox = facts["sandbox"]
    write_line(f"\nSandbox: {sandbox['level']}")
    for reason in [*sandbox["missing"], *([sandbox["error"]] if sandbox["error"] else [])]:
        write_line(f"  {clean(reason)}")
    how = "words and meanings" if facts["search"]["method"] == "hybrid" else "words only"
    write_line(f"Search: by {how}")
    for problem in _told_once(facts["search"]["problems"]):
        write_line(f"  {remedy_text(problem)}")
    _write_weights(facts["weights"])
    _write_plugins(facts)
    _write_unread(facts["unread"])
    _write_library(facts)
    if facts["ok"]:
        write_line(
            "\nThe installed plugins have their engines and programs. The language data of OCR is not checked: octavo ocr "
            "names the data that a page needs and how to install it"
        )
        write_line("To check that every plugin loads, run: octavo plugins --check")
    else:
        write_line("\nSomething is missing; see above")


def _write_library(facts: dict[str, Any]) -> None:
    """The library, its index and its servers: after the plugins, whose list may be long."""
    from ..toolkit.output import clean, size_text, write_line

    disk = facts["disk"]
    free = f"{size_text(disk['free_bytes'])} free"
    if disk["exists"] is None:
        write_line(f"\nLibrary: {clean(disk['library'])}; {free} on this machine")
    else:
        size = size_text(disk["library_bytes"]) if disk["exists"] else "not created yet"
        write_line(f"\nLibrary: {clean(disk['library'])}, {size}; {free}")
    if disk["index"] is not None:
        write_line(f"Index: on the PostgreSQL server {clean(disk['index'])}")
    _write_servers(facts["servers"])


def _write_servers(servers: list[dict[str, Any]]) -> None:
    from ..toolkit.output import clean, write_line
    from ..toolkit.remedies import remedy_text

    for item in servers:
        write_line(f"  {clean(item['name'])}: {clean(item['problem'] or item['finding'])}")
        if item["problem"] and item["remedy"]:
            write_line(f"    {remedy_text(item['remedy'])}")


def _write_weights(weights: list[dict[str, Any]]) -> None:
    from ..toolkit.output import clean, write_line

    if weights:
        write_line("Weights:")
    for item in weights:
        setting = f" ({item['setting']})" if item["setting"] else ""
        state = f"{item['path'] or 'found'}{setting}" if item["found"] else f"not found: {item['problem']}"
        write_line(f"  {item['plugin']}: {clean(state)}")


def _write_unread(unread: list[dict[str, Any]]) -> None:
    from ..toolkit.output import add_row, make_table, write_line, write_table
    from .unread_formats import UnreadFormat, install_all, install_groups

    if not unread:
        return
    write_line("\nFormats that nothing installed reads:")
    table = make_table("Format", "Files", "Read by")
    for item in unread:
        add_row(table, (item["name"], " ".join(item["extensions"]), ", ".join(item["install"])))
    write_table(table)
    formats = [UnreadFormat(name=one["name"], extensions=(), install=tuple(one["install"])) for one in unread]
    write_line()
    groups = install_groups(formats)
    for command, names in groups.items() if len(groups) > 1 else ():
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        write_line(f"To read {', '.join(names[:_MOST_NAMES])}{more}: {command}")
    command, programs = install_all(formats)
    write_line(f"To read them all: {command}")
    if programs:
        write_line(f"  with the programs {' and '.join(programs)}, which are not on PATH")


def _write_plugins(facts: dict[str, Any]) -> None:
    from ..toolkit.output import add_row, clean, make_table, write_line, write_table
    from ..toolkit.remedies import remedy_text

    write_line()
    if not facts["plugins"]:
        write_line("No plugin is installed; octavo needs one for each format")
        write_line(f"  {remedy_text('Run: pip install octavo-plaintext octavo-pdfium')}")
    else:
        table = make_table("Plugin", "Version", "Engine", "Installed", "Expected", "State")
        for item in facts["plugins"]:
            cells = (
                item["name"],
                item["version"],
                item["engine"] or ", ".join(one["command"] for one in item["programs"]) or "Python",
                item["installed"] or ", ".join(clean(one["path"] or "") for one in item["programs"]),
                item["expected"],
                "; ".join(item["problems"]) or "ok",
            )
            add_row(table, cells, style="red" if item["problems"] else None)
        write_table(table)
    for item in facts["plugins"]:
        for problem, fix in zip(item["problems"], item["fixes"], strict=True):
            write_line(f"\n{item['name']}: {clean(problem)}\n  {remedy_text(f'Run: {fix}')}")
    for failure in facts["failures"]:
        write_line(f"\n{clean(failure['name'])} ({failure['stage']}): {clean(failure['message'])}")
        write_line(f"  {remedy_text(failure['remedy'])}")
