"""One call of liteparse: no recognition, no network, no extra process; failures as typed errors."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from octavo_contracts import ContentTooLarge, SourceCorrupt, ToolUnavailable

if TYPE_CHECKING:
    from liteparse.types import ParseResult

PLUGIN = "liteparse"
INSTALL = "Run: pip install octavo-liteparse"
MAX_CHARS = 50_000_000
"""Characters of a whole document; above it `ContentTooLarge`."""


def engine_version() -> str:
    """Name and version, such as 'liteparse 2.18.0'."""
    return f"liteparse {version('liteparse')}"


def parse(data: bytes, *, count: int) -> ParseResult:
    """Let liteparse read every page of a PDF.

    Pages are always read together: liteparse derives heading levels from the fonts of the whole document.

    Args:
        data: the document, without encryption.
        count: how many pages it has.

    Raises:
        SourceCorrupt: liteparse cannot read it.
        ContentTooLarge: more text than `MAX_CHARS`.
        ToolUnavailable: liteparse cannot be imported.
    """
    try:
        from liteparse import LiteParse, ParseError
    except ImportError as error:
        raise ToolUnavailable(f"liteparse cannot be imported: {error}", remedy=INSTALL) from error
    parser = LiteParse(
        output_format="markdown",
        ocr_enabled=False,
        quiet=True,
        num_workers=1,
        max_pages=max(1, count),
        image_mode="off",
        # An engine loses nothing: running heads are for the host to tell, and tiny text was taken off.
        keep_headers_footers=True,
        preserve_very_small_text=True,
        continue_on_page_error=True,
        extract_blocks=True,
        extract_form_fields=True,
        extract_document_metadata=True,
    )
    try:
        result: ParseResult = parser.parse(data)
    except ParseError as error:
        said = " ".join(str(error).split())[:300]
        raise SourceCorrupt(f"liteparse cannot read it: {said}") from error
    if sum(len(page.markdown) for page in result.pages) > MAX_CHARS:
        raise ContentTooLarge(f"the text is longer than {MAX_CHARS:,} characters")
    return result
