"""Links a new memory to memories of almost the same words; nothing is merged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, NamedTuple

from octavo_library.storage import Index, MemoryScope

from .models import LinkKind
from .statement_check import figures_of, is_negated
from .terms import similarity

NEAR: Final = 0.8
"""Least share of common terms of two near-duplicates."""

MADE_BY: Final = "octavo"
"""Author of the links."""


class NearDuplicate(NamedTuple):
    """A stored memory that resembles a text.

    Attributes:
        memory_id: the memory.
        kind: whether figures and negations agree too.
        similarity: share of common terms, 0..1.
    """

    memory_id: str
    kind: LinkKind
    similarity: float


def near_duplicates(
    index: Index, text: str, *, terms: Mapping[str, int], scope: MemoryScope
) -> tuple[NearDuplicate, ...]:
    """Stored memories of almost the same words, the most similar first.

    Figures are compared apart from words: two memories that differ in a figure alone are no duplicates.

    Args:
        index: the library's index.
        text: the text of the new memory.
        terms: its terms.
        scope: the memories to compare with.
    """
    wording = _wording(terms)
    possible = index.memories.sharing(wording, least=math.ceil(NEAR * len(wording)), scope=scope)
    stored = index.memories.get_many(possible, scope=scope)
    held = index.memories.terms_in(stored)
    found = []
    for memory_id, memory in stored.items():
        alike = similarity(wording, _wording(held.get(memory_id, ())))
        if alike >= NEAR:
            same = figures_of(text) == figures_of(memory.text) and is_negated(text) == is_negated(memory.text)
            kind = LinkKind.NEAR_DUPLICATE if same else LinkKind.DIFFERS
            found.append(NearDuplicate(memory_id, kind, alike))
    return tuple(sorted(found, key=lambda one: (-one.similarity, one.memory_id)))


def _wording(terms: Mapping[str, int] | frozenset[str] | tuple[str, ...]) -> frozenset[str]:
    """The terms without figures; all of them if there are only figures."""
    words = frozenset(term for term in terms if not any(map(str.isdigit, term)))
    return words or frozenset(terms)
