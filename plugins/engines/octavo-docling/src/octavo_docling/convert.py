"""Converts a document to pages: checks it, removes hidden parts, calls Docling, reads Docling's tree."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from octavo_contracts import (
    ContentTooLarge,
    Conversion,
    ConversionWarning,
    ConvertRequest,
    DocumentMetadata,
    HiddenText,
    SourceCorrupt,
    SourceEmpty,
    SourceView,
    UsageError,
)
from octavo_contracts.authoring import require_media_type

from .engine import PLUGIN, engine_version, read
from .formats import FORMATS, Format
from .markup import prepare, restore
from .package import Package
from .weights import has_table_model, layout_folder
from .word import without_hidden
from .writer import PageWriter

PDF_MARK = b"%PDF-"
MARK_WITHIN = 1024
_FRONT_MATTER = re.compile(r"\A\ufeff?---\n(.*?)\n(?:---|\.\.\.)(?:\n|\Z)", re.DOTALL)
_FRONT_LINE = re.compile(r"(title|author|date|lang|language):[ \t]*(.+)", re.IGNORECASE)


@dataclass(kw_only=True)
class _Ready:
    """A document as Docling should see it, and what is known before it does.

    Attributes:
        sheets: names of the sheets of an OpenDocument workbook, which Docling does not give.
    """

    data: bytes
    hidden: tuple[HiddenText, ...] = ()
    metadata: DocumentMetadata = field(default_factory=DocumentMetadata)
    warnings: list[ConversionWarning] = field(default_factory=list)
    sheets: tuple[str, ...] = ()


def convert_document(source: SourceView, *, request: ConvertRequest) -> Conversion:
    """Convert a document: slides, sheets and PDF pages as pages, anything else as one page of kind `whole`.

    Args:
        source: the document.
        request: its type, `max_pages` and a PDF's password; the option `model` is the folder of the weights that PDF needs.

    Raises:
        UnsupportedFormat: the type is none of the manifest's.
        UsageError: single pages, or an unknown option.
        SourceEmpty: no bytes.
        SourceCorrupt: the bytes are no whole document of the type.
        SourceEncrypted: a password is wanted: for a PDF another than the request's, for anything else one at all.
        ContentTooLarge: beyond a limit.
        ToolUnavailable: Docling is not installed, or a PDF and no weights.
    """
    require_media_type(request, FORMATS)
    _refuse_what_is_not_taken(request)
    if source.size == 0:
        raise SourceEmpty("the document has no bytes", plugin=PLUGIN)
    form = FORMATS[request.media_type]
    try:
        ready = _prepare(source.read_bytes(), form)
        folder = layout_folder(request.options.get("model")) if form.container == "pdf" else None
        result = read(ready.data, name=form.name, folder=folder, password=request.password, max_pages=request.max_pages)
        if form.container == "markup":
            restore(result.document)
        writer = PageWriter(result.document, form)
        drafts = writer.drafts(sheets=ready.sheets)
    except RecursionError as error:
        raise ContentTooLarge("the document is nested too deeply", plugin=PLUGIN) from error
    if len(drafts) > request.max_pages:
        raise ContentTooLarge(f"{len(drafts)} pages are above the limit of {request.max_pages}", plugin=PLUGIN)
    drafts[0].hidden[:0] = ready.hidden
    warnings = [*ready.warnings, *_warnings(result, form, writer)]
    if folder is not None and not has_table_model(folder):
        message = "The table model's weights are missing: tables were read as text."
        warnings.append(ConversionWarning(code="table_structure_lost", message=message))
    for draft in drafts:
        if draft.is_hidden:
            message = f"The {form.page} is hidden in the document; it was converted."
            warnings.append(ConversionWarning(code=f"hidden_{form.page}", message=message, page=draft.number))
    return Conversion(
        pages=tuple(draft.page(form.page) for draft in drafts),
        paginated=form.page != "whole",
        metadata=ready.metadata,
        warnings=tuple(warnings),
        engine_version=engine_version(),
    )


def _refuse_what_is_not_taken(request: ConvertRequest) -> None:
    if request.pages is not None:
        raise UsageError(
            "docling reads whole documents: it does not have the capability `page_ranges`",
            plugin=PLUGIN,
            remedy="Ask for the document without a page range",
        )
    if unknown := sorted(set(request.options) - {"model"}):
        raise UsageError(f"docling has no option {unknown[0]!r}", plugin=PLUGIN, remedy="It has the option 'model'")


def _prepare(data: bytes, form: Format) -> _Ready:
    if form.container in ("office", "opendocument"):
        package = Package(data, main=form.main)
        ready = _Ready(data=data, metadata=package.metadata())
        if form.name == "docx":
            ready.data, ready.hidden = without_hidden(package)
        if form.name == "ods":
            ready.sheets = package.sheet_names(form.main)
        if package.has_macros:
            message = "The document carries macros; they were not run."
            ready.warnings.append(ConversionWarning(code="active_content", message=message))
        return ready
    if form.container == "markup":
        page = prepare(data)
        return _Ready(data=page.data, hidden=page.hidden, metadata=page.metadata)
    if form.container == "pdf":
        if PDF_MARK not in data[:MARK_WITHIN]:
            raise SourceCorrupt("the document does not begin as a PDF does", plugin=PLUGIN)
        return _Ready(data=data)
    return _text(data, form)


def _text(data: bytes, form: Format) -> _Ready:
    """Markdown and CSV: binary bytes refused, front matter of markdown taken as metadata."""
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceCorrupt("the document is no text: it holds null bytes", plugin=PLUGIN)
    if form.name != "md":
        return _Ready(data=data)
    text = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    match = _FRONT_MATTER.match(text)
    if match is None:
        return _Ready(data=data)
    said = {key.lower(): value.strip().strip("\"'") for key, value in _FRONT_LINE.findall(match[1])}
    metadata = DocumentMetadata(
        title=said.get("title"),
        author=said.get("author"),
        date=said.get("date"),
        language=said.get("language") or said.get("lang"),
    )
    return _Ready(data=text[match.end() :].encode("utf-8", "surrogateescape"), metadata=metadata)


def _warnings(result: Any, form: Format, writer: PageWriter) -> list[ConversionWarning]:
    """What Docling said went wrong, and what it takes for no part of the text."""
    found = [
        ConversionWarning(code="partial_conversion", message=" ".join(error.error_message.split()) or "It did not say.")
        for error in result.errors
    ]
    if writer.left_out:
        what = (
            "before the first heading and in the footer of the page"
            if form.container == "markup"
            else ("of running headers and footers")
        )
        message = f"Texts {what} were left out: {writer.left_out}."
        found.append(ConversionWarning(code="headers_left_out", message=message))
    return found
