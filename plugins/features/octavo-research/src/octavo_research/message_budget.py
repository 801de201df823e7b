"""Keeps a supervisor's messages within a budget: 60 % for reasoning, 40 % for findings (RES-10, RES-14)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

MessageKind = Literal["think", "delegation", "evidence_inventory", "research_findings"]

REASONING_SHARE = 0.6
KEPT_THINKS = 2
SHORTENED = 400
"""Code points that the body of a message with findings keeps before whole messages are dropped."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """A message of the supervisor's history.

    Attributes:
        kind: think and delegation are reasoning; the others are findings.
        content: its text.
        call_id: a delegation and its results share one, and go together; None: a message by itself.
    """

    kind: MessageKind
    content: str
    call_id: str | None = None

    @property
    def is_reasoning(self) -> bool:
        """Whether it counts against the budget of reasoning."""
        return self.kind in ("think", "delegation")


def within_budget(messages: Sequence[Message], *, limit: int, keep_thinks: int = KEPT_THINKS) -> list[Message]:
    """Return the messages that fit, in order.

    The newest thinks always stay; what they take above the budget of reasoning is taken from that of findings. Bodies of findings are
    shortened before messages are dropped; the oldest go first, evidence inventories before findings.

    Args:
        messages: the history, oldest first.
        limit: code points of all messages together.
        keep_thinks: number of the newest thinks that stay whatever the budget.
    """
    if _size(messages) <= limit:
        return list(messages)
    thinks = [place for place, one in enumerate(messages) if one.kind == "think"]
    kept = set(thinks[len(thinks) - keep_thinks :] if keep_thinks else ())
    left = dict(enumerate(messages))
    reasoning = int(limit * REASONING_SHARE)
    for place in [at for at, one in left.items() if one.is_reasoning and at not in kept]:
        if _size(one for one in left.values() if one.is_reasoning) <= reasoning:
            break
        _drop(left, place)
    taken = _size(one for one in left.values() if one.is_reasoning)
    room = max(0, min(limit - reasoning, limit - taken))
    for place, one in list(left.items()):
        if _findings(left) > room and not one.is_reasoning:
            left[place] = replace(one, content=_shortened(one.content))
    order = sorted(
        (at for at, one in left.items() if not one.is_reasoning),
        key=lambda at: (left[at].kind != "evidence_inventory", at),
    )
    for place in order:
        if _findings(left) <= room:
            break
        _drop(left, place)
    return [left[place] for place in sorted(left)]


def _drop(left: dict[int, Message], place: int) -> None:
    """Drop a message, and with a call its results and the call."""
    message = left.pop(place, None)
    if message is None or message.call_id is None or message.kind == "evidence_inventory":
        return
    for other in [at for at, one in left.items() if one.call_id == message.call_id]:
        del left[other]


def _findings(left: dict[int, Message]) -> int:
    return _size(one for one in left.values() if not one.is_reasoning)


def _size(messages: Iterable[Message]) -> int:
    return sum(len(one.content) for one in messages)


def _shortened(content: str) -> str:
    if len(content) <= SHORTENED:
        return content
    cut = content.rfind(" ", 0, SHORTENED)
    return content[: cut if cut > 0 else SHORTENED]
