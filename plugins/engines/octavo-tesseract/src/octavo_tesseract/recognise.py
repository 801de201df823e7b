"""Recognises the image of a page and returns an `OCRResult`."""

from __future__ import annotations

from datetime import UTC, datetime

from octavo_contracts import ContentTooLarge, HookContext, OcrFailed, OCRRequest, OCRResult, PageImage, UsageError

from .languages import file_names
from .program import ORIENTATION_DATA, PLUGIN, find_program, installed_languages, run, version
from .table import left_out, read_rows, text_of, word_of
from .unread_ink import unread_share

MAX_PIXELS = 100_000_000
"""Width times height by the picture's header; more is refused before anything is decoded."""

SEGMENTATION_WITH_ORIENTATION, SEGMENTATION = 1, 3
"""Tesseract's modes for a whole page: looking first which way up it lies, or taking it as upright."""

SEGMENTATION_AS_ONE_BLOCK = 6
"""Tesseract's mode without layout analysis, which drops nothing."""
MAX_UNREAD = 0.1
"""A page with a larger share of its ink outside the words is read again."""

_PNG = b"\x89PNG\r\n\x1a\n"
_MIN_DPI, _MAX_DPI = 70, 2400
"""Tesseract takes nothing outside of this, and guesses instead."""
_LAST_MODE = 13


def recognise_page(image: PageImage, request: OCRRequest, context: HookContext) -> OCRResult:
    """Recognise one page.

    A page that lies on its side or upside down is read all the same; its words' boxes stand where the picture
    shows them. If much of the page's ink is outside the words, it is read again as one block of text, and words that the
    layout analysis dropped follow at the end, line by line.

    Args:
        image: the page.
        request: languages; of the options `psm`, Tesseract's page segmentation mode.
        context: the work folder and the deadline.

    Raises:
        OcrFailed: the bytes are no picture, or Tesseract gave up.
        ContentTooLarge: more pixels than `MAX_PIXELS`.
        ToolUnavailable: the program or a language is not installed.
        UsageError: an option that does not exist.
        ConversionTimeout: the deadline came first.
    """
    _check_size(image.png)
    mode = asked = _asked_mode(request)
    program = find_program()
    installed = installed_languages(program)
    names = file_names(request.languages, installed=installed)
    if mode is None:
        mode = SEGMENTATION_WITH_ORIENTATION if ORIENTATION_DATA in installed else SEGMENTATION
    dpi = min(_MAX_DPI, max(_MIN_DPI, round(image.dpi)))
    arguments = ["-l", "+".join(names), "--psm", str(mode), "--dpi", str(dpi), "-c", "tessedit_create_tsv=1"]
    table = run(program, arguments, picture=image.png, seconds=context.remaining(), work_dir=context.work_dir)
    rows = list(read_rows(table))
    if asked is None and rows and unread_share(image.png, (row.edges for row in rows)) > MAX_UNREAD:
        arguments[arguments.index("--psm") + 1] = str(SEGMENTATION_AS_ONE_BLOCK)
        again = run(program, arguments, picture=image.png, seconds=context.remaining(), work_dir=context.work_dir)
        rows += left_out(rows, list(read_rows(again)))
    words = tuple(word_of(row, scale=72 / image.dpi) for row in rows)
    return OCRResult(
        document_id=request.document_id,
        page_number=image.page_number,
        page_fingerprint=image.page_fingerprint,
        extracted_text=text_of(rows),
        words=words,
        confidence=round(sum(word.confidence for word in words) / len(words), 4) if words else 0.0,
        method=PLUGIN,
        processed_at=datetime.now(UTC),
        language=next(iter(request.languages), None),
        tool_version=version(program),
    )


def _check_size(png: bytes) -> None:
    """Hold the picture to its header: a bomb is seen before it is unpacked."""
    if not png.startswith(_PNG) or png[12:16] != b"IHDR" or len(png) < 33:
        raise OcrFailed("the picture of the page is no PNG", plugin=PLUGIN)
    width, height = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
    if width * height > MAX_PIXELS:
        raise ContentTooLarge(
            f"the picture has {width:,} by {height:,} pixels; at most {MAX_PIXELS:,} in all are read",
            plugin=PLUGIN,
            remedy="Recognise it at a lower resolution",
        )


def _asked_mode(request: OCRRequest) -> int | None:
    if unknown := sorted(set(request.options) - {"psm"}):
        raise UsageError(f"tesseract has no option {unknown[0]!r}", remedy="It has one, psm")
    mode = request.options.get("psm")
    if mode is None:
        return None
    if isinstance(mode, bool) or not isinstance(mode, int) or not 1 <= mode <= _LAST_MODE or mode == 2:
        raise UsageError(f"psm is {mode!r}", remedy="Give a mode that recognises: 1, or 3 to 13")
    return mode
