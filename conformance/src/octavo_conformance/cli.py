"""`octavo conformance`: runs the suite, explains checks, validates documents, tests the suite itself.

Exit codes: 0 all as expected, 2 an unknown name or invalid JSON, 3 failures or worse figures than before, 6 the plugin is installed but unusable.

JSON:

`octavo conformance run`: the report, whose schema `octavo conformance schema` prints: `report_version`, `suite`, `contract`,
`plugin`, `plugin_contract`, `plugin_version`, `engine`, `level`, `hooks`, `families`, `python`, `system`, `ok`, `totals`,
`badge`, `seed`, `seconds`, `newer`, and `outcomes`, each with `check`, `rule`, `level`, `vector`, `status`, `reason`,
`expected`, `actual`, `spec`, `fix`, `seconds`. With --against also `comparison`, with `better` and `worse`, lists of sentences.

`octavo conformance list`: `checks`, each with `id`, `family`, `level`, `scope`, `rule`, `for`, `requires`, `spec`, `since`,
`fix`, and `vectors`, each with `path`, `media_type`, `about`, `licence`.

`octavo conformance validate`: `ok` and `documents`, each with `name`, `ok`, `outcomes`.

`octavo conformance mutants`: `checks`, `mutants`, `survivors`, `unkilled`.

`octavo conformance matrix`: `supports`, one row for each plugin.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.output import add_row, make_table, write_json, write_line, write_table
from octavo_cli.toolkit.running import octavo_command
from octavo_contracts import ExitCode, UsageError

from .validate_command import validate

if TYPE_CHECKING:
    from .report import Report
    from .vectors import GoldenVector

REPORT_FILES = ("report.json", "junit.xml", "badge.txt")
"""Files that `--report` writes; the first one identifies the others as parts of a report."""

JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")


@click.group(name="conformance", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Test plugins, results and digests against the contract."""


@octavo_command(name="run", short_help="Run the suite over an installed plugin.")
@click.argument("name")
@click.option("--level", type=click.IntRange(0, 3), default=2, show_default=True, help="Run checks up to this level.")
@click.option(
    "--vectors",
    metavar="LIST|DIR",
    default="",
    help="Families or paths of vectors, separated by commas: pdf,docx. A folder adds your own documents.",
)
@click.option("--check", "checks", metavar="ID", multiple=True, help="Run only this check and its prerequisites.")
@click.option("--expectations", type=click.Path(dir_okay=False, path_type=Path), help="File with the known failures.")
@click.option(
    "--report",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write report.json, junit.xml and badge.txt here.",
)
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), help="Write the report to this file, as JSON.")
@click.option(
    "--against",
    metavar="VERSION|FILE",
    help="Compare with a saved report, a support matrix, or conformance-reports/VERSION.json.",
)
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Seed of the fresh documents, as a report names it.")
@JSON
def run(
    name: str,
    level: int,
    vectors: str,
    checks: Sequence[str],
    expectations: Path | None,
    folder: Path | None,
    save: Path | None,
    against: str | None,
    seed: int | None,
    as_json: bool,
) -> ExitCode:
    """Run the suite over an installed plugin.

    Levels: 0 it loads, 1 it answers, 2 it behaves, 3 it is correct. The suite also tests that the plugin refuses whatever its
    manifest does not declare. Known failures are listed in `octavo-conformance.toml`, in the current folder or beside the
    plugin's project. The exit code is 0 if all is as expected, 3 if a check failed or --against found something worse, 6 if the
    plugin is installed but unusable.
    """
    from .comparison import check_comparable, compare, read_figures
    from .kit import run_plugin
    from .vector_selection import select

    before = read_figures(against, plugin=name) if against is not None else None
    if before is not None:
        check_comparable(before, level=level, is_whole=not (vectors or checks))
    if save is not None:
        _check_saved(save)
    if folder is not None:
        _check_report_folder(folder)
    selection = select(name, level=level, vectors=vectors, checks=checks)
    if seed is not None:
        selection = replace(selection, seed=seed)
    found = run_plugin(name, selection=selection, expectations=expectations)
    if folder is not None:
        _write_report(found, folder)
    if save is not None:
        save.parent.mkdir(parents=True, exist_ok=True)
        save.write_text(found.to_json(indent=2) + "\n", encoding="utf-8")
    change = compare(before, found) if before is not None else None
    if as_json:
        write_json(found if change is None else {**json.loads(found.to_json()), "comparison": asdict(change)})
    else:
        _print_report(found)
        for line in change.lines(str(against)) if change is not None else ():
            write_line(line)
    return ExitCode.OK if found.ok and not (change and change.worse) else ExitCode.HARD_FAILURES


