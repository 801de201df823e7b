"""Read a `ConvertRequest`: which pages are wanted, and whether the media type is one that the plugin reads."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..conversion import ConvertRequest
from ..errors import ContentTooLarge, SourceCorrupt, UnsupportedFormat, UsageError


def require_media_type(request: ConvertRequest, media_types: Collection[str]) -> None:
    """Refuse a document that the manifest does not name.

    Raises:
        UnsupportedFormat: the request's media type is not among them.
    """
    if request.media_type not in media_types:
        raise UnsupportedFormat(f"{request.media_type} is not read; {', '.join(sorted(media_types))} are")


def wanted_pages(request: ConvertRequest, count: int) -> Sequence[int]:
    """The numbers of the pages to read, from 1, ascending, for a plugin with the capability `page_ranges`.

    Args:
        request: what was asked for.
        count: how many pages the document has.

    Raises:
        SourceCorrupt: the document has no page.
        UsageError: a page was asked for that it does not have, or not in ascending order.
        ContentTooLarge: more pages than `request.max_pages`.
    """
    if count < 1:
        raise SourceCorrupt("the document has no page")
    wanted: Sequence[int] = range(1, count + 1) if request.pages is None else request.pages
    if not wanted or wanted[0] < 1 or wanted[-1] > count or list(wanted) != sorted(set(wanted)):
        asked = ", ".join(map(str, wanted[:10])) or "none"
        raise UsageError(
            f"pages {asked} were asked for and the document has {count}",
            remedy=f"Ask for pages from 1 to {count}, ascending, each once",
        )
    if len(wanted) > request.max_pages:
        raise ContentTooLarge(f"{len(wanted)} pages are above the limit of {request.max_pages}")
    return wanted


def source_pages(request: ConvertRequest, wanted: Sequence[int]) -> tuple[int, ...] | None:
    """What `Conversion.source_pages` is for these pages: null where all were read."""
    return None if request.pages is None else tuple(wanted)
