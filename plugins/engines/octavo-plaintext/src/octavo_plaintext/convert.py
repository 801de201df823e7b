"""Converts a text document: checks the request, decodes it, and calls the format's reader."""

from __future__ import annotations

import platform
from collections.abc import Callable

from octavo_contracts import (
    ContentTooLarge,
    Conversion,
    ConversionWarning,
    ConvertRequest,
    SourceCorrupt,
    SourceEmpty,
    SourceView,
    UnsupportedFormat,
    UsageError,
)

from .archive import read_archive
from .captions import read_captions
from .controls import control_warning
from .decoding import decode
from .delimited import read_delimited
from .feeds import read_feed
from .jsontext import read_json
from .mail import read_mailbox, read_message, read_outlook
from .notebook import read_notebook
from .plain import read_markdown, read_plain
from .xml_text import read_xml

NAME = "plaintext"

BINARY_SHARE = 0.3
"""From this share of undisplayable characters, a document is not text."""

SAMPLE_CHARS = 100_000
"""How many characters that share is taken from."""

_MARKED_UP = ("application/x-tex", "text/x-org", "text/x-rst", "text/x-wiki")
"""Markup that is read as it was written, for those who have no engine that follows it."""
_TEXT_READERS: dict[str, Callable[[str, str], Conversion]] = {
    "text/plain": lambda text, name: read_plain(text),
    **dict.fromkeys(_MARKED_UP, lambda text, name: _with_its_markup(text)),
    "text/markdown": lambda text, name: read_markdown(text),
    "text/csv": lambda text, name: read_delimited(text, name=name),
    "text/tab-separated-values": lambda text, name: read_delimited(text, name=name, tabs=True),
    "text/vtt": lambda text, name: read_captions(text, name=name),
    "application/x-subrip": lambda text, name: read_captions(text, name=name),
    **dict.fromkeys(("application/rss+xml", "application/atom+xml"), lambda text, name: read_feed(text, name=name)),
    "application/xml": lambda text, name: read_xml(text, name=name),
    "application/json": lambda text, name: read_json(text),
    "application/x-ipynb+json": lambda text, name: read_notebook(text, name=name),
}
ZIP = "application/zip"
MEDIA_TYPES = frozenset(_TEXT_READERS) | {"message/rfc822", "application/mbox", "application/vnd.ms-outlook", ZIP}


def convert_text(source: SourceView, request: ConvertRequest) -> Conversion:
    """Convert a text document.

    Args:
        source: the document.
        request: `pages` must be None: single pages cannot be asked for.

    Raises:
        UnsupportedFormat: the media type is not one of `MEDIA_TYPES`.
        UsageError: single pages were asked for.
        SourceEmpty: no bytes.
        SourceCorrupt: the bytes are no document of their type.
        SourceEncrypted: an enciphered mail, or an archive of encrypted files.
        ContentTooLarge: more pages than `request.max_pages`.
        ToolUnavailable: a legacy encoding has to be detected and charset-normalizer is missing, or olefile for an Outlook message.
    """
    _check(source, request)
    data = source.read_bytes()
    warnings: list[ConversionWarning] = []
    if request.media_type == "message/rfc822":
        conversion = read_message(data, name=source.name)
    elif request.media_type == "application/vnd.ms-outlook":
        conversion = read_outlook(data, name=source.name)
    elif request.media_type == "application/mbox":
        conversion = read_mailbox(data, name=source.name, max_pages=request.max_pages)
    elif request.media_type == ZIP:
        conversion = read_archive(data, name=source.name)
    else:
        decoded = decode(data)
        _refuse_binary(decoded.text, source.name)
        warnings = decoded.warnings()
        conversion = _TEXT_READERS[request.media_type](decoded.text, source.name)
    if len(conversion.pages) > request.max_pages:
        message = f"the document has {len(conversion.pages)} pages, the limit is {request.max_pages}"
        raise ContentTooLarge(message, source=source.name, plugin=NAME)
    found = (*warnings, *conversion.warnings, *_controls(conversion))
    return conversion.model_copy(update={"warnings": found, "engine_version": platform.python_version()})


def _with_its_markup(text: str) -> Conversion:
    """Text with commands and comments in it: somebody who reads it has to know."""
    message = "The markup was not followed: commands, comments and what they hide stand in the text."
    warning = ConversionWarning(code="partial_conversion", message=message)
    return read_plain(text).model_copy(update={"warnings": (warning,)})


def _check(source: SourceView, request: ConvertRequest) -> None:
    if request.media_type not in MEDIA_TYPES:
        raise UnsupportedFormat(
            f"{request.media_type} is not read by this plugin; it reads {', '.join(sorted(MEDIA_TYPES))}",
            source=source.name,
            plugin=NAME,
        )
    if request.pages is not None:
        raise UsageError(
            "pages were asked for, but the plugin has no capability `page_ranges`",
            source=source.name,
            plugin=NAME,
            remedy="Leave the pages out: text documents are converted as a whole",
        )
    if source.size == 0:
        raise SourceEmpty("the file has no bytes", source=source.name, plugin=NAME)


def _refuse_binary(text: str, name: str) -> None:
    """Report a document that is not text: most of its characters are controls or cannot be decoded."""
    sample = text[:SAMPLE_CHARS]
    odd = sum((char < " " and char not in "\t\n\f\x1b") or char in "\x7f\ufffd" for char in sample)
    if odd > BINARY_SHARE * len(sample):
        raise SourceCorrupt(
            f"the bytes are no text: {odd} of {len(sample)} characters cannot be shown", source=name, plugin=NAME
        )


def _controls(conversion: Conversion) -> list[ConversionWarning]:
    many = len(conversion.pages) > 1
    found = (control_warning(page.markdown, page=page.number if many else None) for page in conversion.pages)
    return [warning for warning in found if warning is not None]
