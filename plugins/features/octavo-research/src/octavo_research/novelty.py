"""Novelty of sources by containment (RES-8): an excerpt of a page that was found before is a duplicate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from octavo_text.words import words

SHINGLE = 5
"""Words of a shingle; a shorter text is one shingle."""
RELATED_FROM = 0.3
DUPLICATE_ABOVE = 0.7
MAX_CHARS = 50_000
"""Code points of a source that are compared."""


class NoveltyTag(StrEnum):
    """How much of a source was in earlier ones."""

    NEW = "new"
    RELATED = "related"
    DUPLICATE = "duplicate"


@dataclass(frozen=True, kw_only=True)
class Novelty:
    """Novelty of a source.

    Attributes:
        tag: new below 0.3, duplicate above 0.7, else related.
        similarity: share of the source's shingles that the most similar earlier source has, 0..1.
        nearest: that source's key; None for a new source.
    """

    tag: NoveltyTag
    similarity: float
    nearest: str | None

    def label(self, title: str) -> str:
        """The tag as a message has it; `title` is what the nearest source is called."""
        return {"new": "[NEW]", "related": f"[RELATED: {title}]", "duplicate": "[DUPLICATE]"}[self.tag]


def shingles(text: str) -> frozenset[int]:
    """Hashes of the runs of five words of a text. They differ between processes, so they are never stored."""
    found = words(text[:MAX_CHARS])
    return frozenset(
        hash(tuple(found[place : place + SHINGLE])) for place in range(max(1, len(found) - SHINGLE + 1)) if found
    )


def containment(new: frozenset[int], earlier: frozenset[int]) -> float:
    """Share of a new source's shingles that an earlier one has."""
    return len(new & earlier) / len(new) if new else 0.0


def novelty(new: frozenset[int], earlier: Mapping[str, frozenset[int]]) -> Novelty:
    """Compare a source with the earlier ones of its sub-query and its batch, by their keys."""
    similarity, nearest = max(
        ((containment(new, held), key) for key, held in earlier.items()), key=lambda one: one[0], default=(0.0, "")
    )
    return Novelty(
        tag=tag_of(similarity), similarity=similarity, nearest=nearest if similarity >= RELATED_FROM else None
    )


def tag_of(similarity: float) -> NoveltyTag:
    """The tag of a similarity."""
    if similarity < RELATED_FROM:
        return NoveltyTag.NEW
    return NoveltyTag.DUPLICATE if similarity > DUPLICATE_ABOVE else NoveltyTag.RELATED


def novelty_header(found: Sequence[NoveltyTag]) -> str:
    """The first line of a message with search results."""
    counts = {tag: sum(one is tag for one in found) for tag in NoveltyTag}
    return (
        f"Novelty: {counts[NoveltyTag.NEW]} new, {counts[NoveltyTag.RELATED]} related, "
        f"{counts[NoveltyTag.DUPLICATE]} duplicate out of {len(found)} results"
    )
