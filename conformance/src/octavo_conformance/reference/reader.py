"""The reference OCR plugin: reads capitals in the suite's own bitmap font by comparing dots.

The confidence of a word is the mean of those of its letters: 1 for the dots of the letter, 0 for so many others that it is hardly read.
"""

from __future__ import annotations

import struct
import zlib
from datetime import UTC, datetime

from octavo_contracts import (
    BoundingBox,
    HookContext,
    OcrFailed,
    OCRRequest,
    OCRResult,
    OCRWord,
    PageImage,
    ToolUnavailable,
    hookimpl,
)

from octavo_conformance.vectors.more_letters import MORE_LETTERS, SIGNS
from octavo_conformance.vectors.png_bytes import ADVANCE, DOT, FIGURES, FONT, LEADING, MARGIN

LANGUAGES = ("en", "de", "und")
LEAST_SHARE = 0.7
"""Share of equal dots above which dots are a letter."""
COLUMN_LINES, GAP = 8, 4
"""Lines of a page that may have columns, and blanks between two columns."""
LETTERS = {dots[:7]: letter for letter, dots in (SIGNS | MORE_LETTERS | FONT | FIGURES).items()}


@hookimpl
def ocr(image: PageImage, request: OCRRequest, context: HookContext) -> OCRResult:
    """See `octavo.hookspecs.ocr`."""
    if not any(language.partition("-")[0] in LANGUAGES for language in request.languages):
        raise ToolUnavailable(f"there is no font for {', '.join(request.languages)}")
    rows = pixels(image.png)
    words = find_words(rows, 72 / image.dpi)
    confidence = sum(word.confidence for word in words) / len(words) if words else 0.0
    return OCRResult(
        document_id=request.document_id,
        page_number=image.page_number,
        page_fingerprint=image.page_fingerprint,
        extracted_text=" ".join(word.text for word in words),
        words=tuple(words),
        confidence=confidence,
        method="reference",
        processed_at=datetime(2026, 1, 1, tzinfo=UTC),
        tool_version="1",
    )


def pixels(png: bytes) -> list[bytes]:
    """Return the rows of greyscale pixels of a PNG without filters."""
    if not png.startswith(b"\x89PNG"):
        raise OcrFailed("the image is not a PNG")
    at, data, width = 8, b"", 0
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        chunk = png[at + 8 : at + 8 + size]
        width = struct.unpack(">I", chunk[:4])[0] if kind == b"IHDR" else width
        data += chunk if kind == b"IDAT" else b""
        at += size + 12
    raw = zlib.decompress(data)
    return [raw[start + 1 : start + 1 + width] for start in range(0, len(raw), width + 1)]


def find_words(rows: list[bytes], scale: float) -> list[OCRWord]:
    """Return words with their boxes, in points, one column after the other."""
    words = lines_of_words(rows, scale)
    if len({word.box.top for word in words}) < COLUMN_LINES:
        return words
    places = range(MARGIN, len(rows[0]), ADVANCE)
    blank = [not any(word.box.left < place * scale + 1 < word.box.right for word in words) for place in places]
    inner = [at for at in range(len(blank) - GAP) if any(not one for one in blank[:at]) and all(blank[at : at + GAP])]
    gaps = [at for at in inner if not all(blank[at:])]
    edge = places[gaps[0]] * scale if gaps else 0.0
    return sorted(words, key=lambda word: word.box.left >= edge)


def lines_of_words(rows: list[bytes], scale: float) -> list[OCRWord]:
    """Return words with their boxes, in points, line by line."""
    words: list[OCRWord] = []
    half = DOT // 2
    for top in range(MARGIN, len(rows) - 7 * DOT, LEADING):
        line, shares = "", []
        for left in range(MARGIN, len(rows[0]) - 5 * DOT, ADVANCE):
            dots = tuple(
                "".join("1" if rows[top + y * DOT + half][left + x * DOT + half] == 0 else "0" for x in range(5))
                for y in range(7)
            )
            letter, share = nearest(dots)
            line += letter
            shares.append(share)
        start = 0
        for word in line.split():
            start = line.index(word, start)
            left, right = MARGIN + start * ADVANCE, MARGIN + (start + len(word)) * ADVANCE
            box = BoundingBox(left=left * scale, top=top * scale, right=right * scale, bottom=(top + 7 * DOT) * scale)
            alike = shares[start : start + len(word)]
            words.append(OCRWord(text=word, box=box, confidence=sum(alike) / len(alike)))
            start += len(word)
    return words


def nearest(dots: tuple[str, ...]) -> tuple[str, float]:
    """Return the letter that is most alike, with its confidence; a blank for dots that are like no letter."""
    if dots in LETTERS or not any("1" in row for row in dots):
        return LETTERS.get(dots, " "), 1.0
    flat = "".join(dots)
    share, letter = max(
        (sum(a == b for a, b in zip(flat, "".join(known), strict=True)) / len(flat), letter)
        for letter, known in FONT.items()
    )
    return (letter, (share - LEAST_SHARE) / (1 - LEAST_SHARE)) if share > LEAST_SHARE else (" ", 1.0)
