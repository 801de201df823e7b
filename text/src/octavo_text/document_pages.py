"""Pages of a converted document with their texts."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_contracts import PageAnchorMap


@dataclass(frozen=True, kw_only=True)
class DocumentPage:
    """One page of a converted document.

    Attributes:
        number: from 1.
        label: its label in the document, or None.
        text: its canonical body.
        markdown: its markdown.
    """

    number: int
    label: str | None
    text: str
    markdown: str


def pages_of(anchors: PageAnchorMap, *, canonical: str, markdown: str) -> list[DocumentPage]:
    """The pages of a conversion; a document without pages has one page with the whole text.

    Args:
        anchors: positions of its pages in both texts.
        canonical: its canonical text.
        markdown: its markdown.
    """
    found = list(anchors.anchors())
    if not found:
        return [DocumentPage(number=1, label=None, text=canonical, markdown=markdown)]
    return [
        DocumentPage(
            number=anchor.page,
            label=anchor.label,
            text=canonical[anchor.text_start : anchor.text_end],
            markdown=markdown[anchor.markdown_start : anchor.markdown_end],
        )
        for anchor in found
    ]
