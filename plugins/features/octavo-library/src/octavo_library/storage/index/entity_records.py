"""Value objects for entities that enter and leave the index. Frozen; no SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from octavo_contracts import EntityObservation


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """An immutable row of the decision log.

    Attributes:
        number: its position in the log.
        action: `promote`, `demote`, or `undo`, which reverts the decision `undoes`.
        reason: `user` or `reuse`.
        by: the user who decided.
        note: why, in words; for `reuse`, where the entity was used.
        at: when, ISO 8601, UTC.
        undoes: the decision that it reverts, or None.
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
    """A verified observation: its text was found at its span. With its normal form.

    Attributes:
        observation: the observation from the engine.
        key: shared by all mentions of the same entity.
        value: the normal form for display.
    """

    observation: EntityObservation
    key: str
    value: str


@dataclass(frozen=True, kw_only=True)
class CheckedMentions:
    """The verified part of an engine's result.

    Attributes:
        kept: mentions by position in the text.
        dropped: reason → number of dropped mentions; reasons without any are left out.
    """

    kept: tuple[Mention, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)

    @property
    def found(self) -> int:
        """Number of mentions that the engine returned."""
        return len(self.kept) + sum(self.dropped.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredObservation:
    """A stored mention."""

    document_id: str
    version: int
    start: int
    end: int
    text: str
    confidence: float
    normalized: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenEntity:
    """An entity as visible to a user.

    Attributes:
        entity_id: its id.
        label: its kind.
        key: its normal form.
        documents: number of visible documents that mention it.
        observations: the requested mentions, by document and position.
        decisions: the rows of its log that apply to the user.
    """

    entity_id: str
    label: str
    key: str
    documents: int
    observations: tuple[StoredObservation, ...]
    decisions: tuple[Decision, ...] = field(default=())