def _check_report_folder(folder: Path) -> None:
    """Raise if a report would replace a file that is not part of a report: `report.json` is a common name."""
    from .report import Report

    taken = [name for name in REPORT_FILES if os.path.lexists(folder / name)]
    if not taken:
        return
    try:
        Report.read((folder / REPORT_FILES[0]).read_bytes())
    except (OSError, ValueError):
        raise UsageError(
            f"{folder / taken[0]} exists, and the folder has no report", remedy="Name another folder"
        ) from None


def _check_saved(file: Path) -> None:
    """Raise if `--save` would replace a file that is not a report."""
    from .report import Report

    try:
        if os.path.lexists(file):
            Report.read(file.read_bytes())
    except (OSError, ValueError):
        raise UsageError(f"{file} exists and is not a report", remedy="Name another file") from None


def _write_report(found: Report, folder: Path) -> None:
    from .report import junit_xml

    folder.mkdir(parents=True, exist_ok=True)
    (folder / REPORT_FILES[0]).write_text(found.to_json(indent=2) + "\n", encoding="utf-8")
    (folder / REPORT_FILES[1]).write_text(junit_xml(found), encoding="utf-8")
    if found.badge:
        (folder / REPORT_FILES[2]).write_text(found.badge + "\n", encoding="utf-8")


def _print_report(found: Report) -> None:
    """Print the table of checks, then the failures, so that these are the last lines on the screen."""
    from .report import failures_of, missed_text, table_rows, unproven

    table = make_table("Check", "#Level", "#Passed", "Others", "Rule")
    for row in table_rows(found):
        add_row(table, row)
    write_table(table)
    for text in failures_of(found):
        write_line("\n" + text)
    write_line("\n" + ", ".join(f"{count} {status}" for status, count in found.totals.items() if count))
    for check, why in unproven(found).items():
        write_line(f"unproven: {check}: {why}")
    if found.newer:
        write_line(f"not run, because the plugin is for contract {found.plugin_contract}: {', '.join(found.newer)}")
    if missed := missed_text(found):
        write_line(missed)
    if found.badge:
        write_line(found.badge)


@octavo_command(name="list", short_help="List every check and every vector.")
@JSON
def list_checks(as_json: bool) -> None:
    """List every check and every vector."""
    from . import families as _families  # noqa: F401 - importing it fills the registry
    from .checks import REGISTRY
    from .vectors.stored import load_golden

    checks = [
        {
            "id": check.id,
            "family": check.family,
            "level": check.level,
            "scope": check.scope,
            "rule": check.rule,
            "for": str(check.gate),
            "requires": list(check.requires),
            "spec": list(check.spec),
            "since": check.since,
            "fix": list(check.fix),
        }
        for check in REGISTRY
    ]
    vectors = [
        {"path": v.path, "media_type": v.media_type, "about": v.about, "licence": v.licence} for v in load_golden()
    ]
    if as_json:
        write_json({"checks": checks, "vectors": vectors})
        return
    table = make_table("Check", "#Level", "For", "Rule")
    for check in REGISTRY:
        add_row(table, (check.id, str(check.level), str(check.gate), check.rule))
    write_table(table)
    write_line()
    table = make_table("Vector", "About")
    for vector in vectors:
        add_row(table, (vector["path"], vector["about"]))
    write_table(table)


@octavo_command(name="vectors", short_help="Write the documents that the checks use.")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--seed", type=click.IntRange(0), default=0, metavar="N", help="Seed of the fresh documents, as a report names it."
)
@click.option("--plugin", metavar="NAME", help="Also write the documents with what the code of this plugin names.")
def write_vectors(folder: Path, seed: int, plugin: str | None) -> None:
    """Write the documents that the checks use, so that you can open the one that a failure names.

    They are golden, hostile and fresh documents, each at the path that reports use. Beside each golden and fresh document,
    a `.words` file has its words, one line for each page.
    """
    from .vectors.folder import write_folder

    sought: list[GoldenVector] = []
    if plugin is not None:
        from .families.sought import sought_vectors
        from .subject_lookup import find_subject

        with find_subject(plugin) as subject:
            subject.seed = seed
            sought = sought_vectors(subject)
    written = write_folder(folder, seed=seed, sought=sought)
    write_line(f"wrote {written} documents below {folder}")


