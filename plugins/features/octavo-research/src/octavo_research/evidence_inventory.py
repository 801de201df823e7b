"""The evidence inventory of a directive: which sources there are, in at most 500 characters (RES-14, RES-22)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MAX_CHARS = 500


@dataclass(frozen=True, kw_only=True)
class InventorySource:
    """A source of an inventory.

    Attributes:
        title: what it is called.
        domain: what it belongs to.
        covers: the sub-queries that it answers.
        key_points: number of key points in its digest.
        evidence: number of quotations in its digest.
    """

    title: str
    domain: str
    covers: tuple[str, ...] = ()
    key_points: int = 0
    evidence: int = 0


def evidence_inventory(sources: Sequence[InventorySource]) -> str:
    """List sources; those without room are counted, and no line is cut."""
    domains = len({one.domain for one in sources})
    head = f"Sources: {len(sources)} found, {domains} unique {'domain' if domains == 1 else 'domains'}"
    points = sum(one.key_points for one in sources)
    quotes = sum(one.evidence for one in sources)
    tail = f"Key data points: {points} extracted, {quotes} quotations"
    lines: list[str] = []
    for number, one in enumerate(sources, start=1):
        covers = f" — covers: {', '.join(one.covers)}" if one.covers else ""
        line = f'- [{number}] "{one.title[:60]}" ({one.domain[:40]}){covers[:100]}'
        more = f"- and {len(sources) - number} more"
        if len("\n".join([head, *lines, line, more, tail])) > MAX_CHARS:
            lines.append(f"- and {len(sources) - number + 1} more")
            break
        lines.append(line)
    return "\n".join([head, *lines, tail])
