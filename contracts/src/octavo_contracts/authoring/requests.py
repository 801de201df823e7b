"""Checks of a `ConvertRequest`: the requested pages and the media type; pages that an engine does not find."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ..conversion import ConversionWarning, ConvertRequest
from ..errors import ContentTooLarge, SourceCorrupt, UnsupportedFormat, UsageError
from ..reasons import DegradedFlag


def require_media_type(request: ConvertRequest, media_types: Collection[str]) -> None:
    """Raise unless the manifest names the document's media type.

    Raises:
        UnsupportedFormat: the request's media type is not in `media_types`.
    """
    if request.media_type not in media_types:
        raise UnsupportedFormat(
            f"{request.media_type} is not supported; supported are {', '.join(sorted(media_types))}"
        )


def wanted_pages(request: ConvertRequest, count: int) -> Sequence[int]:
    """Return the pages to read, from 1, ascending, for a plugin with the capability `page_ranges`.

    Args:
        request: the request for the conversion.
        count: number of pages of the document.

    Raises:
        SourceCorrupt: the document has no pages.
        UsageError: a requested page does not exist, or the pages are not in ascending order.
        ContentTooLarge: there are more pages than `request.max_pages`.
    """
    if count < 1:
        raise SourceCorrupt("the document has no pages")
    wanted: Sequence[int] = range(1, count + 1) if request.pages is None else request.pages
    if not wanted or wanted[0] < 1 or wanted[-1] > count or list(wanted) != sorted(set(wanted)):
        asked = ", ".join(map(str, wanted[:10])) or "none"
        raise UsageError(
            f"invalid page selection {asked}: the document has {count}",
            remedy=f"Request pages from 1 to {count}, in ascending order, each once",
        )
    if len(wanted) > request.max_pages:
        raise ContentTooLarge(f"{len(wanted)} pages are above the limit of {request.max_pages}")
    return wanted


def source_pages(request: ConvertRequest, wanted: Sequence[int]) -> tuple[int, ...] | None:
    """Return the value of `Conversion.source_pages` for these pages: None if all were read."""
    return None if request.pages is None else tuple(wanted)


def skipped_pages(claimed: int | None, found: int, *, engine: str) -> Iterator[ConversionWarning]:
    """Yield a warning where a document states more pages than an engine finds: some engines skip broken ones in silence (QLT-2).

    Args:
        claimed: number of pages that the document states; None if it states none.
        found: number of pages that the engine finds.
        engine: its name, for the message.
    """
    if claimed is not None and claimed > found:
        yield ConversionWarning(
            code=DegradedFlag.PARTIAL_CONVERSION.value,
            message=f"The document says it has {claimed} pages; {engine} finds {found}",
        )
