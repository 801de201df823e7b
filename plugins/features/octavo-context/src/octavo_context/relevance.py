"""Word-based ranking of the pages or passages of a document by relevance to a message."""

from __future__ import annotations

from collections.abc import Sequence

from octavo_digest import Bm25Scorer

from .material import Material

MOST_PAGES = 3
"""Most pages added if the message names none."""
_LEAST_SHARE = 0.5
"""Share of the best score below which a page is not relevant."""
_PASSAGE_CHARS = 1500


def relevant_pages(material: Material, message: str, *, most: int = MOST_PAGES) -> tuple[int, ...]:
    """Pages that share most words with a message, best first; empty if no page shares one."""
    best = _best(message, [page.text for page in material.pages], most)
    return tuple(material.pages[place].number for place in best)


def relevant_passages(material: Material, message: str, *, most: int = MOST_PAGES) -> tuple[tuple[int, int], ...]:
    """Passages of a document without pages, as spans of its canonical text, in order."""
    spans = _passages(material)
    text = material.document.canonical_text
    best = _best(message, [text[start:end] for start, end in spans], most)
    return tuple(sorted(spans[place] for place in best))


def order_by_relevance(message: str, texts: Sequence[str]) -> list[float]:
    """Relevance of each text to a message, 0..1."""
    return Bm25Scorer().score(message, list(texts)) if texts and message.strip() else [0.0] * len(texts)


def _best(message: str, texts: list[str], most: int) -> list[int]:
    scores = order_by_relevance(message, texts)
    top = max(scores, default=0.0)
    if top <= 0:
        return []
    ranked = sorted(range(len(texts)), key=lambda place: (-scores[place], place))
    return [place for place in ranked[:most] if scores[place] >= _LEAST_SHARE * top]


def _passages(material: Material) -> list[tuple[int, int]]:
    """Split the canonical text into passages that start at block boundaries."""
    text = material.document.structured_text
    starts = sorted({0, *text.breaks})
    spans: list[tuple[int, int]] = []
    begin = 0
    for start in (*starts[1:], len(text.text)):
        if start - begin >= _PASSAGE_CHARS:
            spans.append((begin, start))
            begin = start
    if begin < len(text.text):
        spans.append((begin, len(text.text)))
    return [span for start, end in spans for span in _cut(start, end)]


def _cut(start: int, end: int) -> list[tuple[int, int]]:
    longest = 2 * _PASSAGE_CHARS
    return [(at, min(at + longest, end)) for at in range(start, end, longest)]
