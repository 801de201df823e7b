"""The figures of a run as one JSON object, and as tables to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from . import peers
from .calibration import Calibration
from .collect import Row
from .figures import Accuracies, Figures, Interval, accuracies, figures, gap_closed, in_group, oracle, paired_interval
from .installed import ROUTER, is_router, profile_beside
from .manifest import group_of
from .selection import out_of_fold

Intervals = Mapping[str, Mapping[str, Interval]]
"""Group or `all` → engine → a difference."""


@dataclass(frozen=True, kw_only=True)
class HeldOut:
    """What the rules reach on documents that they were not made from.

    Attributes:
        figures: over the documents that have a fold.
        gap_closed: on the same documents; None where there is no gap.
        intervals: the rules less each engine, on the same documents.
    """

    figures: Figures
    gap_closed: float | None
    intervals: Intervals


@dataclass(frozen=True, kw_only=True)
class Report:
    """Everything that a run found.

    Attributes:
        documents: how many.
        router: the router's figures.
        oracle: those of the best installed engine for each document.
        profiles: those of the router by other profiles: name → figures.
        engines: those of each engine and peer, best first.
        seconds: of each, for all documents.
        peak_rss_mb: of each, the largest of any document.
        failures: of each: documents without a result where one was wanted; documents of a type it does not read among them.
        intervals: group or `all` → engine → the router less the engine.
        gap_closed: how far the router goes from the best single engine to the oracle; None where there is no gap.
        out_of_fold: what rules reach that were made from other documents; None where no document has a fold.
        calibration: of the score.
    """

    documents: int
    router: Figures
    oracle: Figures
    profiles: dict[str, Figures]
    engines: dict[str, Figures]
    seconds: dict[str, float]
    peak_rss_mb: dict[str, float]
    failures: dict[str, int]
    intervals: Intervals
    gap_closed: float | None
    out_of_fold: HeldOut | None
    calibration: Calibration

    def to_json(self) -> dict[str, Any]:
        """For machines. The keys of the first level are router, oracle, engines and calibration."""
        return {
            "router": {
                **_figures(self.router),
                **self._cost(ROUTER),
                "gap_closed": self.gap_closed,
                "profiles": {
                    profile_beside(name): {**_figures(found), **self._cost(name)}
                    for name, found in self.profiles.items()
                },
                "out_of_fold": _held_out(self.out_of_fold) if self.out_of_fold else None,
                "intervals": _as_json(self.intervals),
            },
            "oracle": {**_figures(self.oracle), "documents": self.documents},
            "engines": {name: {**_figures(found), **self._cost(name)} for name, found in self.engines.items()},
            "calibration": self.calibration.to_json(),
        }

    def tables(self) -> str:
        """For people, as markdown."""
        return "\n\n".join(
            [
                f"{self.documents} documents; means of kinds, failures 0; *bad input* stands apart from the mean.",
                self._by_group(),
                self._by_kind(),
                self._verdict(),
                _as_table(self.intervals, "router"),
                *([_as_table(self.out_of_fold.intervals, "rules, out-of-fold,")] if self.out_of_fold else []),
                self.calibration.tables(),
            ]
        )

    def _cost(self, name: str) -> dict[str, Any]:
        return {
            "seconds": round(self.seconds[name], 2),
            "peak_rss_mb": round(self.peak_rss_mb[name], 1),
            "failures": self.failures[name],
        }

    def _all(self) -> dict[str, Figures]:
        held_out = {"rules, out-of-fold": self.out_of_fold.figures} if self.out_of_fold else {}
        return {"oracle": self.oracle, ROUTER: self.router, **held_out, **self.profiles, **self.engines}

    def _by_group(self) -> str:
        groups = list(self.oracle.by_group)
        lines = [_line(["engine", "mean", *groups, "failures", "seconds", "peak MiB"]), _rule(len(groups) + 5)]
        for name, found in self._all().items():
            cost = ["", "", ""]
            if name in self.seconds:
                cost = [str(self.failures[name]), f"{self.seconds[name]:.0f}", f"{self.peak_rss_mb[name]:.0f}"]
            cells = [f"{found.by_group.get(group, 0.0):.3f}" for group in groups]
            lines.append(_line([name, f"{found.mean:.3f}", *cells, *cost]))
        return "\n".join(lines)

    def _by_kind(self) -> str:
        names = list(self._all())
        lines = [_line(["kind", *names]), _rule(len(names) + 1)]
        for kind in self.oracle.by_kind:
            lines.append(_line([kind, *(f"{found.by_kind.get(kind, 0.0):.3f}" for found in self._all().values())]))
        return "\n".join(lines)

    def _verdict(self) -> str:
        single = best_single(self.engines)
        if single is None or self.gap_closed is None:
            return "No gap between the best single engine and the oracle."
        return (
            f"Best single engine {single} {self.engines[single].mean:.3f}, router {self.router.mean:.3f}, "
            f"oracle {self.oracle.mean:.3f}: the router closes {self.gap_closed:.0%} of the gap{self._held_out_verdict()}."
        )

    def _held_out_verdict(self) -> str:
        if self.out_of_fold is None or self.out_of_fold.gap_closed is None:
            return ""
        return f", rules out of fold {self.out_of_fold.gap_closed:.0%}"


def build(rows: Sequence[Row], calibration: Calibration) -> Report:
    """Count what a run found.

    Args:
        rows: of the router, also by other profiles, of every engine and of every peer, on the same documents.
        calibration: of the score.
    """
    names = list(dict.fromkeys(row.engine for row in rows))
    by_engine = {name: [row for row in rows if row.engine == name] for name in names}
    found = {name: accuracies(of_engine) for name, of_engine in by_engine.items()}
    kinds = {row.document.id: row.document.kind for row in rows}
    reached = {name: figures(values, kinds) for name, values in found.items()}
    alone = {name: values for name, values in found.items() if not is_router(name)}
    best = figures(oracle(values for name, values in alone.items() if name not in peers.PEERS), kinds)
    engines = {name: reached[name] for name in sorted(alone, key=lambda name: -reached[name].mean)}
    single = best_single(engines)
    return Report(
        documents=len(kinds),
        router=reached[ROUTER],
        oracle=best,
        profiles={name: one for name, one in reached.items() if profile_beside(name) is not None},
        engines=engines,
        seconds={name: sum(row.reading.seconds for row in of_engine) for name, of_engine in by_engine.items()},
        peak_rss_mb={
            name: max((row.reading.peak_rss_mb for row in of_engine), default=0.0)
            for name, of_engine in by_engine.items()
        },
        failures={name: sum(_failed(row) for row in of_engine) for name, of_engine in by_engine.items()},
        intervals=_compare(found[ROUTER], alone, kinds),
        gap_closed=gap_closed(router=reached[ROUTER].mean, single=engines[single].mean, oracle=best.mean)
        if single
        else None,
        out_of_fold=_out_of_fold(rows, alone, kinds),
        calibration=calibration,
    )


def best_single(engines: Mapping[str, Figures]) -> str | None:
    """The installed engine with the highest mean; None where there is none. Peers are not among them."""
    own = {name: found.mean for name, found in engines.items() if name not in peers.PEERS}
    return max(own, key=lambda name: own[name], default=None)


def _out_of_fold(rows: Sequence[Row], found: Mapping[str, Accuracies], kinds: Mapping[str, str]) -> HeldOut | None:
    held_out = out_of_fold(rows)
    if not held_out:
        return None
    kinds = {name: kind for name, kind in kinds.items() if name in held_out}
    same = {name: {one: values[one] for one in held_out} for name, values in found.items()}
    own = {name: values for name, values in same.items() if name not in peers.PEERS}
    reached = figures(held_out, kinds)
    closed = gap_closed(
        router=reached.mean,
        single=max(figures(values, kinds).mean for values in own.values()),
        oracle=figures(oracle(own.values()), kinds).mean,
    )
    return HeldOut(figures=reached, gap_closed=closed, intervals=_compare(held_out, same, kinds))


def _compare(mine: Accuracies, found: Mapping[str, Accuracies], kinds: Mapping[str, str]) -> Intervals:
    groups = ["all", *sorted({group_of(kind) for kind in kinds.values()})]
    return {
        group: {name: paired_interval(mine, values, in_group(kinds, group)) for name, values in found.items()}
        for group in groups
    }


def _failed(row: Row) -> bool:
    wants_outcome = any(truth.kind == "outcome_json" for truth in row.document.truths)
    return row.reading.conversion is None and not wants_outcome


def _figures(found: Figures) -> dict[str, Any]:
    return {
        "mean": round(found.mean, 4),
        "by_kind": {name: round(value, 4) for name, value in found.by_kind.items()},
        "by_group": {name: round(value, 4) for name, value in found.by_group.items()},
    }


def _held_out(found: HeldOut) -> dict[str, Any]:
    return {**_figures(found.figures), "gap_closed": found.gap_closed, "intervals": _as_json(found.intervals)}


def _as_json(intervals: Intervals) -> dict[str, Any]:
    return {
        group: {name: {**asdict(one), "at_least_equal": one.at_least_equal} for name, one in row.items()}
        for group, row in intervals.items()
    }


def _as_table(intervals: Intervals, of: str) -> str:
    """In each group the engine that comes nearest, and those that are better for sure."""
    lines = [_line(["group", "engine", f"{of} less engine", "95 % interval"]), _rule(4)]
    for group, row in intervals.items():
        nearest = min(row, key=lambda name: row[name].difference, default=None)
        for name, one in row.items():
            if name == nearest or not one.at_least_equal:
                lines.append(_line([group, name, f"{one.difference:+.3f}", f"{one.low:+.3f} … {one.high:+.3f}"]))
    below = sum(not one.at_least_equal for row in intervals.values() for one in row.values())
    return "\n".join(
        [*lines, "", f"Groups and engines where the engine is better than the {of.rstrip(',')} for sure: {below}."]
    )


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rule(columns: int) -> str:
    return "|" + " --- |" * columns
