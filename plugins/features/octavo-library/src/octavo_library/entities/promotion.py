"""Decides when an observation becomes a confirmed entity: one table, as a pure function (ENT-2).

| the user's latest decision | used downstream | seen in N documents | status | reason |
|---|---|---|---|---|
| promote | any | any | confirmed | user |
| demote | any | any | observed | user |
| none | yes | any | confirmed | reuse |
| none | no | yes | confirmed | corroboration |
| none | no | no | observed | none |

Corroboration is counted on request, among the documents visible to the user (STO-5). So it can never outlive the
documents that it is based on. A user's decision and a downstream use are log rows, and an undo is another row.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from octavo.settings.entities import DEFAULT_DOCUMENTS

from ..storage.index.entity_records import Decision

Word = Literal["promote", "demote"]
Status = Literal["observed", "confirmed"]


@dataclass(frozen=True, kw_only=True, slots=True)
class PromotionDecision:
    """The status of an entity, with the reason.

    Attributes:
        status: `observed` or `confirmed`.
        reason: `user`, `reuse` or `corroboration`, a colon and details; None for an unconfirmed entity without
            decision.
    """

    status: Status
    reason: str | None = None


def standing(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """The effective decisions, in log order: those that no later one reverts."""
    log = sorted(decisions, key=lambda decision: decision.number)
    undone = {decision.undoes for decision in log if decision.action == "undo"}
    return tuple(decision for decision in log if decision.action != "undo" and decision.number not in undone)


def _use(decision: Decision) -> str:
    return f"reuse: used in {decision.note}" if decision.note else f"reuse: noted by {decision.by}"


def judge(decisions: Iterable[Decision], *, documents: int, needed: int = DEFAULT_DOCUMENTS) -> PromotionDecision:
    """Apply the table.

    Args:
        decisions: every row of the entity's log that is visible to the user.
        documents: number of documents visible to the user that mention the entity.
        needed: number of documents required for corroboration.
    """
    held = standing(decisions)
    words = [decision for decision in held if decision.reason == "user"]
    if words:
        last = words[-1]
        said = "confirmed" if last.action == "promote" else "demoted"
        note = f" ({last.note})" if last.note else ""
        return PromotionDecision(
            status="confirmed" if last.action == "promote" else "observed", reason=f"user: {said} by {last.by}{note}"
        )
    used = [decision for decision in held if decision.reason == "reuse"]
    if used:
        return PromotionDecision(status="confirmed", reason=_use(used[-1]))
    if documents >= needed:
        return PromotionDecision(
            status="confirmed", reason=f"corroboration: seen in {documents} documents; {needed} are enough"
        )
    return PromotionDecision(status="observed")
