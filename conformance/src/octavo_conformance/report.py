"""The report of a run as JSON with its own schema, as JUnit, as a badge line, and as text."""

from __future__ import annotations

import platform
import shlex
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, get_args
from xml.sax.saxutils import escape, quoteattr

from octavo_contracts import CONTRACT_VERSION, Model, PluginManifest
from pydantic import Field

from .checks import REGISTRY, Check
from .requirements import requirement_lines
from .runner import Outcome, Selection, Status
from .subject import Subject
from .vectors.own import FAMILY as OWN
from .version import SUITE_VERSION

HIGHEST = 3
"""The highest level."""


class Entry(Model):
    """One check on one vector."""

    check: str = Field(description="Id of the check.")
    rule: str = Field(description="The rule, in one sentence.")
    level: int = Field(ge=0, le=3, description="Level of the check.")
    vector: str | None = Field(description="Path of the vector; null for a check of the plugin as such.")
    status: Literal["passed", "failed", "blocked", "skipped", "unproven", "xfail", "xpass"] = Field(
        description="Outcome of the check."
    )
    reason: str = Field(
        default="",
        description="The violation, what blocked it, why it was skipped, what is not shown, or why the failure is known.",
    )
    expected: str = Field(default="", description="What the rule requires.")
    actual: str = Field(default="", description="What was found.")
    spec: tuple[str, ...] = Field(description="Requirements that the check verifies.")
    fix: tuple[str, ...] = Field(description="Steps to repair a failure.")
    seconds: float = Field(ge=0, description="Duration, seconds.")


class Report(Model):
    """A run of the suite over one plugin."""

    report_version: Literal["1.0"] = Field(default="1.0", description="Version of the report format.")
    suite: str = Field(description="Version of the suite, a calendar version.")
    contract: str = Field(description="Version of the contract that the suite was built with.")
    plugin: str = Field(description="Name of the plugin.")
    plugin_contract: str = Field(description="Version of the contract that the plugin was written for.")
    plugin_version: str = Field(description="Version of its distribution.")
    engine: str | None = Field(description="Distribution and version of its engine, or null.")
    level: int = Field(ge=0, le=3, description="Requested level.")
    hooks: tuple[str, ...] = Field(description="The plugin's hooks.")
    families: tuple[str, ...] = Field(description="Families of the vectors used.")
    python: str = Field(description="Version of Python.")
    system: str = Field(description="Operating system.")
    ok: bool = Field(description="Whether all was as expected: nothing failed, and no known failure passed.")
    totals: dict[str, int] = Field(description="Number of outcomes by status.")
    reached: int | None = Field(
        default=None,
        ge=0,
        le=3,
        description="Highest level at which a hook was called and up to which every counted outcome passed. Null if single "
        "checks or vectors were selected.",
    )
    badge: str = Field(
        description="One line for a README: contract, reached level, formats, passed of all counted outcomes. What is "
        "unproven, and a known failure, do not count as passed. Empty if single checks or vectors were selected."
    )
    seed: int = Field(ge=0, description="Seed of the fresh documents: the same seed reproduces them.")
    own_vectors: str | None = Field(default=None, description="Folder of the author's own vectors, if some were used.")
    seconds: float = Field(ge=0, description="Duration of the run, seconds.")
    newer: tuple[str, ...] = Field(
        description="Ids of checks that were not run because a later minor version of the contract introduced them."
    )
    outcomes: tuple[Entry, ...] = Field(description="Every outcome, in the order of the suite.")


