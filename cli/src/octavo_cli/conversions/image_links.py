"""Links from the markdown of a document to the files of its images."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from octavo.conversion.images.image_records import CollectedImages, ImageUse
    from octavo_contracts import IngestionResult

_REFERENCE = re.compile(r"(?<!\\)!\[([^\[\]\n]{0,1000})\]\(([^()\n]{0,2000})\)")
"""A reference to an image. One with nested brackets is not matched."""
_WORD = re.compile(r"\w+")


def linked_markdown(
    markdown: str, result: IngestionResult, collected: CollectedImages, links: Mapping[int, str]
) -> str:
    """The markdown with a link to the file of each image; arguments as `linked_pages`."""
    pages = linked_pages(markdown, result, collected, links)
    parts, at = [], 0
    for (_, start, end), page in zip(_spans(markdown, result), pages, strict=True):
        parts += [markdown[at:start], page]
        at = end
    return "".join((*parts, markdown[at:]))


def linked_pages(
    markdown: str, result: IngestionResult, collected: CollectedImages, links: Mapping[int, str]
) -> list[str]:
    """The markdown of each page, with a link to the file of each image; of a document without pages, the whole of it.

    A reference of the converter leads to its image where it is known which one that is: by the image's name in the
    document, by its description, or by its place where a page has as many references as images. The other images of a
    page are linked at its end.

    Args:
        markdown: of the document.
        result: its result, with the places of its pages.
        collected: its images.
        links: index of an image -> path of its file, relative to the markdown.
    """
    spans = _spans(markdown, result)
    by_page: dict[int | None, list[ImageUse]] = {}
    numbers = [page for page, _, _ in spans]
    for use in collected.uses:
        by_page.setdefault(use.page if use.page in numbers else numbers[-1], []).append(use)
    is_ordered = _is_ordered(result)
    return [
        _linked(
            markdown[start:end],
            uses := by_page.get(page, []),
            collected,
            links,
            by_order=(page or 1) not in collected.looks_like and (is_ordered or len(uses) == 1),
        )
        for page, start, end in spans
    ]


def file_names(collected: CollectedImages) -> dict[int, str]:
    """Index of each image -> the name of its file: its first page and its number on it, never a name of the document's own."""
    names: dict[int, str] = {}
    counts: dict[int | None, int] = {}
    for use in collected.uses:
        if use.image in names:
            continue
        counts[use.page] = counts.get(use.page, 0) + 1
        stem = f"image-{counts[use.page]}" if use.page is None else f"page-{use.page}-image-{counts[use.page]}"
        names[use.image] = stem + collected.images[use.image].extension
    return names


def _spans(markdown: str, result: IngestionResult) -> list[tuple[int | None, int, int]]:
    anchors = list(result.page_anchor_map.anchors())
    if not anchors:
        return [(None, 0, len(markdown))]
    return [(anchor.page, anchor.markdown_start, anchor.markdown_end) for anchor in anchors]


def _is_ordered(result: IngestionResult) -> bool:
    """Whether a converter gives images in the order of the document; on slides it may follow positions."""
    classification = result.classification
    return classification is None or "presentation" not in (classification.media_type or "")


def _linked(
    text: str, uses: Sequence[ImageUse], collected: CollectedImages, links: Mapping[int, str], *, by_order: bool
) -> str:
    references = list(_REFERENCE.finditer(text))
    waiting = [use for use in uses if use.image in links]
    chosen: dict[int, ImageUse] = {}
    for matches in (_has_name, _has_description):
        for position, reference in enumerate(references):
            if position in chosen:
                continue
            fitting = [use for use in waiting if matches(reference, use, collected)]
            if len({use.image for use in fitting}) == 1:
                chosen[position] = fitting[0]
                waiting.remove(fitting[0])
    free = [position for position in range(len(references)) if position not in chosen]
    if by_order and len(free) == len(waiting):
        chosen.update(zip(free, waiting, strict=True))
        waiting = []
    written, at = [], 0
    for position, reference in enumerate(references):
        if (use := chosen.get(position)) is not None:
            written += [text[at : reference.start(2)], quote(links[use.image], safe="/-._~")]
            at = reference.end(2)
    written.append(text[at:])
    shown = {use.image for use in chosen.values()}
    left = [use for use in waiting if use.image not in shown]
    return _with_more("".join(written), left, links)


def _with_more(text: str, uses: Sequence[ImageUse], links: Mapping[int, str]) -> str:
    """The text with the images that have no place in it, each once, at its end."""
    if not uses:
        return text
    body = text.rstrip()
    added = {use.image: f"![{_alt(use)}]({quote(links[use.image], safe='/-._~')})" for use in reversed(uses)}
    ordered = [added[image] for image in dict.fromkeys(use.image for use in uses)]
    return "\n\n".join([*([body] if body else []), *ordered]) + (text[len(body) :] or "\n")


def _alt(use: ImageUse) -> str:
    said = re.sub(r"[\[\]\\\n]", " ", use.description).strip()
    return said or ("image" if use.page is None else f"image on page {use.page}")


def _has_name(reference: re.Match[str], use: ImageUse, collected: CollectedImages) -> bool:
    name = collected.images[use.image].name
    return bool(name) and unquote(reference[2].strip("<>").partition(" ")[0]).rpartition("/")[2] == name


def _has_description(reference: re.Match[str], use: ImageUse, collected: CollectedImages) -> bool:
    said = _WORD.findall(use.description)
    return len(said) > 1 and _WORD.findall(reference[1])[: len(said)] == said
