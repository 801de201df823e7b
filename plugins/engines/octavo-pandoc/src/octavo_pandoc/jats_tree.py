"""The tree of a JATS article, changed so that Pandoc's reader drops less of it."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from octavo_contracts.authoring import collapse

if TYPE_CHECKING:
    from lxml.etree import _Element

_WITHIN_A_WORD = frozenset(
    {"bold", "italic", "monospace", "named-content", "roman", "sans-serif", "sc", "styled-content", "sub", "sup"}
    | {"overline", "strike", "underline"}
)
"""Elements that may part a word; all others part words from each other."""
_CAPTIONED = ("fig", "fig-group", "table-wrap", "table-wrap-group", "boxed-text", "supplementary-material")
_SECTIONS = ("ack", "app", "bio", "fn-group", "glossary", "notes")
_LABELLED = ("statement", "fn")


def prepare_tree(root: _Element) -> None:
    """Move labels, titles, notes and further abstracts to where Pandoc reads them.

    Args:
        root: the article, which is changed.
    """
    _move_front(root)
    for node in list(root.iter(*_CAPTIONED)):
        _label_in_caption(node)
    for node in list(root.iter(*_LABELLED)):
        _label_in_text(node)
    for node in list(root.iter(*_SECTIONS)):
        if node.find("title") is not None:
            node.tag = "sec"
    for node in list(root.iter("sub-article", "response")):
        _section_of_article(node)
    for node in list(root.iter("disp-formula")):
        _formula_in_paragraph(node)


def text_of(node: _Element, *, without: Collection[str] = ()) -> str:
    """The text of an element; a space parts elements that touch each other.

    Args:
        node: an element.
        without: tags of elements to leave out.
    """
    return collapse(_text(node, without)).strip()


def _text(node: _Element, without: Collection[str]) -> str:
    parts = [node.text or ""]
    for child in node:
        before = child.getprevious()
        touches = parts[-1] == "" and before is not None and not {child.tag, before.tag} <= _WITHIN_A_WORD
        # An affiliation's label touches the text after it.
        after_label = before is not None and before.tag == "label"
        inner = "" if child.tag in without else _text(child, without)
        tail = child.tail or ""
        parts += [f" {inner}" if touches or after_label else inner, f" {tail}" if child.tag == "label" else tail]
    return "".join(parts)


def _move_front(root: _Element) -> None:
    """Further abstracts become sections before the body's, notes of the front sections after them."""
    body, meta = root.find("body"), root.find("front/article-meta")
    if meta is None:
        return
    if body is None:
        body = _new(root, "body")
        root.insert(1, body)
    further = [*meta.findall("abstract")[1:], *meta.findall("trans-abstract")]
    for place, node in enumerate(further):
        if node.find("title") is None:
            title = _new(node, "title")
            language = node.get("{http://www.w3.org/XML/1998/namespace}lang")
            title.text = f"Abstract ({language})" if language else "Abstract"
            node.insert(0, title)
        node.tag = "sec"
        body.insert(place, node)
    for node in root.findall("front/notes"):
        body.append(node)
    for node in meta.findall("author-notes"):
        meta.remove(node)


def _label_in_caption(node: _Element) -> None:
    """Put label and title at the beginning of the caption's first paragraph."""
    label, caption = node.find("label"), node.find("caption")
    if caption is None:
        if label is None:
            return
        caption = _new(node, "caption")
        node.insert(0, caption)
    title = caption.find("title")
    opening = [_renamed(one) for one in (label, title) if one is not None and text_of(one)]
    first = caption.find("p")
    if not opening:
        return
    if first is None:
        first = _new(caption, "p")
        caption.append(first)
    rest, first.text = first.text or "", ""
    for place, one in enumerate(opening):
        text = text_of(one)
        ends = text.endswith((".", ":", "?", "!"))
        one.tail = " " if ends else ". "
        first.insert(place, one)
    opening[-1].tail = (opening[-1].tail or "") + rest
    if not (rest.strip() or len(first) > len(opening)):
        opening[-1].tail = ""


def _renamed(node: _Element) -> _Element:
    """Take a label or a title out of its parent, as an inline element without marks."""
    parent = node.getparent()
    if parent is not None:
        node.tail = None
        parent.remove(node)
    node.tag = "named-content"
    return node


def _label_in_text(node: _Element) -> None:
    """Put the label of a note or a statement at the beginning of its first paragraph."""
    label, first = node.find("label"), node.find("p")
    if label is None or first is None or not text_of(label):
        return
    node.remove(label)
    label.tag = "sup" if node.tag == "fn" and label.find("sup") is None else "named-content"
    label.tail = f" {first.text or ''}"
    first.text = ""
    first.insert(0, label)


def _section_of_article(node: _Element) -> None:
    title = node.find(".//article-title")
    if title is None:
        return
    front = title.getparent()
    if front is not None:
        front.remove(title)
    title.tag, title.tail = "title", None
    node.insert(0, title)
    node.tag = "sec"


def _formula_in_paragraph(node: _Element) -> None:
    """Wrap a formula that stands between paragraphs: Pandoc reads mathematics within paragraphs only."""
    parent = node.getparent()
    if parent is None or parent.tag == "p":
        return
    paragraph = _new(parent, "p")
    parent.replace(node, paragraph)
    paragraph.tail, node.tail = node.tail, None
    paragraph.append(node)


def _new(near: _Element, tag: str) -> _Element:
    return near.makeelement(tag, {}, None)
