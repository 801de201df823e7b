"""Calls xberg without recognition, network, cache or user configuration, with typed errors."""

from __future__ import annotations

import asyncio
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from octavo_contracts import ContentTooLarge, SourceCorrupt, SourceEncrypted, ToolUnavailable

if TYPE_CHECKING:
    from xberg import ExtractedDocument

PLUGIN = "xberg"
INSTALL = "Run: pip install octavo-xberg"
MAX_TEXT_BYTES = 256 << 20
MAX_TABLE_CELLS = 2_000_000

_LOCKED = ("password", "encrypt")
_BEYOND = ("limit", "too large", "exceed")


def engine_version() -> str:
    """Name and version, such as 'xberg 1.3.9'.

    Raises:
        ToolUnavailable: it is not installed.
    """
    try:
        return f"xberg {version('xberg')}"
    except PackageNotFoundError as error:
        raise ToolUnavailable("xberg is not installed", plugin=PLUGIN, remedy=INSTALL) from error


def extract(data: bytes, *, media_type: str, max_pages: int) -> ExtractedDocument:
    """Let xberg read a document, page by page, as markdown.

    Args:
        data: its bytes.
        media_type: its type.
        max_pages: more are refused.

    Raises:
        SourceCorrupt: xberg cannot read it, or panicked over it.
        SourceEncrypted: a password is wanted.
        ContentTooLarge: beyond a limit.
        ToolUnavailable: xberg cannot be imported.
    """
    try:
        import xberg
    except ImportError as error:
        raise ToolUnavailable(f"xberg cannot be imported: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    config = xberg.ExtractionConfig(
        disable_ocr=True,
        use_cache=False,
        output_format="markdown",
        pages=xberg.PageConfig(extract_pages=True),
        # What repeats on every page is for the core to tell: an engine loses nothing.
        content_filter=xberg.ContentFilterConfig(
            include_headers=True, include_footers=True, include_footnotes=True, strip_repeating_text=False
        ),
        security_limits=xberg.SecurityLimits(
            max_pages=max_pages, max_content_size=MAX_TEXT_BYTES, max_table_cells=MAX_TABLE_CELLS
        ),
        concurrency=xberg.ConcurrencyConfig(max_threads=1),
        max_archive_depth=0,
        extraction_timeout_secs=None,
    )
    source = xberg.ExtractInput(kind="bytes", bytes=data, mime_type=media_type)
    try:
        result = asyncio.run(xberg.extract(source, config))
    except (xberg.exceptions.XbergError, RuntimeError, ValueError, OSError) as error:
        raise _typed(str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise SourceCorrupt(f"xberg panicked over the document: {error}", plugin=PLUGIN) from error
    if not result.results:
        raise _typed("; ".join(item.message for item in result.errors or ()) or "it gave no document")
    return result.results[0]


def _typed(message: str) -> SourceCorrupt | SourceEncrypted | ContentTooLarge:
    said, lower = " ".join(message.split())[:300], message.lower()
    if any(word in lower for word in _LOCKED):
        return SourceEncrypted("the document is protected by a password", plugin=PLUGIN)
    if any(word in lower for word in _BEYOND):
        return ContentTooLarge(f"xberg's limits are passed: {said}", plugin=PLUGIN)
    return SourceCorrupt(f"xberg cannot read it: {said}", plugin=PLUGIN)
