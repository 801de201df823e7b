"""Headings held against each other, as the tree that they make (MHS)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from apted import APTED, Config  # type: ignore[import-untyped]  # apted ships no types
from rapidfuzz.distance import Levenshtein

from .markup import Heading
from .words import normalised

MOST = 400
"""Headings that are compared at most."""


@dataclass
class _Node:
    text: str
    children: list[_Node] = field(default_factory=list)


class _Costs(Config):  # type: ignore[misc]  # apted ships no types
    def rename(self, one: _Node, other: _Node) -> float:
        return float(Levenshtein.normalized_distance(one.text, other.text))

    def children(self, node: _Node) -> list[_Node]:
        return node.children


def heading_similarity(truth: Sequence[Heading], given: Sequence[Heading]) -> float:
    """1 less the edit distance of the two trees of headings over the number of headings of the larger one.

    Levels count by their order, not their number: a document that begins at level 2 has the tree of one that begins at 1.
    """
    if not truth and not given:
        return 1.0
    truth, given = truth[:MOST], given[:MOST]
    distance = float(APTED(_tree(truth), _tree(given), _Costs()).compute_edit_distance())
    return max(0.0, 1 - distance / max(len(truth), len(given)))


def _tree(headings: Sequence[Heading]) -> _Node:
    root = _Node("")
    path = [(0, root)]
    for heading in headings:
        while path[-1][0] >= heading.level:
            path.pop()
        node = _Node(normalised(heading.text))
        path[-1][1].children.append(node)
        path.append((heading.level, node))
    return root