def make_report(subject: Subject, selection: Selection, outcomes: Sequence[Outcome]) -> Report:
    """Build the report of a run."""
    info = subject.plugin
    engine = info.manifest.engine.distribution
    families = sorted({one.vector.partition("/")[0] for one in outcomes if one.vector})
    totals = Counter(one.status for one in outcomes)
    return Report(
        suite=SUITE_VERSION,
        contract=CONTRACT_VERSION,
        plugin=info.name,
        plugin_contract=info.manifest.contract,
        plugin_version=info.manifest.version,
        engine=f"{engine} {info.engine_version or 'unknown'}" if engine else None,
        level=selection.level,
        hooks=info.manifest.hooks,
        families=tuple(families),
        python=platform.python_version(),
        system=platform.system(),
        ok=not any(one.is_bad for one in outcomes),
        totals={status: totals[status] for status in get_args(Status)},
        reached=_reached(selection, outcomes),
        badge=_badge(info.manifest, selection, outcomes, families),
        seed=selection.seed,
        own_vectors=selection.own_folder,
        seconds=round(sum(one.seconds for one in outcomes), 3),
        newer=tuple(check.id for check in selection.newer_than(info.manifest.contract)),
        outcomes=tuple(make_entry(one) for one in outcomes),
    )


def _counted(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [one for one in outcomes if one.status != "skipped"]


def _reached(selection: Selection, outcomes: Sequence[Outcome]) -> int | None:
    counted = _counted(outcomes)
    if selection.checks or selection.vectors or selection.without or not counted:
        return None
    # A manifest is not behaviour: only checks that called a hook raise the level. A level with known failures, with checks
    # blocked by them, or with rules of which nothing was shown, is not reached: an expectations file keeps a build green
    # but does not improve the badge.
    missed = min((one.check.level for one in counted if one.status != "passed"), default=HIGHEST + 1)
    called = {one.check.level for one in counted if one.vector or one.check.gate.calls}
    return max((one for one in called if one < missed), default=0)


def _badge(manifest: PluginManifest, selection: Selection, outcomes: Sequence[Outcome], families: Sequence[str]) -> str:
    level = _reached(selection, outcomes)
    if level is None:
        return ""
    counted = _counted(outcomes)
    passed = sum(one.status == "passed" for one in counted)
    kinds = families or manifest.hooks or ("services",)
    return f"octavo {manifest.contract} L{level} {' '.join(kinds)} {passed}/{len(counted)}"


def unproven(report: Report) -> dict[str, str]:
    """Return the checks of which nothing was shown: id → what is not shown."""
    return {one.check: one.reason for one in report.outcomes if one.status == "unproven"}


def missed_text(report: Report) -> str:
    """Explain why the badge has a lower level than requested, or return an empty text."""
    missed = [one for one in report.outcomes if one.status not in ("passed", "skipped")]
    if not report.badge or not missed:
        return ""
    level = min(one.level for one in missed)
    names = dict.fromkeys(one.check for one in missed if one.level == level)
    return f"level {level} is not reached: {', '.join(names)}"


def make_entry(one: Outcome) -> Entry:
    """Convert an outcome to data."""
    return Entry(
        check=one.check.id,
        rule=one.check.rule,
        level=one.check.level,
        vector=one.vector,
        status=one.status,
        reason=one.reason,
        expected=one.expected,
        actual=one.actual,
        spec=one.check.spec,
        fix=one.check.fix,
        seconds=one.seconds,
    )


def report_schema() -> dict[str, Any]:
    """Return the JSON Schema of a report."""
    schema = Report.model_json_schema(mode="serialization")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:octavo:schema:v1:conformance_report"}
    return head | schema


def failure_text(entry: Entry, *, subject: str, rerun: Sequence[str]) -> str:
    """Format a failure as text: rule, evidence, requirements, command to run it again, checklist.

    Args:
        entry: the outcome.
        subject: the tested plugin with its version.
        rerun: the command that runs this check alone.
    """
    where = f", vector {entry.vector}" if entry.vector and entry.vector != subject else ""
    lines = [
        f"{entry.check} {entry.status}: {entry.rule} [{subject}{where}]",
        f"  evidence   {entry.reason}",
        f"    expected {entry.expected}",
        f"    actual   {entry.actual}",
        *_listed("holds", requirement_lines(entry.spec)),
        f"  rerun      {shlex.join(rerun)}",
        "  checklist",
        *(f"    [ ] {step}" for step in entry.fix),
    ]
    return "\n".join(lines)


def _listed(name: str, lines: Sequence[str]) -> list[str]:
    return [f"  {name if not number else '':<10} {line}" for number, line in enumerate(lines)]


def rerun_command(report: Report, entry: Entry) -> list[str]:
    """Return the command that runs one outcome again."""
    command = ["octavo", "conformance", "run", report.plugin, "--check", entry.check]
    if entry.vector:
        is_own = report.own_vectors is not None and entry.vector.startswith(f"{OWN}/")
        command += ["--vectors", f"{report.own_vectors},{entry.vector}" if is_own else entry.vector]
    # Another seed would generate another document.
    return [*command, "--seed", str(report.seed)] if REGISTRY[entry.check].is_seeded else command


def failures_of(report: Report) -> list[str]:
    """Return the texts of all failures."""
    subject = f"plugin {report.plugin} {report.plugin_version}"
    return [
        failure_text(entry, subject=subject, rerun=rerun_command(report, entry))
        for entry in report.outcomes
        if entry.status in ("failed", "xpass")
    ]


def junit_xml(report: Report) -> str:
    """Return the report as JUnit XML, one test case for each outcome."""
    cases = "".join(_case(report, entry) for entry in report.outcomes)
    totals = report.totals
    bad = totals["failed"] + totals["xpass"]
    skipped = totals["skipped"] + totals["blocked"] + totals["unproven"]
    facts = {"suite": report.suite, "contract": report.contract, "badge": report.badge}
    properties = "".join(f"<property name={quoteattr(key)} value={quoteattr(value)}/>" for key, value in facts.items())
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites><testsuite name={quoteattr(f"octavo-conformance {report.plugin}")} tests="{len(report.outcomes)}" '
        f'failures="{bad}" skipped="{skipped + report.totals["xfail"]}" time="{report.seconds}">'
        f"<properties>{properties}</properties>{cases}</testsuite></testsuites>\n"
    )


