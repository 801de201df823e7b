"""What Pandoc's reader drops of a JATS article: labels, affiliations, notes, keywords, further abstracts, references."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from octavo_contracts.authoring import collapse, escape

from .jats_tree import prepare_tree, text_of
from .package import parse_xml, xml_bytes

if TYPE_CHECKING:
    from lxml.etree import _Element

_CITATIONS = ("mixed-citation", "element-citation", "citation", "nlm-citation")


@dataclass(frozen=True, kw_only=True)
class Article:
    """An article prepared for Pandoc, and the markdown of the parts that Pandoc's reader drops.

    Attributes:
        document: the article with labels, notes and further abstracts where Pandoc reads them.
        affiliations: the institutions of the authors (not those of editors), then the notes about the authors; paragraphs.
        keywords: one paragraph for each group of keywords.
        references: the heading of the reference list and the list; empty for an article without references.
    """

    document: bytes
    affiliations: tuple[str, ...]
    keywords: tuple[str, ...]
    references: tuple[str, ...]


def prepare_article(data: bytes) -> Article:
    """Read the parts that Pandoc drops, and move those that Pandoc can read elsewhere.

    Args:
        data: the article in UTF-8.

    Raises:
        SourceCorrupt: it is not well-formed.
    """
    root = parse_xml(data, part="JATS article")
    # Read before the tree is changed: `prepare_tree` takes the notes about the authors out of it.
    affiliations, keywords, references = tuple(_affiliations(root)), tuple(_keywords(root)), _references(root)
    prepare_tree(root)
    return Article(document=xml_bytes(root), affiliations=affiliations, keywords=keywords, references=references)


def _affiliations(root: _Element) -> Iterator[str]:
    meta = root.find("front/article-meta")
    if meta is None:
        return
    editors = _institutions_of(meta, editors=True) - _institutions_of(meta, editors=False)
    authors = [node for node in meta.iter("aff") if node.get("id") not in editors]
    institutions = filter(None, (text_of(node, without=("institution-id",)) for node in authors))
    if listed := "; ".join(institutions):
        yield escape(listed)
    for node in meta.iterfind("author-notes/*"):
        if text := text_of(node):
            yield escape(text)


def _institutions_of(meta: _Element, *, editors: bool) -> set[str | None]:
    """The ids of the affiliations that editors, or all other contributors, refer to."""
    people = [node for node in meta.iter("contrib") if (node.get("contrib-type") == "editor") is editors]
    return {xref.get("rid") for node in people for xref in node.iter("xref")}


def _keywords(root: _Element) -> Iterator[str]:
    for group in root.iterfind("front/article-meta/kwd-group"):
        words = filter(None, (text_of(node) for node in group.iter("kwd", "compound-kwd")))
        if listed := ", ".join(words):
            title = collapse(group.findtext("title") or "").strip().rstrip(":") or "Keywords"
            yield f"**{escape(title)}:** {escape(listed)}"


def _references(root: _Element) -> tuple[str, ...]:
    items = []
    for reference in root.iter("ref"):
        cited = [node for node in reference if node.tag in _CITATIONS] or [reference]
        text = collapse(" ".join(text_of(node, without=("label",)) for node in cited)).strip()
        if text:
            items.append((collapse(reference.findtext("label") or "").strip(), escape(text)))
    if not items:
        return ()
    numbers = [label.strip("[].") for label, _ in items]
    if numbers == [str(place) for place in range(1, len(items) + 1)]:
        lines = [f"{number}. {text}" for number, (_, text) in zip(numbers, items, strict=True)]
    else:
        lines = [f"- {escape(label)} {text}" if label else f"- {text}" for label, text in items]
    return ("## References", "\n".join(lines))
