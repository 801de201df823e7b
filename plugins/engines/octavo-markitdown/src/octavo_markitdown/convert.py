"""Converts a document: checks the request, calls the format's reader, builds the conversion."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import assert_never

from octavo_contracts import (
    Conversion,
    ConvertRequest,
    SourceEmpty,
    SourceView,
    ToolUnavailable,
    UnsupportedFormat,
    UsageError,
)

from . import data_files, deck, mail, plain, web, word, workbook
from .engine import INSTALL, PLUGIN
from .formats import FORMATS, Format
from .pages import Reading, conversion_of


def convert_document(source: SourceView, *, request: ConvertRequest) -> Conversion:
    """Convert a document: slides and sheets as pages, anything else as one page of kind `whole`.

    Args:
        source: the document.
        request: type and limits; `max_pages` limits slides, sheets and PDF pages.

    Raises:
        UnsupportedFormat: the type is none of the manifest's; images and audio, which the engine would pass in
            silence or ask the network about, are among these.
        UsageError: single pages are asked for.
        SourceEmpty: no bytes.
        SourceCorrupt: the bytes are no whole document of the type.
        SourceEncrypted: a password is wanted; this plugin takes none.
        ContentTooLarge: beyond a limit.
        ToolUnavailable: MarkItDown or one of its libraries is not installed.
    """
    media_type = request.media_type.lower()
    form = FORMATS.get(media_type)
    if form is None:
        raise UnsupportedFormat(f"{request.media_type} is no type that the markitdown plugin reads", plugin=PLUGIN)
    if request.pages is not None:
        raise UsageError(
            "markitdown reads whole documents: it does not have the capability `page_ranges`",
            plugin=PLUGIN,
            remedy="Ask for the document without a page range",
        )
    if source.size == 0:
        raise SourceEmpty("the document has no bytes", plugin=PLUGIN)
    engine_version = _engine_version()
    reading = _read(source, form=form, media_type=media_type, max_pages=request.max_pages)
    return conversion_of(reading, engine_version=engine_version)


def _engine_version() -> str:
    try:
        return f"markitdown {version('markitdown')}"
    except PackageNotFoundError as error:
        raise ToolUnavailable("MarkItDown is not installed", plugin=PLUGIN, remedy=INSTALL) from error


def _read(source: SourceView, *, form: Format, media_type: str, max_pages: int) -> Reading:
    data = source.read_bytes()
    match form.reader:
        case "word":
            return word.read_word(data, form=form, media_type=media_type)
        case "deck":
            return deck.read_deck(data, max_pages=max_pages)
        case "workbook":
            return workbook.read_workbook(data, max_pages=max_pages)
        case "old_workbook":
            return workbook.read_old_workbook(data, max_pages=max_pages)
        case "mail":
            return mail.read_mail(data, form=form, media_type=media_type)
        case "web":
            return web.read_web(data, form=form, media_type=media_type)
        case "book":
            return web.read_book(data, form=form, media_type=media_type)
        case "grid":
            return data_files.read_grid(data, form=form, media_type=media_type, name=source.name)
        case "data":
            return data_files.read_data(data, form=form, media_type=media_type)
        case "notebook":
            return data_files.read_notebook(data, form=form, media_type=media_type)
        case "plain":
            return plain.read_plain(data, form=form, media_type=media_type, max_pages=max_pages)
        case _:
            assert_never(form.reader)
