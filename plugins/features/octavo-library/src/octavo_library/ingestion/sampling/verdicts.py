"""The verdicts in force on a rule, and the comparisons to review: pure functions of the two logs (CNV-4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from octavo.conversion.routing import RoutingOverride

from ...storage.index.comparisons import StoredComparison, StoredVerdict

SHARED_REASON = "the library's owner chose it in a review"
"""Routing reason for a verdict in shared results: author, date and note are visible to the owner only (STO-5)."""

Rule = tuple[str, str]
"""Key of a profile, and a routing type."""


def standing(verdicts: Sequence[StoredVerdict]) -> StoredVerdict | None:
    """The last verdict that was not undone.

    Args:
        verdicts: verdicts on one rule, oldest first.
    """
    undone = {verdict.undoes for verdict in verdicts}
    held = [one for one in verdicts if one.action != "undo" and one.verdict_id not in undone]
    return held[-1] if held else None


def pending(comparisons: Iterable[StoredComparison], verdict: StoredVerdict | None) -> tuple[StoredComparison, ...]:
    """The comparisons to review: those that diverge and that the verdict in force has not seen."""
    seen = verdict.seen if verdict else 0
    return tuple(one for one in comparisons if one.diverges and one.comparison_id > seen)


def by_rule(verdicts: Iterable[StoredVerdict]) -> dict[Rule, list[StoredVerdict]]:
    """Group verdicts by rule, each list oldest first."""
    found: dict[Rule, list[StoredVerdict]] = {}
    for verdict in verdicts:
        found.setdefault((verdict.profile, verdict.routing_type), []).append(verdict)
    return found


def preferences(verdicts: Iterable[StoredVerdict], *, profile: str) -> tuple[tuple[str, RoutingOverride], ...]:
    """The plugins that the verdicts in force prefer, by routing type.

    Args:
        verdicts: verdicts on one profile, oldest first.
        profile: its name, for the reason.
    """
    found = []
    for (_, routing_type), log in sorted(by_rule(verdicts).items()):
        last = standing(log)
        if last is not None and last.tool is not None:
            why = reason(last, profile=profile)
            found.append((routing_type, RoutingOverride(plugin=last.tool, because=why, shared=SHARED_REASON)))
    return tuple(found)


def reason(verdict: StoredVerdict, *, profile: str) -> str:
    """Routing reason for a verdict, for the library's owner: author, date and note."""
    why = f": {verdict.note}" if verdict.note else ""
    return (
        f"{verdict.made_by} chose it on {verdict.at[:10]} for {verdict.routing_type} in profile {profile}"
        f" (verdict {verdict.verdict_id}){why}"
    )
