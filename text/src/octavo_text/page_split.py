"""Restore page boundaries in markdown that lost them, using a second reading of each page.

Both texts are reduced to words. Word runs that occur exactly once in each are anchors. The longest chain of anchors
in the same order in both is kept, so that moved or invented passages do not mislead. The boundary before page n
is placed before the first word anchored to page n or later.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

_WORD = re.compile(r"\w+")
RUN = 4
"""Words in an anchor: long enough to be unique, short enough to survive small differences."""


def split_markdown(markdown: str, page_texts: Sequence[str]) -> tuple[list[str], float]:
    """Cut markdown into as many parts as there are pages.

    Args:
        markdown: the markdown of the whole document.
        page_texts: the text of each page from a second reading.

    Returns:
        The parts, whose concatenation is the markdown but for white space at the cuts, and the share of the
        boundaries that were located (a boundary next to a page without words counts as located).
    """
    matches = list(_WORD.finditer(markdown))
    here = [match.group().casefold() for match in matches]
    there: list[str] = []
    page_of: list[int] = []
    for number, text in enumerate(page_texts):
        words = [word.casefold() for word in _WORD.findall(text)]
        there.extend(words)
        page_of.extend([number] * len(words))
    chain = _anchors(here, there)
    cuts, located = _cuts(chain, page_of, len(page_texts), len(here))
    parts: list[str] = []
    start = 0
    for cut in cuts:
        at = _line_start(markdown, matches[cut].start(), floor=start) if cut < len(matches) else len(markdown)
        parts.append(markdown[start:at].strip("\n"))
        start = at
    parts.append(markdown[start:].strip("\n"))
    return parts, located


def _anchors(here: list[str], there: list[str]) -> list[tuple[int, int]]:
    """Return the positions of word runs that are unique in both texts, as the longest chain that ascends in both."""
    first, second = _unique_runs(here), _unique_runs(there)
    pairs = sorted((place, second[run]) for run, place in first.items() if run in second)
    tails: list[int] = []
    tail_pair: list[int] = []
    previous = [-1] * len(pairs)
    for index, (_, target) in enumerate(pairs):
        at = bisect_left(tails, target)
        previous[index] = tail_pair[at - 1] if at else -1
        tails[at : at + 1] = [target]
        tail_pair[at : at + 1] = [index]
    chain: list[tuple[int, int]] = []
    index = tail_pair[-1] if tail_pair else -1
    while index >= 0:
        chain.append(pairs[index])
        index = previous[index]
    return chain[::-1]


def _unique_runs(words: list[str]) -> dict[tuple[str, ...], int]:
    runs = [tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)]
    counts = Counter(runs)
    return {run: place for place, run in enumerate(runs) if counts[run] == 1}


def _cuts(chain: list[tuple[int, int]], page_of: list[int], pages: int, words: int) -> tuple[list[int], float]:
    starts: dict[int, int] = {}
    for place, page in enumerate(page_of):
        starts.setdefault(page, place)
    cuts: list[int] = []
    located = 0
    floor = 0
    for page in range(1, pages):
        after = next((start for number in range(page, pages) if (start := starts.get(number)) is not None), None)
        if after is None:  # no words on this page or any later one
            cuts.append(words)
            located += 1
            continue
        index = bisect_left(chain, after, key=lambda pair: pair[1])
        if index == len(chain):
            cut, sure = words, False
        else:
            place, target = chain[index]
            cut = max(floor, place - (target - after))
            # Certain if the anchor is on the page itself and near its first word.
            sure = page not in starts or (page_of[target] == page and target - after <= 40)
        cut = min(max(cut, floor), words)
        cuts.append(cut)
        located += sure
        floor = cut
    return cuts, located / max(1, pages - 1)


def _line_start(markdown: str, offset: int, *, floor: int) -> int:
    """Return the start of the line if only markup precedes the word, so that `## ` goes with its heading."""
    start = max(markdown.rfind("\n", floor, offset) + 1, floor)
    return offset if _WORD.search(markdown, start, offset) else start
