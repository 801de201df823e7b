"""Recognises the image of a page and returns an `OCRResult`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from octavo_contracts import (
    BoundingBox,
    ContentTooLarge,
    OcrFailed,
    OCRRequest,
    OCRResult,
    OCRWord,
    PageImage,
    ToolUnavailable,
    UsageError,
)

from .columns import in_reading_order
from .engine import PLUGIN, Line, Word, decode, read, version
from .line_density import discounted
from .turning import read_any_way_up, turn_back

MAX_PIXELS = 100_000_000
"""Width times height by the picture's header; more is refused before anything is decoded."""

LANGUAGES = frozenset({
    "af", "az", "bs", "ca", "cs", "cy", "da", "de", "en", "es", "et", "eu", "fi", "fr", "ga", "gl", "hr", "hu", "id",
    "is", "it", "ja", "la", "lt", "lv", "ms", "mt", "nb", "nl", "nn", "no", "pl", "pt", "ro", "sk", "sl", "sq", "sv",
    "sw", "tr", "uz", "zh",
})  # fmt: skip
"""What the models of the wheel can write: Latin, Chinese and Japanese. One model reads them all."""

SCRIPTS = frozenset({"Latn", "Latf", "Hani", "Hans", "Hant", "Jpan"})
"""Scripts of these languages, ISO 15924."""

_PNG = b"\x89PNG\r\n\x1a\n"


def recognise_page(image: PageImage, request: OCRRequest) -> OCRResult:
    """Recognise one page.

    Args:
        image: the page.
        request: languages; there are no options.

    Raises:
        OcrFailed: the bytes are no picture.
        ContentTooLarge: more pixels than `MAX_PIXELS`.
        ToolUnavailable: RapidOCR is not installed, or has no model for a language.
        UsageError: an option that does not exist.
    """
    whole = max(_size(image.png))
    _check_request(request)
    picture = decode(image.png)
    height, width = picture.shape[:2]
    points = 72 / image.dpi * whole / max(width, height)
    found, turns = read_any_way_up(picture, read)
    lines = [discounted(line) for line in in_reading_order(found)]
    words = tuple(_word(word, turns, width=width, height=height, scale=points) for line in lines for word in line.words)
    return OCRResult(
        document_id=request.document_id,
        page_number=image.page_number,
        page_fingerprint=image.page_fingerprint,
        extracted_text=text_of(lines),
        words=words,
        confidence=round(sum(word.confidence for word in words) / len(words), 4) if words else 0.0,
        method=PLUGIN,
        processed_at=datetime.now(UTC),
        language=next(iter(request.languages), None),
        tool_version=version(),
    )


def text_of(lines: Sequence[Line]) -> str:
    """The lines as text: those that stand beside each other on one line, in the order in which they were found."""
    parts: list[str] = []
    before: Line | None = None
    for line in lines:
        if before is not None:
            parts.append(" " if _beside(before, line) else "\n")
        parts.append(line.text)
        before = line
    return "".join(parts)


def _beside(left: Line, right: Line) -> bool:
    """Whether one line goes on where another ended, after a gap."""
    middle = sum(y for _, y in right.corners) / len(right.corners)
    edges = [y for _, y in left.corners]
    starts_later = min(x for x, _ in right.corners) >= max(x for x, _ in left.corners)
    return starts_later and min(edges) < middle < max(edges)


def _word(word: Word, turns: int, *, width: int, height: int, scale: float) -> OCRWord:
    left, top, right, bottom = turn_back(word.corners, turns, width=width, height=height)
    box = BoundingBox(
        left=round(left * scale, 3),
        top=round(top * scale, 3),
        right=round(right * scale, 3),
        bottom=round(bottom * scale, 3),
    )
    return OCRWord(text=word.text.strip(), box=box, confidence=round(min(1.0, max(0.0, word.confidence)), 4))


def _size(png: bytes) -> tuple[int, int]:
    """Width and height by the header: a bomb is seen before it is unpacked."""
    if not png.startswith(_PNG) or png[12:16] != b"IHDR" or len(png) < 33:
        raise OcrFailed("the picture of the page is no PNG", plugin=PLUGIN)
    width, height = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
    if width * height > MAX_PIXELS:
        raise ContentTooLarge(
            f"the picture is {width:,} pixels wide and {height:,} pixels high; at most {MAX_PIXELS:,} in all are read",
            plugin=PLUGIN,
            remedy="Recognise it at a lower resolution",
        )
    return width, height


def _check_request(request: OCRRequest) -> None:
    if request.options:
        raise UsageError(f"rapidocr has no option {min(request.options)!r}", remedy="It has none")
    tags = [language.replace("_", "-").lower().partition("-")[0] for language in request.languages]
    if not LANGUAGES.issuperset(tags):  # the host would remove a tag from the message
        raise ToolUnavailable(
            "the models of RapidOCR's wheel do not read the requested language",
            plugin=PLUGIN,
            remedy="Use tesseract with the data of that language",
        )
    if request.script is not None and request.script not in SCRIPTS:
        raise ToolUnavailable(
            f"the models of RapidOCR's wheel do not read the script {request.script}",
            plugin=PLUGIN,
            remedy="Use tesseract with the data of that script",
        )
