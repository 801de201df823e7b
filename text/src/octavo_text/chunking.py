"""Chunks: the pieces of a canonical text that retrieval works on (DIG-12, R-7).

A page's chunks concatenate to the page, none crosses a page, and offsets are carried along, never searched for
again. A cut goes, in this order, after a block, a sentence, a clause, a word; in one long word it goes anywhere.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from octavo_contracts import Chunk, PageAnchorMap, Span, UsageError

from .canonical import CanonicalText
from .deadline import checkpoint

# Each pattern begins with one character class, which the search skips to; the lookbehind then selects the script.
# A run of full stops that ends no sentence is matched as well, without the group: a search that restarted at each of
# its characters would take time quadratic in the run's length.
_SENTENCE_END = re.compile(
    r"""[.!?…。！？｡؟۔।](?:(?<=[.!?…])[.!?…]*+(?:["'’”»)\]]*+\s+())?|(?<=[。！？｡])[。！？｡]*+["'」』”’）]*+\s*()|(?<=[؟۔।])[؟۔।]*+(?:\s+())?)"""
)
_CLAUSE_END = re.compile(r"[,;:–—、，；：،؛](?:(?<=[,;:–—])\s+|(?<=[、，；：،؛])\s*)()")
_WORD_END = re.compile(r"\s+()")
_WITHIN_AN_END = re.compile(r"""[.!?…。！？｡؟۔।"'’”»)\]」』）,;:–—、，；：،؛\s]""")
"""Characters that boundaries consist of: a search that starts after any other character finds the same boundaries."""

_SIZES = re.compile(r"fixed-([1-9]\d{0,6})-([1-9]\d{0,6})-([1-9]\d{0,6})", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class ChunkingConfig:
    """How to cut. Sizes are code points.

    Attributes:
        version: name of this config; part of every chunk's id.
        target: preferred size.
        maximum: hard limit.
        minimum: a shorter tail is merged into the previous chunk, or the previous boundary moves back.
    """

    version: str = "fixed-400-500-50"
    target: int = 400
    maximum: int = 500
    minimum: int = 50

    def __post_init__(self) -> None:
        if not 0 < self.minimum <= self.target <= self.maximum:
            raise ValueError(f"chunk sizes must satisfy 0 < minimum <= target <= maximum; got {self}")


DEFAULT_CHUNKING = ChunkingConfig()


def chunking_named(version: str) -> ChunkingConfig:
    """Return the chunking config for a name `fixed-TARGET-MAXIMUM-MINIMUM`, sizes in code points.

    Raises:
        UsageError: the name has another form, or its sizes are inconsistent.
    """
    match = _SIZES.fullmatch(version)
    try:
        if match is not None:
            target, maximum, minimum = map(int, match.groups())
            return ChunkingConfig(version=version, target=target, maximum=maximum, minimum=minimum)
    except ValueError:
        pass
    raise UsageError(
        f"invalid chunking config {version!r}",
        remedy="Give fixed-TARGET-MAXIMUM-MINIMUM in characters, for example fixed-400-500-50",
    )


def chunk_spans(text: CanonicalText, config: ChunkingConfig = DEFAULT_CHUNKING) -> tuple[Span, ...]:
    """Cut a canonical text; the chunks of each page tile its body."""
    return tuple(span for spans in _spans_by_page(text, config) for span in spans)


def make_chunks(
    text: CanonicalText, anchors: PageAnchorMap, config: ChunkingConfig = DEFAULT_CHUNKING
) -> tuple[Chunk, ...]:
    """Build the chunk manifest of a canonical text. The same text and config give the same ids (STO-7)."""
    chunks = []
    seed = hashlib.sha256(f"{config.version}\n{text.sha256}\n".encode())
    for spans in _spans_by_page(text, config):
        page = anchors.page_at(spans[0].start) if spans else None
        shown = None
        if page is not None:
            anchor = anchors.page(page)
            shown = Span(start=anchor.markdown_start, end=anchor.markdown_end)
        for span in spans:
            checkpoint()
            key = seed.copy()
            key.update(b"%d-%d" % (span.start, span.end))
            chunks.append(
                Chunk(
                    chunk_id=key.hexdigest()[:24],
                    config_version=config.version,
                    span=span,
                    markdown_span=shown,
                    page=page,
                )
            )
    return tuple(chunks)


def _spans_by_page(text: CanonicalText, config: ChunkingConfig) -> Iterator[list[Span]]:
    for page in text.pages:
        first, last = bisect_right(text.breaks, page.start), bisect_left(text.breaks, page.end)
        blocks = [place - page.start for place in text.breaks[first:last]]
        yield [
            Span(start=page.start + start, end=page.start + end)
            for start, end in _cut(page.of(text.text), blocks, config)
        ]


def _cut(body: str, blocks: list[int], config: ChunkingConfig) -> Iterator[tuple[int, int]]:
    start, length = 0, len(body)
    while length - start > config.maximum:
        checkpoint()
        end = _boundary(body, blocks, start, config)
        rest = length - end
        if rest < config.minimum:
            # A short tail would remain: move this boundary back instead, so that both chunks are within bounds.
            end = _boundary_before(body, blocks, start, length - config.minimum, config)
        yield start, end
        start = end
    if body:
        yield start, length


def _boundary(body: str, blocks: list[int], start: int, config: ChunkingConfig) -> int:
    return _boundary_before(body, blocks, start, start + config.maximum, config)


def _boundary_before(body: str, blocks: list[int], start: int, limit: int, config: ChunkingConfig) -> int:
    """The best place to cut in [start + minimum, limit]: the strongest kind of boundary, nearest to the target."""
    low, goal = start + config.minimum, start + config.target
    inside = blocks[bisect_left(blocks, low) : bisect_right(blocks, limit)]
    if inside:
        return min(inside, key=lambda place: (abs(place - goal), place))
    # Search first from as far below the goal as the limit is above it: that range usually contains a boundary.
    starts = dict.fromkeys((_outside(body, max(low, 2 * goal - limit), low - 1), low - 1))
    for pattern in (_SENTENCE_END, _CLAUSE_END, _WORD_END):
        place = _nearest(pattern, body, starts, goal, limit)
        if place is not None:
            return place
    return limit


def _nearest(pattern: re.Pattern[str], body: str, starts: Iterable[int], goal: int, limit: int) -> int | None:
    """Return the boundary up to the limit that is nearest to the goal, the lower of two equally near ones, or None.

    A search finds boundaries whose first character is at `start` or later; the first of `starts` that finds any
    decides.
    """
    for start in starts:
        best: int | None = None
        for match in pattern.finditer(body, start, limit):
            if match.lastindex is None:
                continue
            place = match.end()
            if best is not None and abs(place - goal) >= abs(best - goal):
                break  # places ascend: the next ones are farther still
            best = place
        if best is not None:
            return best
    return None


def _outside(body: str, start: int, floor: int) -> int:
    """Return the last offset from `start` down to `floor` that no boundary spans."""
    while start > floor and _WITHIN_AN_END.match(body, start - 1):
        start -= 1
    return start
