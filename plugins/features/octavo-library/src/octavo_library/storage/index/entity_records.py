"""Entities as the index takes and gives them. Frozen; no SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from octavo_contracts import EntityObservation


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """A row of the log of decisions; it is never changed.

    Attributes:
        number: its place in the log.
        action: `promote`, `demote`, or `undo`, which takes back the decision `undoes`.
        reason: `user` or `reuse`.
        by: who.
        note: why, in words; for reuse where it was used.
        at: when, ISO 8601, UTC.
        undoes: the decision it takes back, or None.
    """

    number: int
    action: Literal["promote", "demote", "undo"]
    reason: Literal["user", "reuse"]
    by: str
    note: str
    at: str
    undoes: int | None = None


@dataclass(frozen=True, kw_only=True)
class Mention:
    """An observation that was found at its span, with its normal form.

    Attributes:
        observation: as the engine made it.
        key: what mentions of one thing share.
        value: the normal form to show.
    """

    observation: EntityObservation
    key: str
    value: str


@dataclass(frozen=True, kw_only=True)
class CheckedMentions:
    """What is left of an engine's answer.

    Attributes:
        kept: mentions by their place in the text.
        dropped: reason → how many; reasons that did not occur are left out.
    """

    kept: tuple[Mention, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)

    @property
    def found(self) -> int:
        """How many the engine gave."""
        return len(self.kept) + sum(self.dropped.values())
