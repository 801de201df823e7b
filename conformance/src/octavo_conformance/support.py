"""The support matrix: the results of each plugin for each family of vectors, built from reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from octavo_contracts import Model, UsageError
from pydantic import Field, ValidationError

from .report import Report

REPORT = "report.json"
_COUNTED = ("passed", "failed", "blocked", "unproven", "xfail", "xpass")


class Tally(Model):
    """Counts of the outcomes of a family."""

    passed: int = Field(ge=0, description="Passed outcomes.")
    known: int = Field(ge=0, description="Known failures, each with its reason.")
    counted: int = Field(ge=0, description="All counted outcomes: those that were not skipped.")


class KnownFailure(Model):
    """A failure listed in the plugin's own expectations file."""

    check: str = Field(description="Id of the check.")
    vectors: tuple[str, ...] = Field(description="Paths of the vectors; empty for a check of the plugin as such.")
    reason: str = Field(description="The violation, and why it is known.")


class Support(Model):
    """The row of one plugin in the matrix."""

    plugin: str = Field(description="Name of the plugin.")
    plugin_version: str = Field(description="Version of its distribution.")
    engine: str | None = Field(description="Its engine's distribution and version, or null.")
    contract: str = Field(description="Version of the contract that the suite was built with.")
    suite: str = Field(description="Version of the suite, a calendar version.")
    level: int = Field(ge=0, le=3, description="Requested level.")
    reached: int | None = Field(default=None, ge=0, le=3, description="Level that it reached, see `Report.reached`.")
    hooks: tuple[str, ...] = Field(description="The plugin's hooks.")
    ok: bool = Field(description="Whether all was as expected.")
    plain: Tally = Field(description="Checks of the plugin as such, without a vector.")
    families: dict[str, Tally] = Field(description="Family of vectors → its outcomes.")
    known: tuple[KnownFailure, ...] = Field(description="Every known failure.")


def support_of(report: Report) -> Support:
    """Build a row from a report; durations are omitted, so that equal runs give equal rows."""
    statuses: dict[str, list[str]] = {"": []}
    known: dict[tuple[str, str], list[str]] = {}
    for entry in report.outcomes:
        if entry.status in _COUNTED:
            statuses.setdefault((entry.vector or "").partition("/")[0], []).append(entry.status)
        if entry.status == "xfail":
            known.setdefault((entry.check, entry.reason), []).extend([entry.vector] if entry.vector else [])
    tallies = {name: _tally(found) for name, found in sorted(statuses.items())}
    return Support(
        plugin=report.plugin,
        plugin_version=report.plugin_version,
        engine=report.engine,
        contract=report.contract,
        suite=report.suite,
        level=report.level,
        reached=report.reached,
        hooks=report.hooks,
        ok=report.ok,
        plain=tallies.pop(""),
        families=tallies,
        known=tuple(
            KnownFailure(check=check, vectors=tuple(vectors), reason=reason)
            for (check, reason), vectors in known.items()
        ),
    )


def _tally(statuses: Sequence[str]) -> Tally:
    return Tally(passed=statuses.count("passed"), known=statuses.count("xfail"), counted=len(statuses))


def read_supports(paths: Iterable[Path]) -> list[Support]:
    """Read reports and return their rows, by name.

    Args:
        paths: reports, or folders with a `report.json` at any depth.

    Raises:
        UsageError: a file is not a report, or a folder has none.
    """
    found = []
    for path in paths:
        files = sorted(path.rglob(REPORT)) if path.is_dir() else [path]
        if not files:
            raise UsageError(f"{path} has no {REPORT}", remedy="Run `octavo conformance run NAME --report DIR`")
        found += [support_of(_read(file)) for file in files]
    return sorted(found, key=lambda one: one.plugin)


def _read(path: Path) -> Report:
    try:
        return Report.read(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    except ValidationError as error:
        what = error.errors()[0]
        where = ".".join(map(str, what["loc"])) or "the whole"
        raise UsageError(f"{path} is not a report of the conformance suite: {where}: {what['msg']}") from error


def support_tables(supports: Sequence[Support]) -> str:
    """Format the matrix as markdown: plugins as rows, families as columns, then the known failures with their reasons."""
    families = sorted({family for one in supports for family in one.families})
    lines = [_row(("plugin", "level", "as such", *families)), _row(["---"] * (len(families) + 3))]
    for one in supports:
        cells = [_cell(one.families.get(family)) for family in families]
        lines.append(
            _row((f"`{one.plugin}`", str(one.level if one.reached is None else one.reached), _cell(one.plain), *cells))
        )
    parts = ["\n".join(lines), "## Known failures"]
    parts += [_known(one) for one in supports if one.known] or ["None."]
    return "\n\n".join(parts)


def _known(one: Support) -> str:
    rows = [
        _row((f"`{failure.check}`", ", ".join(f"`{path}`" for path in failure.vectors) or "–", failure.reason))
        for failure in one.known
    ]
    return "\n".join([f"### {one.plugin}", "", _row(("check", "vectors", "what, and why")), _row(["---"] * 3), *rows])


def _cell(tally: Tally | None) -> str:
    if tally is None:
        return ""
    text = f"{tally.passed}/{tally.counted}"
    return f"{text}, {tally.known} known" if tally.known else text


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"
