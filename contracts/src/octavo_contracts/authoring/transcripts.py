"""Turns transcribed speech into pages: time blocks of about a minute (CNV-9)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ..conversion import Conversion, ConversionWarning, ConvertRequest, DocumentMetadata, Page
from ..errors import ContentTooLarge
from ..reasons import DegradedFlag
from .markdown import escape, escape_line_starts

BLOCK_SECONDS = 60.0
"""A new time block starts with the first utterance that begins this long after the block's first one."""

PAUSE_SECONDS = 3.0
"""A silence this long starts a new paragraph."""

PARAGRAPH_SECONDS = 15.0
"""A paragraph of this length ends with its next full sentence."""

PAGE_CONFIDENCES = "octavo.page_confidences"
"""Key in `Conversion.extensions`: page number (as text: JSON keys) → recognition confidence, 0..1.

A host shows the values as page confidences in the quality report (QLT-1).
"""

SENTENCE_ENDS = (".", "?", "!", "。", "？", "！", "…", '."', '?"', '!"')


class Timed(Protocol):
    """Something with a start time."""

    @property
    def start(self) -> float:
        """Seconds from the beginning."""


T = TypeVar("T", bound=Timed)


@dataclass(frozen=True, kw_only=True, slots=True)
class Utterance:
    """Words that an engine recognised as one unit.

    Attributes:
        start: seconds from the beginning of the recording.
        end: seconds from the beginning of the recording.
        text: the words, on one line.
        confidence: the engine's confidence, 0..1.
    """

    start: float
    end: float
    text: str
    confidence: float


def clock(seconds: float) -> str:
    """Format a time as `HH:MM:SS`, truncated to the second: the label of a time block."""
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def in_blocks(pieces: Sequence[T]) -> list[list[T]]:
    """Group items in order of time into blocks of `BLOCK_SECONDS`; no items give no block."""
    blocks: list[list[T]] = []
    for piece in pieces:
        if not blocks or piece.start - blocks[-1][0].start >= BLOCK_SECONDS:
            blocks.append([])
        blocks[-1].append(piece)
    return blocks


def require_room(seconds: float | None, request: ConvertRequest) -> None:
    """Raise if a recording has more time blocks than the request allows pages.

    Args:
        seconds: length of the recording, or None if it is not known yet.
        request: the request for the conversion.

    Raises:
        ContentTooLarge: the recording has too many time blocks.
    """
    blocks = math.ceil((seconds or 0) / BLOCK_SECONDS)
    if blocks > request.max_pages:
        raise ContentTooLarge(f"{blocks} time blocks are above the limit of {request.max_pages}")


def transcript(
    utterances: Sequence[Utterance],
    *,
    duration: float,
    language: str | None,
    doubtful_below: float,
    engine_version: str | None = None,
    warnings: Sequence[ConversionWarning] = (),
) -> Conversion:
    """Build a conversion of time blocks. Paragraphs of the markdown begin with their time; the plain text has words only.

    Args:
        utterances: recognised speech, in order of time; a recording without speech has none and gives one empty block.
        duration: length of the recording, seconds.
        language: language of the speech, BCP 47, or None if unknown.
        doubtful_below: confidence below which a block gets a warning that its words may be wrong (OCR-5).
        engine_version: version of the speech engine.
        warnings: further warnings.
    """
    blocks = in_blocks(utterances)
    pages = tuple(_page(number, block) for number, block in enumerate(blocks, start=1))
    sure = {page.number: _confidence(block) for page, block in zip(pages, blocks, strict=True)}
    doubts = [
        ConversionWarning(
            code=DegradedFlag.OCR_LOW_CONFIDENCE.value,
            message=f"the words from {clock(blocks[number - 1][0].start)} on were recognised with a confidence of {value:.2f}",
            page=number,
        )
        for number, value in sure.items()
        if value < doubtful_below
    ]
    fields: dict[str, object] = {"duration_seconds": round(duration, 3), "utterances": len(utterances)}
    if sure:
        fields["confidence"] = _confidence(utterances)
    return Conversion(
        pages=pages or (Page(number=1, label=clock(0), kind="time_block", markdown="", text=""),),
        paginated=True,
        metadata=DocumentMetadata.model_validate({"language": language, "fields": fields}),
        warnings=(*warnings, *doubts),
        engine_version=engine_version,
        extensions={PAGE_CONFIDENCES: {str(number): value for number, value in sure.items()}} if sure else {},
    )


def _page(number: int, block: Sequence[Utterance]) -> Page:
    paragraphs = [(part[0].start, " ".join(piece.text for piece in part)) for part in _paragraphs(block)]
    return Page(
        number=number,
        label=clock(block[0].start),
        kind="time_block",
        markdown="\n\n".join(f"[{clock(at)}] {escape_line_starts(escape(words))}" for at, words in paragraphs),
        text="\n\n".join(words for _, words in paragraphs),
    )


def _paragraphs(block: Sequence[Utterance]) -> list[list[Utterance]]:
    parts = [[block[0]]]
    for piece in block[1:]:
        last = parts[-1][-1]
        is_long = last.end - parts[-1][0].start >= PARAGRAPH_SECONDS and last.text.endswith(SENTENCE_ENDS)
        if is_long or piece.start - last.end >= PAUSE_SECONDS:
            parts.append([])
        parts[-1].append(piece)
    return parts


def _confidence(pieces: Sequence[Utterance]) -> float:
    """Mean confidence weighted by number of characters: a long utterance counts more than a short one."""
    letters = [max(1, len(piece.text)) for piece in pieces]
    weighed = sum(piece.confidence * count for piece, count in zip(pieces, letters, strict=True))
    return round(weighed / sum(letters), 3)
