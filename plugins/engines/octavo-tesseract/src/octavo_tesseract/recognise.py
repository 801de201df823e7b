"""Recognises the image of a page and returns an `OCRResult`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from octavo_contracts import ContentTooLarge, HookContext, OcrFailed, OCRRequest, OCRResult, PageImage, UsageError

from .languages import file_name, file_names, install_command, language_of
from .page_languages import language_of_text
from .page_run import PageRun, default_mode
from .program import ORIENTATION_DATA, PLUGIN, find_program, installed_languages, version
from .table import Row, text_of, word_of

MAX_PIXELS = 100_000_000
"""Width times height by the picture's header; more is refused before anything is decoded."""

DOUBTFUL = 0.7
"""Mean confidence under which the script of the page is looked up: another script's pages have .28 to .62."""
MIN_LETTERS = 20
"""A reading with fewer letters says nothing about the script."""
WORSE = 0.05
"""Confidence that a reading in the page's own language may lack: it has words for what the other one only guessed."""
SURE_SCRIPT = 2.0
"""Tesseract's confidence of a script from which a doubtful reading in other letters is dropped."""

_PNG = b"\x89PNG\r\n\x1a\n"
_LAST_MODE = 13


def recognise_page(image: PageImage, request: OCRRequest, context: HookContext) -> OCRResult:
    """Recognise one page.

    A page that lies on its side or upside down is read all the same; its words' boxes stand where the picture
    shows them. If much of the page's ink is outside the words, it is read again as one block of text, and words that the
    layout analysis dropped follow at the end, line by line; so it is where a column of short words, such as numbers, was
    read as one upright word. The script of a page that is read badly is detected; the
    page is then read with the installed languages of that script. Without any, the result has no text, but the script
    and the package to install. A page whose common words are those of another language is read again in that language;
    without its data, the result names the package.

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
    asked = _asked_mode(request)
    program = find_program()
    installed = installed_languages(program)
    names = file_names(request.languages, installed=installed)
    page = PageRun(
        program=program,
        image=image,
        context=context,
        mode=default_mode(installed) if asked is None else asked,
        reads_dropped_ink=asked is None,
    )
    reading = PageText(rows=page.rows(names), language=next(iter(request.languages), None))
    if reading.is_doubtful and ORIENTATION_DATA in installed:
        reading = _in_its_script(reading, page, names, installed)
    if reading.script is None:
        reading = _in_its_language(reading, page, names, installed)
    rows = reading.rows
    return OCRResult(
        document_id=request.document_id,
        page_number=image.page_number,
        page_fingerprint=image.page_fingerprint,
        extracted_text=text_of(rows),
        words=tuple(word_of(row, scale=72 / image.dpi) for row in rows),
        confidence=round(reading.confidence, 4),
        method=PLUGIN,
        processed_at=datetime.now(UTC),
        language=reading.language,
        script=reading.script,
        remedy=reading.remedy,
        tool_version=version(program),
    )


@dataclass(frozen=True, kw_only=True)
class PageText:
    """A reading of the page.

    Attributes:
        rows: its words.
        language: BCP 47, or None.
        script: detected script, ISO 15924, or None.
        remedy: how to install the model of that script or language, if it is not installed.
    """

    rows: list[Row]
    language: str | None
    script: str | None = None
    remedy: str | None = None

    @property
    def confidence(self) -> float:
        """Mean confidence of the words; 0 without words."""
        return sum(row.confidence for row in self.rows) / len(self.rows) if self.rows else 0.0

    @property
    def is_doubtful(self) -> bool:
        """Whether the page may be in a script that the language files do not read."""
        return self.confidence < DOUBTFUL and sum(sum(map(str.isalpha, row.text)) for row in self.rows) >= MIN_LETTERS


def _in_its_script(reading: PageText, page: PageRun, names: Sequence[str], installed: frozenset[str]) -> PageText:
    """Read a page again with the installed languages of its script.

    Without any of them, the letters of the first reading are wrong: it is dropped, unless the letters are Latin or the
    script is not sure.
    """
    script, sureness = page.script()
    if script is None or script.is_read_by(names):
        return reading
    files = script.installed_files(installed)
    if files:
        language = language_of(files[0]) if len(files) == 1 else None
        again = PageText(rows=page.rows([*files, *names]), language=language, script=script.code)
        return again if again.confidence > reading.confidence else reading
    if sureness < SURE_SCRIPT:
        return reading
    rows = reading.rows if script.is_latin else []
    return PageText(rows=rows, language=None, script=script.code, remedy=script.remedy)


def _in_its_language(reading: PageText, page: PageRun, names: Sequence[str], installed: frozenset[str]) -> PageText:
    """Read a page again in the language that its common words are of, if that is another one."""
    language = language_of_text(row.text for row in reading.rows)
    if language is None or file_name(language) in names:
        return reading
    if file_name(language) not in installed:
        return replace(reading, language=language, remedy=install_command([file_name(language)]))
    again = PageText(rows=page.rows([file_name(language)]), language=language)
    return again if again.confidence > reading.confidence - WORSE else reading


def _check_size(png: bytes) -> None:
    """Hold the picture to its header: a bomb is seen before it is unpacked."""
    if not png.startswith(_PNG) or png[12:16] != b"IHDR" or len(png) < 33:
        raise OcrFailed("the picture of the page is no PNG", plugin=PLUGIN)
    width, height = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
    if width * height > MAX_PIXELS:
        raise ContentTooLarge(
            f"the picture is {width:,} pixels wide and {height:,} pixels high; at most {MAX_PIXELS:,} in all are read",
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
