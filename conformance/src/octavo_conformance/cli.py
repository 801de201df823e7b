"""`octavo conformance`: run the suite, explain a check, validate a document, test the suite itself.

Exit codes: 0 all as expected, 2 an unknown name or no JSON, 3 failures, 6 a plugin that is installed and not usable.

JSON:

`octavo conformance run`: the report, whose schema `octavo conformance schema` prints: `report_version`, `suite`, `contract`,
`plugin`, `plugin_contract`, `plugin_version`, `engine`, `level`, `hooks`, `families`, `python`, `system`, `ok`, `totals`,
`badge`, `seed`, `seconds`, `newer`, and `outcomes`, each with `check`, `rule`, `level`, `vector`, `status`, `reason`,
`expected`, `actual`, `spec`, `fix`, `seconds`.

`octavo conformance list`: `checks`, each with `id`, `family`, `level`, `scope`, `rule`, `for`, `requires`, `spec`, `since`,
`fix`, and `vectors`, each with `path`, `media_type`, `about`, `licence`.

`octavo conformance validate`: `ok` and `documents`, each with `name`, `ok`, `outcomes`.

`octavo conformance mutants`: `checks`, `mutants`, `survivors`, `unkilled`.

`octavo conformance matrix`: `supports`, a row a plugin.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from octavo.cli.toolkit.output import add_row, make_table, write_json, write_line, write_table
from octavo.cli.toolkit.running import octavo_command
from octavo_contracts import ExitCode, UsageError

if TYPE_CHECKING:
    from .report import Report
    from .runner import Selection

REPORT_FILES = ("report.json", "junit.xml", "badge.txt")
"""What `--report` writes; the first one proves that the others are a report's."""

JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")


@click.group(name="conformance", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Test plugins, results and digests against the contract."""


@octavo_command(name="run", short_help="Run the suite over an installed plugin.")
@click.argument("name")
@click.option("--level", type=click.IntRange(0, 3), default=2, show_default=True, help="Checks up to this level.")
@click.option("--vectors", metavar="LIST", default="", help="Families or paths of vectors, parted by commas: pdf,docx.")
@click.option("--check", "checks", metavar="ID", multiple=True, help="This check, and what it requires, only.")
@click.option("--expectations", type=click.Path(dir_okay=False, path_type=Path), help="File of the known failures.")
@click.option(
    "--report",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write report.json, junit.xml and badge.txt here.",
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
    seed: int | None,
    as_json: bool,
) -> ExitCode:
    """Run the suite over an installed plugin.

    Levels: 0 it loads, 1 it answers, 2 it behaves, 3 it is right. What the plugin's manifest does not declare is tested to be
    refused. Known failures stand in `octavo-conformance.toml`, in the current folder or beside the plugin's project. The exit
    code is 0 where all is as expected, 3 where something failed, 6 where the plugin is installed and cannot be used.
    """
    from .kit import run_plugin

    if folder is not None:
        _check_report_folder(folder)
    selection = _selection(level, vectors, checks)
    if seed is not None:
        selection = replace(selection, seed=seed)
    found = run_plugin(name, selection=selection, expectations=expectations)
    if folder is not None:
        _write_report(found, folder)
    if as_json:
        write_json(found)
    else:
        _print_report(found)
    return ExitCode.OK if found.ok else ExitCode.HARD_FAILURES


def _selection(level: int, vectors: str, checks: Sequence[str]) -> Selection:
    from .checks import REGISTRY
    from .runner import Selection
    from .vectors.fresh import FRESH_PATHS
    from .vectors.hostile import load_hostile
    from .vectors.stored import FAMILIES, load_golden

    names = [name.strip() for name in vectors.split(",") if name.strip()]
    if unknown := sorted({name.partition("/")[0] for name in names} - set(FAMILIES)):
        raise UsageError(f"no vectors of {', '.join(unknown)}; there are {', '.join(FAMILIES)}")
    paths = {name for name in names if "/" in name}
    known = {vector.path for vector in load_golden()} | FRESH_PATHS
    if paths - known:
        known |= {bad.path for family in {path.partition("/")[0] for path in paths} for bad in load_hostile(family)}
    if lost := sorted(paths - known):
        raise UsageError(f"no vector {', '.join(lost)}", remedy="Run `octavo conformance list`")
    if odd := sorted(set(checks) - {check.id for check in REGISTRY}):
        raise UsageError(f"no check {', '.join(odd)}", remedy="Run `octavo conformance list`")
    return Selection(level=level, families=frozenset(names) - paths, vectors=frozenset(paths), checks=frozenset(checks))


def _check_report_folder(folder: Path) -> None:
    """Raise where a report would replace a file that is none: names such as `report.json` are anybody's."""
    from .report import Report

    taken = [name for name in REPORT_FILES if os.path.lexists(folder / name)]
    if not taken:
        return
    try:
        Report.read((folder / REPORT_FILES[0]).read_bytes())
    except (OSError, ValueError):
        raise UsageError(
            f"{folder / taken[0]} is there already, and the folder holds no report", remedy="Name another folder"
        ) from None


def _write_report(found: Report, folder: Path) -> None:
    from .report import junit_xml

    folder.mkdir(parents=True, exist_ok=True)
    (folder / REPORT_FILES[0]).write_text(found.to_json(indent=2) + "\n", encoding="utf-8")
    (folder / REPORT_FILES[1]).write_text(junit_xml(found), encoding="utf-8")
    if found.badge:
        (folder / REPORT_FILES[2]).write_text(found.badge + "\n", encoding="utf-8")


def _print_report(found: Report) -> None:
    """The table of what ran, then the failures, so that they stand where the eye is."""
    from .report import failures_of, missed_text, table_rows

    table = make_table("Check", "#Level", "#Passed", "Others", "Rule")
    for row in table_rows(found):
        add_row(table, row)
    write_table(table)
    for text in failures_of(found):
        write_line("\n" + text)
    write_line("\n" + ", ".join(f"{count} {status}" for status, count in found.totals.items() if count))
    if found.newer:
        write_line(f"not run, as the plugin is made for contract {found.plugin_contract}: {', '.join(found.newer)}")
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


@octavo_command(name="vectors", short_help="Write the documents that checks use.")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--seed", type=click.IntRange(0), default=0, metavar="N", help="Seed of the fresh documents, as a report names it."
)
def write_vectors(folder: Path, seed: int) -> None:
    """Write the documents that checks use, to open what a failure names.

    Golden, hostile and fresh ones, each by the path that reports give it; the words of golden and fresh ones stand in a
    file `.words` beside each, a line a page.
    """
    from .vectors.folder import write_folder

    written = write_folder(folder, seed=seed)
    write_line(f"wrote {written} documents below {folder}")


