"""Converts a document to pages: checks it, calls LibreOffice, and reads the result according to its kind."""

from __future__ import annotations

import io
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from octavo_contracts import (
    ContentTooLarge,
    Conversion,
    ConversionWarning,
    ConverterCrashed,
    ConvertRequest,
    DegradedFlag,
    HookContext,
    Page,
    SourceCorrupt,
    SourceEmpty,
    SourceEncrypted,
    SourceView,
    UsageError,
)
from octavo_contracts.authoring import require_media_type
from octavo_contracts.authoring.containers import open_container

from .locked import COMPOUND_FILE, is_locked
from .package import Answer, tag
from .paragraphs import TextReader
from .program import PLUGIN, convert_file, find_program, version
from .remarks import sections
from .sheets import read_sheets
from .slides import read_slides
from .styles import Styles

if TYPE_CHECKING:
    from lxml.etree import _Element

_ODF = "application/vnd.oasis.opendocument"
_ZIP = b"PK\x03\x04"
_EQUATION = "Equation Native".encode("utf-16-le")
"""Name of the stream of an equation in a compound file."""
_NO_EQUATIONS = (
    "LibreOffice did not read the document's equations; its part for formulas, libreoffice-math, may not be installed."
)

FORMATS: MappingProxyType[str, tuple[str, bytes, Literal["odt", "odp", "ods"]]] = MappingProxyType(
    {
        "application/msword": ("doc", COMPOUND_FILE, "odt"),
        "application/vnd.ms-powerpoint": ("ppt", COMPOUND_FILE, "odp"),
        "application/vnd.ms-excel": ("xls", b"", "ods"),
        f"{_ODF}.presentation": ("odp", _ZIP, "odp"),
        f"{_ODF}.text": ("odt", _ZIP, "odt"),
        f"{_ODF}.spreadsheet": ("ods", _ZIP, "ods"),
        "application/rtf": ("rtf", b"{\\rtf", "odt"),
    }
)
"""Media type → extension, first bytes, and the type that LibreOffice is asked for; the keys are those of the manifest.

The first bytes are held to because LibreOffice takes anything for something: noise becomes a text of noise. Workbooks
before Excel 97 are no compound files, so of those any are let through.
"""


def convert_document(source: SourceView, *, request: ConvertRequest, context: HookContext) -> Conversion:
    """Convert a document: slides and sheets as pages, a text as one page of kind `whole`.

    Args:
        source: the document.
        request: its type; `max_pages` limits slides and sheets. Options, pages and passwords are not taken.
        context: the work folder and the deadline.

    Raises:
        UnsupportedFormat: the type is none of the manifest's.
        UsageError: single pages or options are asked for.
        SourceEmpty: no bytes.
        SourceCorrupt: the bytes are no document of the type.
        SourceEncrypted: a password is wanted; this plugin takes none.
        ContentTooLarge: beyond a limit.
        ToolUnavailable: LibreOffice is not installed.
        ConversionTimeout, ConverterCrashed: see `program.convert_file`.
    """
    require_media_type(request, FORMATS)
    _refuse_what_is_not_taken(request)
    if source.size == 0:
        raise SourceEmpty("the document has no bytes", plugin=PLUGIN)
    extension, beginning, target = FORMATS[request.media_type]
    data = source.read_bytes()
    if not data.lstrip().startswith(beginning):
        raise SourceCorrupt(f"the document does not begin as .{extension} files do", plugin=PLUGIN)
    _refuse_bombs(data)
    if is_locked(data):
        remedy = "Open it in its program, take the password off, and try again"
        raise SourceEncrypted("the document is protected by a password", plugin=PLUGIN, remedy=remedy)
    program = find_program()
    document = context.work_dir / f"document.{extension}"
    document.write_bytes(data)
    written = convert_file(program, document, target=target, seconds=context.remaining(), work_dir=context.work_dir)
    answer = Answer(written)
    try:
        pages, warnings = _read(answer, target, request)
        metadata = answer.metadata()
        if _EQUATION in data and not answer.has_formulas:
            warnings.append(ConversionWarning(code=DegradedFlag.EQUATIONS_LOST, message=_NO_EQUATIONS))
    except RecursionError as error:
        raise ContentTooLarge("the document is nested too deeply", plugin=PLUGIN) from error
    finally:
        answer.close()
    if not any(page.markdown.strip() for page in pages):
        warnings.append(ConversionWarning(code="no_content", message="LibreOffice found no text."))
    return Conversion(
        pages=tuple(pages),
        paginated=pages[0].kind != "whole",
        metadata=metadata,
        warnings=tuple(warnings),
        engine_version=f"libreoffice {version(program)}",
    )


def _refuse_bombs(data: bytes) -> None:
    """Refuse a package that unpacks to far more bytes than it has."""
    if not data.startswith(_ZIP):
        return
    try:
        open_container(io.BytesIO(data), plugin=PLUGIN).close()
    except SourceCorrupt:
        return  # LibreOffice repairs some of them


def _refuse_what_is_not_taken(request: ConvertRequest) -> None:
    if request.pages is not None:
        raise UsageError(
            "libreoffice reads whole documents: it does not have the capability `page_ranges`",
            plugin=PLUGIN,
            remedy="Ask for the document without a page range",
        )
    if request.options:
        raise UsageError(f"libreoffice has no option {min(request.options)!r}", plugin=PLUGIN, remedy="It has none")


def _read(answer: Answer, target: str, request: ConvertRequest) -> tuple[list[Page], list[ConversionWarning]]:
    content = answer.tree("content.xml")
    if content is None:
        raise ConverterCrashed("LibreOffice left a file without content", plugin=PLUGIN)
    styles = Styles(answer, content)
    if target == "odt":
        return [_text(answer, content, styles)], []
    if target == "odp":
        pages, warnings = read_slides(answer, content, styles, max_pages=request.max_pages)
    else:
        pages, warnings = read_sheets(content, styles, max_pages=request.max_pages)
    if not pages:
        raise SourceCorrupt("the document has no page", plugin=PLUGIN)
    return pages, warnings


def _text(answer: Answer, content: _Element, styles: Styles) -> Page:
    reader = TextReader(styles, white=True, formulas=answer.formula)
    blocks = reader.blocks(content.iter(tag("office:text")))
    blocks += [f"[^{place}]: {note}" for place, note in enumerate(reader.notes, start=1)]
    blocks += sections(reader.changes, reader.comments)
    return Page(
        number=1,
        kind="whole",
        markdown="\n\n".join(blocks) + ("\n" if blocks else ""),
        tables=tuple(reader.tables),
        hidden_text=tuple(reader.hidden),
        has_images=reader.has_images,
    )