@octavo_command(name="verdicts", short_help="Write results and digests with their verdicts.")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def write_verdict_vectors(folder: Path) -> None:
    """Write results, digests and locators as JSON, each with its verdict, to test a host in any language.

    FOLDER gets the vectors in `v1`, the JSON Schemas in `schema`, and an example checker in JavaScript, `check.mjs`.
    """
    from .verdicts import write_verdicts

    written = write_verdicts(folder)
    write_line(f"wrote {len(written)} files below {folder}")


@octavo_command(name="explain", short_help="Explain a check or requirement.")
@click.argument("name", metavar="ID")
def explain(name: str) -> None:
    """Explain a check: its rule, the plugins it applies to, and how to repair a failure. Or list a requirement's checks.

    ID is the id of a check, such as OC-SPAN-002, or of a requirement, such as CNV-12.
    """
    from . import families as _families  # noqa: F401 - importing it fills the registry
    from .checks import REGISTRY
    from .report import explain as explained
    from .report import explain_requirement
    from .requirements import REQUIREMENTS

    known = name.upper()
    if known in REQUIREMENTS:
        write_line(explain_requirement(known))
    elif known in REGISTRY:
        write_line(explained(REGISTRY[known]))
    else:
        raise UsageError(f"no check {name!r}", remedy="Run `octavo conformance list`")


@octavo_command(name="init", short_help="Write a plugin's test and expectations file.")
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="The plugin's project; default: the current folder.",
)
def init(name: str, folder: Path) -> None:
    """Write a five-line test and a file for known failures for a plugin."""
    from .init import write_files

    for path in write_files(name, folder):
        write_line(f"wrote {path}")
    write_line(f"Next: octavo conformance run {name}")


@octavo_command(name="mutants", short_help="Test the suite itself.")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Seed of the fresh documents; default: a new one.")
@JSON
def mutants(seed: int | None, as_json: bool) -> ExitCode:
    """Test the suite itself: each mutant violates one rule; the check of that rule must fail, and no other check may."""
    from .mutants import run_matrix

    matrix = run_matrix(seed=seed)
    told: dict[str, Any] = {
        "checks": matrix.checks,
        "mutants": len(matrix.verdicts),
        "survivors": matrix.survivors,
        "unkilled": matrix.unkilled,
    }
    if as_json:
        write_json(told)
    else:
        for verdict in matrix.verdicts:
            if not verdict.ok:
                write_line(f"{verdict.mutant}: killed {verdict.killed}, strays {', '.join(verdict.strays) or 'none'}")
        write_line(f"{told['checks']} checks, {told['mutants']} mutants, {len(matrix.survivors)} survivors")
    good = not (matrix.survivors or matrix.unkilled or matrix.references)
    return ExitCode.OK if good else ExitCode.HARD_FAILURES


@octavo_command(name="matrix", short_help="Build the support matrix from reports.")
@click.argument("reports", nargs=-1, required=True, type=click.Path(path_type=Path))
@JSON
def matrix(reports: Sequence[Path], as_json: bool) -> None:
    """Build the support matrix from reports, as markdown.

    REPORTS are files written by `octavo conformance run --report`, or folders that contain such files.
    """
    from .support import read_supports, support_tables

    supports = read_supports(reports)
    if as_json:
        write_json({"supports": [json.loads(one.to_json()) for one in supports]})
    else:
        write_line(support_tables(supports))


@octavo_command(name="schema", short_help="Print the JSON Schema of a report.")
def schema() -> None:
    """Print the JSON Schema of a report, as `octavo conformance run --json` writes it."""
    from .report import report_schema

    write_json(report_schema())


for _command in (
    run,
    list_checks,
    write_vectors,
    write_verdict_vectors,
    explain,
    init,
    mutants,
    validate,
    matrix,
    schema,
):
    command.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of the separate program with the same commands: `octavo-conformance run NAME`."""
    from octavo_cli import main as octavo

    return octavo(["conformance", *(sys.argv[1:] if arguments is None else arguments)])
