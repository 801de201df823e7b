"""Comparisons and verdicts in the index: sampling results for a profile's rules, and the user's decisions (CNV-4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Row, and_, func, insert, not_, select, update

from . import dialect
from .repository import Repository
from .schema import routing_comparisons, routing_verdicts
from .touched import LIBRARY, touch

FIRST = "first"
"""The occasion of a comparison that counts among the first documents of a profile."""

_WAITS = and_(routing_comparisons.c.metrics_json == "{}", routing_comparisons.c.failure.is_(None))
"""Condition of a comparison whose second conversion was not made yet."""

VerdictAction = Literal["prefer", "keep", "undo"]

_FIELDS = (
    *("profile", "routing_type", "occasion", "document_id", "version", "job_id", "run_id", "tool_a", "engine_a"),
    *("tool_b", "engine_b", "agreement", "threshold", "diverges", "failure", "seconds"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class NewComparison:
    """A comparison of two plugins' conversions of one document. It waits while it has neither metrics nor a failure.

    Attributes:
        profile: key of the profile whose rule routed the document.
        routing_type: the rule.
        occasion: `first`, or `drift:` and the engines with their versions.
        places: number of first documents that the profile samples; never more are counted.
        document_id: the document.
        version: the version that holds the first plugin's conversion.
        job_id: the job that made the version.
        run_id: the run, or None.
        tool_a: the plugin selected by routing.
        engine_a: its engine's version, or None.
        tool_b: the second plugin.
        engine_b: its engine's version, or None.
        metrics: name → `a`, `b`, `difference`, `diverges`; empty if the second plugin failed or was not called yet.
        agreement: of the texts, 0..1; None without metrics.
        threshold: a metric diverges above this difference.
        diverges: whether any metric diverges.
        failure: why the second plugin could not convert the document, or None.
        seconds: duration of the second conversion.
    """

    profile: str
    routing_type: str
    occasion: str
    places: int
    document_id: str
    version: int
    job_id: str
    run_id: str | None
    tool_a: str
    engine_a: str | None
    tool_b: str
    engine_b: str | None
    metrics: Mapping[str, Mapping[str, Any]]
    agreement: float | None
    threshold: float
    diverges: bool
    failure: str | None
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredComparison:
    """A comparison as it is stored; see `NewComparison`.

    Attributes:
        comparison_id: its number, ascending.
        slot: its position among the first documents of the profile, from 1; None if it is not counted.
        document_id: the document; None once the document was purged.
        at: when, ISO 8601 in UTC.
    """

    comparison_id: int
    profile: str
    routing_type: str
    occasion: str
    slot: int | None
    document_id: str | None
    version: int | None
    job_id: str | None
    run_id: str | None
    tool_a: str
    engine_a: str | None
    tool_b: str
    engine_b: str | None
    metrics: Mapping[str, Mapping[str, Any]]
    agreement: float | None
    threshold: float
    diverges: bool
    failure: str | None
    seconds: float
    at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparisonResult:
    """The result of a comparison that waited; the attributes are those of `NewComparison`."""

    metrics: Mapping[str, Mapping[str, Any]]
    agreement: float | None
    diverges: bool
    failure: str | None
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredVerdict:
    """A user's decision about a rule.

    Attributes:
        verdict_id: its number.
        profile: key of the profile.
        routing_type: the rule.
        action: `prefer` a plugin; `keep` the rule as it is; `undo` a decision.
        tool: the plugin that is preferred, or None.
        seen: the last comparison at the time of the decision; 0 for none.
        note: why, in the user's words.
        made_by: who.
        undoes: the decision that an undo reverts, or None.
        at: when, ISO 8601 in UTC.
    """

    verdict_id: int
    profile: str
    routing_type: str
    action: VerdictAction
    tool: str | None
    seen: int
    note: str
    made_by: str
    undoes: int | None
    at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Sampled:
    """Progress of the sampling of a profile, with the comparisons that wait.

    Attributes:
        counted: number of first documents that were selected.
        documents: their ids; fewer if some were purged.
        engines: the compared pairs of engines, each as `tool version tool version`.
    """

    counted: int
    documents: frozenset[str]
    engines: frozenset[str]


class ComparisonRepository(Repository):
    """Sampling results and verdicts."""

    def record(self, new: NewComparison) -> None:
        """Store a comparison, in the next free slot if one is left.

        Call it in the transaction that ends the document's job: the count is then correct whatever process is killed. A
        document counts once per occasion; if several processes fill the last slot at once, one of them gets it.
        """
        with self._write() as connection:
            record_in(connection, new, now=self._now())

    def sampled(self, profile: str) -> Sampled:
        """Progress of the sampling of a profile."""
        table = routing_comparisons
        query = select(table).where(table.c.profile == profile, table.c.slot.is_not(None))
        with self._read() as connection:
            rows = [_comparison(row) for row in connection.execute(query)]
        return Sampled(
            counted=len(rows),
            documents=frozenset(row.document_id for row in rows if row.document_id is not None),
            engines=frozenset(engines_text(row.tool_a, row.engine_a, row.tool_b, row.engine_b) for row in rows),
        )

    def all(
        self, *, profile: str | None = None, routing_type: str | None = None, run_id: str | None = None
    ) -> tuple[StoredComparison, ...]:
        """The comparisons that were made, oldest first.

        Args:
            profile: only of this profile, by its key.
            routing_type: only of this rule.
            run_id: only of this run.
        """
        table = routing_comparisons
        query = select(table).where(not_(_WAITS)).order_by(table.c.comparison_id)
        for column, wanted in (
            (table.c.profile, profile),
            (table.c.routing_type, routing_type),
            (table.c.run_id, run_id),
        ):
            if wanted is not None:
                query = query.where(column == wanted)
        with self._read() as connection:
            return tuple(_comparison(row) for row in connection.execute(query))

    def waiting(self, *, profile: str | None = None) -> tuple[StoredComparison, ...]:
        """The comparisons that wait for the second conversion, oldest first; without those of purged documents.

        Args:
            profile: only of this profile, by its key.
        """
        table = routing_comparisons
        query = select(table).where(_WAITS, table.c.document_id.is_not(None)).order_by(table.c.comparison_id)
        if profile is not None:
            query = query.where(table.c.profile == profile)
        with self._read() as connection:
            return tuple(_comparison(row) for row in connection.execute(query))

    def finish(self, waiting: StoredComparison, result: ComparisonResult) -> bool:
        """Store the result of a comparison that waits.

        Returns:
            Whether it still waited: another process may have been quicker, or the document was purged.
        """
        table = routing_comparisons
        here = update(table).where(
            table.c.comparison_id == waiting.comparison_id, _WAITS, table.c.document_id == waiting.document_id
        )
        row = {
            "metrics_json": json.dumps(result.metrics),
            "agreement": result.agreement,
            "diverges": int(result.diverges),
            "failure": result.failure,
            "seconds": round(result.seconds, 3),
            "at": self._now(),
        }
        with self._write() as connection:
            return connection.execute(here.values(**row)).rowcount == 1

    def decide(
        self,
        profile: str,
        routing_type: str,
        *,
        action: VerdictAction,
        tool: str | None = None,
        by: str,
        note: str = "",
        undoes: int | None = None,
    ) -> None:
        """Add a row to the decision log of a rule.

        Args:
            profile: key of the profile.
            routing_type: the rule.
            action: see `StoredVerdict`.
            tool: the preferred plugin.
            by: the user who decided.
            note: why, in words.
            undoes: the decision that an undo reverts.
        """
        table = routing_comparisons
        last = select(func.coalesce(func.max(table.c.comparison_id), 0))
        last = last.where(table.c.profile == profile, table.c.routing_type == routing_type)
        row: dict[str, Any] = {"profile": profile, "routing_type": routing_type, "action": action, "tool": tool}
        with self._write() as connection:
            seen = connection.scalar(last)
            row |= {"seen": seen, "note": note, "made_by": by, "undoes": undoes, "at": self._now()}
            touch(connection, [LIBRARY])
            connection.execute(insert(routing_verdicts), row)

    def verdicts(self, *, profile: str | None = None) -> tuple[StoredVerdict, ...]:
        """All decisions, oldest first.

        Args:
            profile: only of this profile, by its key.
        """
        query = select(routing_verdicts).order_by(routing_verdicts.c.verdict_id)
        if profile is not None:
            query = query.where(routing_verdicts.c.profile == profile)
        with self._read() as connection:
            return tuple(StoredVerdict(**row._mapping) for row in connection.execute(query))


def engines_text(tool_a: str, engine_a: str | None, tool_b: str, engine_b: str | None) -> str:
    """Two plugins with their engine versions, as one comparable text."""
    return f"{tool_a} {engine_a or ''} {tool_b} {engine_b or ''}"


def record_in(connection: Connection, new: NewComparison, *, now: str) -> None:
    """As `ComparisonRepository.record`, inside the caller's transaction."""
    row = {name: getattr(new, name) for name in _FIELDS}
    row |= {"diverges": int(new.diverges), "metrics_json": json.dumps(new.metrics), "at": now}
    if new.occasion != FIRST:
        _insert(connection, row)
        return
    for slot in range(_counted(connection, new.profile) + 1, new.places + 1):
        if _insert(connection, row | {"slot": slot}) or _is_there(connection, row):
            return
    _insert(connection, row)


def forget_compared(connection: Connection, document_id: str) -> None:
    """Remove a document's id from its comparisons. They contain numbers only, and their slots stay taken."""
    here = routing_comparisons.c.document_id == document_id
    connection.execute(update(routing_comparisons).where(here).values(document_id=None, version=None, job_id=None))


def _counted(connection: Connection, profile: str) -> int:
    table = routing_comparisons
    return connection.scalar(select(func.count(table.c.slot)).where(table.c.profile == profile)) or 0


def _insert(connection: Connection, row: dict[str, Any]) -> bool:
    statement = dialect.insert_if_absent(routing_comparisons, database=connection.dialect.name)
    return connection.execute(statement, row).rowcount == 1


def _is_there(connection: Connection, row: dict[str, Any]) -> bool:
    """Whether the document was already compared on this occasion."""
    same = [routing_comparisons.c[name] == row[name] for name in ("profile", "document_id", "occasion")]
    return connection.scalar(select(routing_comparisons.c.comparison_id).where(*same)) is not None


def _comparison(row: Row[*tuple[Any, ...]]) -> StoredComparison:
    values = dict(row._mapping)
    values["metrics"] = json.loads(values.pop("metrics_json"))
    return StoredComparison(**values | {"diverges": bool(values["diverges"])})
