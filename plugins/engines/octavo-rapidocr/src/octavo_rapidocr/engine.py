"""Loads RapidOCR once per process: its detector and its reader, with the models in its wheel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from octavo_contracts import OcrFailed, ToolUnavailable
from octavo_contracts.authoring.usage_events import silence_usage_events

PLUGIN = "rapidocr"
Picture = NDArray[np.uint8]
"""Rows, columns, and three colours."""
LONGEST_SIDE = 2000
"""Pixels. RapidOCR shrinks larger pictures to this itself, but by leaving pixels out, and keeps both pictures in memory."""
LEAST_GAP = 0.5
"""Width of a gap between words, in heights of their line; two letters of a word are at most half as far apart."""
FIRST_IDEOGRAM = "\u2e80"
"""First code point of the scripts of Chinese and Japanese."""
Corners = tuple[tuple[float, float], ...]
"""Four points in pixels, clockwise from the top left of the text."""


class Word(NamedTuple):
    """A word of a line: text, corners and confidence."""

    text: str
    corners: Corners
    confidence: float


class Line(NamedTuple):
    """A line as RapidOCR finds it: a stretch of text without a wide gap."""

    text: str
    corners: Corners
    confidence: float
    words: tuple[Word, ...]


@cache
def load() -> Any:
    """RapidOCR's engine. Any: it ships no useful types.

    It looks for no direction of its own: its classifier turns single lines, and the words of a turned line would
    get boxes in the wrong order. One thread: pages are what runs side by side.

    Raises:
        ToolUnavailable: it cannot be imported, or its models cannot be loaded.
    """
    remedy = "Run: pip install octavo-rapidocr"
    silence_usage_events()
    try:
        from rapidocr import RapidOCR
    except ImportError as error:
        raise ToolUnavailable(f"RapidOCR cannot be imported: {error}", plugin=PLUGIN, remedy=remedy) from error
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def version() -> str:
    """The version of its distribution."""
    try:
        return metadata.version("rapidocr")
    except metadata.PackageNotFoundError:
        return "unknown"


def decode(png: bytes) -> Picture:
    """The pixels of a PNG; where its longest side has more than `LONGEST_SIDE`, each is the mean of those that it stands for.

    Raises:
        OcrFailed: the bytes are damaged.
        ToolUnavailable: OpenCV, which RapidOCR brings, is missing.
    """
    try:
        import cv2
    except ImportError as error:
        raise ToolUnavailable(
            f"OpenCV cannot be imported: {error}", plugin=PLUGIN, remedy="Run: pip install octavo-rapidocr"
        ) from error
    picture = cv2.imdecode(np.frombuffer(png, dtype=np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        raise OcrFailed("the picture of the page cannot be decoded", plugin=PLUGIN)
    height, width = picture.shape[:2]
    if (longest := max(height, width)) > LONGEST_SIDE:
        size = (max(1, round(width * LONGEST_SIDE / longest)), max(1, round(height * LONGEST_SIDE / longest)))
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    return np.asarray(picture, dtype=np.uint8)


def read(picture: Picture) -> list[Line]:
    """Find and read the lines of an upright image, from the top."""
    found = load()(picture, return_word_box=True)
    if not found.txts:
        return []
    lines = []
    for text, score, box, words in zip(found.txts, found.scores, found.boxes, found.word_results, strict=True):
        parts = tuple(
            Word(str(part), _corners(corners), float(confidence))
            for part, confidence, corners in words
            if corners is not None and str(part).strip()
        )
        corners = _corners(box)
        lines.append(Line(_spaced(str(text).strip(), parts, corners), corners, float(score), parts))
    return [line for line in lines if line.text]


def _spaced(text: str, words: Sequence[Word], corners: Corners) -> str:
    """Return the text of a line with a blank in each wide gap between two of its words.

    The reader finds a new word behind a gap of any width, but writes a blank only where its model has seen one.
    """
    least = LEAST_GAP * math.dist(corners[1], corners[2])
    end = 0
    for before, word in pairwise(words):
        end = text.find(before.text, end) + len(before.text)
        if (
            text.startswith(word.text, end)
            and _is_letter(text[end - 1])
            and _is_letter(text[end])
            and math.dist(before.corners[1], word.corners[0]) >= least
        ):
            text = f"{text[:end]} {text[end:]}"
    return text


def _is_letter(character: str) -> bool:
    """Whether a character is a letter or a digit, but no ideogram or kana: these scripts write no blanks."""
    return character.isalnum() and character < FIRST_IDEOGRAM


def _corners(points: Any) -> Corners:
    return tuple((float(x), float(y)) for x, y in points)
