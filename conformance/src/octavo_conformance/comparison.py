"""Compares the figures of a run with those of an earlier one: level, checks, vectors, time.

The earlier figures are a report, or a row of a support matrix, which has counts but no outcomes and no times.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from octavo_contracts import UsageError
from pydantic import ValidationError

from .report import Report
from .support import Support, Tally, support_of

REPORTS = "conformance-reports"
"""Folder of the reports of releases, below the current folder: `VERSION.json`."""
SLOWER, NOTICED = 2.0, 1.0
"""A time is worse, or better, by more than this factor and more than this many seconds: machines differ."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The differences between two runs.

    Attributes:
        better: what improved, as sentences without a full stop.
        worse: what deteriorated.
    """

    better: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()

    def lines(self, before: str) -> Iterator[str]:
        """Yield the lines that people read.

        Args:
            before: what the run was compared with.
        """
        yield f"compared with {before}: {len(self.better)} better, {len(self.worse)} worse"
        yield from (f"  better  {one}" for one in self.better)
        yield from (f"  worse   {one}" for one in self.worse)


def read_figures(name: str, *, plugin: str) -> Report | Support:
    """Read the figures of an earlier run.

    Args:
        name: a report, a support matrix as `octavo conformance matrix --json` prints it, or a version of the plugin.
        plugin: the plugin that is compared.

    Raises:
        UsageError: there is no such file, it has no figures, or they are another plugin's.
    """
    path = Path(name)
    if not path.is_file():
        path = Path(REPORTS, f"{name}.json")
    if not path.is_file():
        raise UsageError(
            f"no report {name}: neither {name} nor {path} is a file",
            remedy=f"Run `octavo conformance run {plugin} --save {path}` with that release",
        )
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        rows = data["supports"] if isinstance(data, dict) and "supports" in data else None
        figures = [Report.read(data)] if rows is None else [Support.read(row) for row in rows]
    except ValidationError as error:
        what = error.errors()[0]
        where = ".".join(map(str, what["loc"])) or "the whole"
        raise UsageError(
            f"{path} is neither a report nor a support matrix: {where}: {what['msg']}", remedy="Name another file"
        ) from error
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", remedy="Name another file") from error
    for one in figures:
        if one.plugin == plugin:
            return one
    found = ", ".join(sorted(one.plugin for one in figures)) or "no plugin"
    raise UsageError(f"{path} has figures of {found}, not of {plugin}", remedy="Name another file")


def check_comparable(before: Report | Support, *, level: int, is_whole: bool) -> None:
    """Check that a run can be compared with earlier figures, before it takes its time.

    Args:
        before: the earlier figures.
        level: the level of the run.
        is_whole: whether the run has all checks and vectors of its level.

    Raises:
        UsageError: the figures are counts, and the run is at another level or of a part of the suite.
    """
    if isinstance(before, Support) and not (is_whole and level == before.level):
        raise UsageError(
            f"the figures are those of a whole run at level {before.level}",
            remedy=f"Run with --level {before.level} and without --check and --vectors",
        )


def compare(before: Report | Support, now: Report) -> Comparison:
    """Compare a run with an earlier one.

    Checks above the level of either run are not compared, nor are those that the selection of the later run left out.

    Args:
        before: the earlier figures, which `check_comparable` accepts.
        now: the later run.
    """
    found = _Found()
    if isinstance(before, Support):
        _compare_counts(before, now, found)
    else:
        _compare_levels(before, now, found)
        _compare_outcomes(before, now, found)
        _compare_times(before, now, found)
    return Comparison(better=tuple(found.better), worse=tuple(found.worse))


class _Found:
    """The two lists of a comparison, while it is made."""

    def __init__(self) -> None:
        self.better: list[str] = []
        self.worse: list[str] = []

    def add(self, text: str, *, is_better: bool) -> None:
        (self.better if is_better else self.worse).append(text)


def _compare_counts(before: Support, now: Report, found: _Found) -> None:
    row = support_of(now)
    nothing = Tally(passed=0, known=0, counted=0)
    pairs = {"as such": (before.plain, row.plain)}
    for family in sorted(before.families.keys() | row.families.keys()):
        pairs[family] = (before.families.get(family, nothing), row.families.get(family, nothing))
    for name, (old, new) in pairs.items():
        # A suite with more checks counts more; what was lost counts, whatever was won elsewhere.
        if new.passed != old.passed:
            text = f"{name}: {old.passed} of {old.counted} passed before, {new.passed} of {new.counted} now"
            found.add(text, is_better=new.passed > old.passed)
    old_known, new_known = (
        {(one.check, path) for one in side.known for path in one.vectors or ("",)} for side in (before, row)
    )
    for check, path in sorted(old_known ^ new_known):
        is_better = (check, path) in old_known
        state = "is no longer a known failure" if is_better else "is a known failure now"
        found.add(f"{_named(check, path)} {state}", is_better=is_better)


def _compare_levels(before: Report, now: Report, found: _Found) -> None:
    old, new = before.reached, now.reached
    # A run up to a lower level cannot reach the earlier one.
    if old is not None and new is not None and old != new and (new > old or now.level >= old):
        found.add(f"level {old} was reached before, level {new} now", is_better=new > old)


def _compare_outcomes(before: Report, now: Report, found: _Found) -> None:
    level = min(before.level, now.level)
    old, new = (
        {(one.check, one.vector or ""): one for one in side.outcomes if one.level <= level} for side in (before, now)
    )
    newer = set(now.newer)
    for key in old.keys() | new.keys() if now.badge else new.keys():
        one, other = old.get(key), new.get(key)
        was, now_is = (one.status if one else "absent"), (other.status if other else "absent")
        if one is None or key[0] in newer or (was == "passed") == (now_is == "passed"):
            continue
        reason = f" ({other.reason})" if other is not None and other.reason else ""
        found.add(f"{_named(*key)}: {was} before, {now_is} now{reason}", is_better=now_is == "passed")
    found.better.sort()
    found.worse.sort()


def _compare_times(before: Report, now: Report, found: _Found) -> None:
    """Compare the time of each vector and of the plugin as such, over the outcomes that both runs have."""
    both = Counter((one.check, one.vector) for side in (before, now) for one in side.outcomes)
    seconds: list[dict[str, float]] = []
    for side in (before, now):
        spent: dict[str, float] = defaultdict(float)
        for one in side.outcomes:
            if both[one.check, one.vector] == 2:
                spent[one.vector or "the plugin as such"] += one.seconds
        seconds.append(spent)
    for name in sorted(seconds[0]):
        old, new = seconds[0][name], seconds[1][name]
        low, high = sorted((old, new))
        if high > low * SLOWER and high > low + NOTICED:
            found.add(f"{name}: {old:.1f} s before, {new:.1f} s now", is_better=new < old)


def _named(check: str, path: str) -> str:
    return f"{check} on {path}" if path else check
