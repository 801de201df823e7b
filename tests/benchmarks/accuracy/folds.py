"""Which documents a figure may learn from, and which it is then tried on: five folds, a source in one of them alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from .manifest import Document

COUNT = 5
ASSIGNED = Path(__file__).with_name("folds.json")


def fold_of(document: Document) -> int | None:
    """The fold of a document, or None for one that nothing was ever fitted on."""
    return _assigned().get(document.id)


def assign(documents: Iterable[Document]) -> dict[str, int]:
    """Documents → folds of about the same size: the largest source first, each whole to the smallest fold."""
    given = sorted(documents, key=lambda item: item.id)
    sizes = [0] * COUNT
    of_source: dict[str, int] = {}
    for source, count in sorted(Counter(item.source for item in given).items(), key=lambda row: (-row[1], row[0])):
        of_source[source] = sizes.index(min(sizes))
        sizes[of_source[source]] += count
    return {item.id: of_source[item.source] for item in given}


def known() -> dict[str, int]:
    """Every document that has a fold, and which."""
    return dict(_assigned())


@cache
def _assigned() -> dict[str, int]:
    found: dict[str, int] = json.loads(ASSIGNED.read_text(encoding="utf-8"))
    return found
