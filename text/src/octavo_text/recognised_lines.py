"""The lines of a recognised page, each word of them with its box and its confidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from octavo_contracts import BoundingBox, OCRResult, OCRWord

LEAST_FOUND = 6
"""Letters of a line that is searched for among later words, where its own words are not in the result."""


class Token(NamedTuple):
    """A word of a line as the text has it, which may be several words of the result without a blank between them.

    Attributes:
        text: the word.
        box: its box, in points.
        confidence: mean over its characters.
        start: index of its first word in the result.
        stop: index after its last word.
    """

    text: str
    box: BoundingBox
    confidence: float
    start: int
    stop: int

    @property
    def letters(self) -> int:
        """Number of letters and digits."""
        return sum(map(str.isalnum, self.text))

    @property
    def height(self) -> float:
        """Height in points."""
        return self.box.bottom - self.box.top


def lines_of(result: OCRResult) -> list[list[Token]]:
    """Return the words of each line of a result's text; an empty list for a line whose words the result does not have."""
    parts = ["".join(word.text.split()) for word in result.words]
    owners = [at for at, part in enumerate(parts) for _ in part]
    stream = "".join(parts)
    at = 0
    found: list[list[Token]] = []
    for line in result.extracted_text.splitlines():
        tokens = line.split()
        joined = "".join(tokens)
        place = stream.find(joined, at) if joined else -1
        if place < 0 or (place > at and len(joined) < LEAST_FOUND):
            found.append([])
            continue
        own = []
        for token in tokens:
            chars = owners[place : place + len(token)]
            own.append(_token(token, result.words, chars))
            place += len(token)
        found.append(own)
        at = place
    return found


def with_boxes(result: OCRResult, placed: Callable[[BoundingBox], BoundingBox] | None) -> OCRResult:
    """Return a result with another box for each word.

    Args:
        result: of a page.
        placed: maps a box to the new one; None: the boxes stay.
    """
    if placed is None:
        return result
    words = tuple(word.model_copy(update={"box": placed(word.box)}) for word in result.words)
    return result.model_copy(update={"words": words})


def union(boxes: Iterable[BoundingBox]) -> BoundingBox:
    """Return the box around boxes."""
    some = list(boxes)
    return BoundingBox(
        left=min(box.left for box in some),
        top=min(box.top for box in some),
        right=max(box.right for box in some),
        bottom=max(box.bottom for box in some),
    )


def _token(text: str, words: Sequence[OCRWord], owners: Sequence[int]) -> Token:
    first, last = owners[0], owners[-1]
    confidence = sum(words[at].confidence for at in owners) / len(owners)
    box = words[first].box if first == last else union(word.box for word in words[first : last + 1])
    return Token(text, box, confidence, first, last + 1)