def _case(report: Report, entry: Entry) -> str:
    name = f"{entry.check}[{entry.vector}]" if entry.vector else entry.check
    inside = ""
    if entry.status in ("failed", "xpass"):
        subject = f"plugin {report.plugin} {report.plugin_version}"
        text = failure_text(entry, subject=subject, rerun=rerun_command(report, entry))
        inside = f"<failure message={quoteattr(entry.reason)}>{escape(text)}</failure>"
    elif entry.status != "passed":
        inside = f"<skipped message={quoteattr(f'{entry.status}: {entry.reason}')}/>"
    return f'<testcase classname={quoteattr(report.plugin)} name={quoteattr(name)} time="{entry.seconds}">{inside}</testcase>'


def table_rows(report: Report) -> list[tuple[str, ...]]:
    """Return rows of check, level, passed, other outcomes, rule: one for each check that applies to the plugin."""
    by_check: dict[str, list[Entry]] = {}
    for entry in report.outcomes:
        by_check.setdefault(entry.check, []).append(entry)
    rows: list[tuple[str, ...]] = []
    for check_id, entries in by_check.items():
        counts = Counter(entry.status for entry in entries)
        if set(counts) == {"skipped"}:
            continue
        others = ", ".join(f"{count} {status}" for status, count in counts.items() if status != "passed")
        rows.append((check_id, str(entries[0].level), str(counts["passed"]), others, entries[0].rule))
    return rows


def explain(check: Check) -> str:
    """Format a check's documentation as text."""
    lines = [
        f"{check.id}: {check.rule}",
        "",
        f"  level    {check.level}",
        f"  for      {check.gate if check.scope not in ('result', 'digest') else f'every {check.scope}'}",
        f"  requires {', '.join(check.requires) or 'nothing'}",
        *(f"  {'holds' if not number else '':<8} {line}" for number, line in enumerate(requirement_lines(check.spec))),
        f"  since    contract {check.since}",
        "  fix",
        *(f"    [ ] {step}" for step in check.fix),
    ]
    return "\n".join(lines)


def explain_requirement(name: str) -> str:
    """Format a requirement and the checks that verify it."""
    held = [f"    {check.id}: {check.rule}" for check in REGISTRY if name in check.spec]
    return "\n".join([*requirement_lines([name]), "", "  held by", *held])