@octavo_command(name="explain", short_help="Say what a check or requirement asks for.")
@click.argument("name", metavar="ID")
def explain(name: str) -> None:
    """Say what a check asserts, for whom, and how to repair a failure; or which checks hold a requirement.

    ID is that of a check, OC-SPAN-002, or of a requirement, CNV-12.
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
        raise UsageError(f"there is no check {name!r}", remedy="Run `octavo conformance list`")


@octavo_command(name="init", short_help="Write a plugin's test and expectations file.")
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="The plugin's project; by default the current folder.",
)
def init(name: str, folder: Path) -> None:
    """Write the test of five lines and the file of known failures for a plugin."""
    from octavo_contracts import PluginName
    from pydantic import TypeAdapter, ValidationError

    from .init import write_files

    try:
        TypeAdapter(PluginName).validate_python(name)
    except ValidationError as error:
        raise UsageError(f"{name!r} is no plugin name: lower-case words joined by '-'") from error
    for path in write_files(name, folder):
        write_line(f"wrote {path}")
    write_line(f"Next: octavo conformance run {name}")


@octavo_command(name="mutants", short_help="Test the suite itself.")
@JSON
def mutants(as_json: bool) -> ExitCode:
    """Test the suite itself: every check must notice what is broken in just its way, and no other may."""
    from .mutants import run_matrix

    matrix = run_matrix()
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


@octavo_command(name="validate", short_help="Check a result or digest of any host.")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--archive",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the texts: a library, or archived canonical texts.",
)
@JSON
def validate(file: Path, archive: Path | None, as_json: bool) -> ExitCode:
    """Check a result or digest that any host made: schema, spans, anchors, hashes, locators.

    FILE holds a result, what `octavo convert --json` writes, one JSON object a line, or a digest; `-` is standard input.
    Without the texts that it speaks of only its own statements can be compared; `octavo convert --json` brings them along,
    and --archive finds them in a folder.
    """
    from .documents import check_document
    from .report import failure_text, make_entry
    from .validation import read_documents

    bad = 0
    told = []
    rerun = ["octavo", "conformance", "validate", str(file), *(["--archive", str(archive)] if archive else [])]
    for name, evidence in read_documents(file, archive=archive):
        outcomes = check_document(evidence, name=name)
        failed = [make_entry(one) for one in outcomes if one.is_bad]
        bad += len(failed)
        told.append({"name": name, "ok": not failed, "outcomes": [make_entry(one) for one in outcomes]})
        if not as_json:
            for entry in failed:
                write_line(failure_text(entry, subject=name, rerun=rerun) + "\n")
            skipped = sum(one.status == "skipped" for one in outcomes)
            passed = sum(one.status == "passed" for one in outcomes)
            unread = f", {skipped} skipped: its text is not at hand" if skipped else ""
            write_line(f"{name}: {passed} of {len(outcomes) - skipped} checks passed{unread}")
    if as_json:
        write_json({"ok": not bad, "documents": told})
    return ExitCode.HARD_FAILURES if bad else ExitCode.OK


@octavo_command(name="matrix", short_help="Make the support matrix of reports.")
@click.argument("reports", nargs=-1, required=True, type=click.Path(path_type=Path))
@JSON
def matrix(reports: Sequence[Path], as_json: bool) -> None:
    """Make the support matrix of reports, in markdown.

    REPORTS are files that `octavo conformance run --report` wrote, or folders that hold some.
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


for _command in (run, list_checks, write_vectors, explain, init, mutants, validate, matrix, schema):
    command.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """The same commands as a program of their own: `octavo-conformance run NAME`."""
    from octavo.cli import main as octavo

    return octavo(["conformance", *(sys.argv[1:] if arguments is None else arguments)])
