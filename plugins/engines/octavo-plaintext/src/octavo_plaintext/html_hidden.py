"""Detects invisible elements of a mail by attribute and inline style."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from octavo_contracts import HiddenText

from .html_tree import SILENT, Node

Why = Literal["white", "off_page", "tiny", "hidden_style"]

_HIDING = re.compile(r"(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|mso-hide:all|opacity:0(?:\.0+)?(?=;|!|$))")
_TINY = re.compile(r"(?:^|;)(?:font-size|max-height):[01](?:\.\d+)?(?:px|pt|%)?(?=;|!|$)|(?:^|;)font-size:0")
_OFF_PAGE = re.compile(r"(?:^|;)(?:left|right|top|text-indent):-\d{3,}")
_COLOUR = re.compile(r"(?:^|;)color:([^;!]*)")
_GROUND = re.compile(r"(?:^|;)background(?:-color)?:([^;!]*)")
_WHITE = frozenset(("#fff", "#ffffff", "white", "rgb(255,255,255)"))


def take_hidden(root: Node) -> tuple[HiddenText, ...]:
    """Remove hidden elements from the tree, in place, and return their text in document order.

    White text counts as hidden unless it, or an element around it, has a ground of another colour.
    """
    found: list[HiddenText] = []
    waiting: list[tuple[Node, bool]] = [(root, False)]
    while waiting:
        node, painted = waiting.pop()
        kept: list[Node | str] = []
        below: list[tuple[Node, bool]] = []
        for child in node.children:
            if isinstance(child, str):
                kept.append(child)
                continue
            style = "".join(child.attributes.get("style", "").lower().split())
            ground = painted or _is_painted(child, style)
            why = _why_hidden(child, style, painted=ground)
            if why is None:
                kept.append(child)
                below.append((child, ground))
            elif text := " ".join("".join(_texts(child)).split()):
                found.append(HiddenText(text=text, why=why))
        node.children = kept
        waiting.extend(reversed(below))
    return tuple(found)


def _why_hidden(node: Node, style: str, *, painted: bool) -> Why | None:
    if "hidden" in node.attributes or _HIDING.search(style):
        return "hidden_style"
    if _TINY.search(style) or (node.tag == "img" and _is_dot(node)):
        return "tiny"
    if _OFF_PAGE.search(style):
        return "off_page"
    colour = _COLOUR.search(style)
    value = colour[1] if colour else node.attributes.get("color", "").lower() if node.tag == "font" else ""
    return "white" if value in _WHITE and not painted else None


def _is_painted(node: Node, style: str) -> bool:
    ground = _GROUND.search(style)
    value = ground[1] if ground else node.attributes.get("bgcolor", "").lower()
    return value not in _WHITE | {"", "transparent", "none"}


def _is_dot(node: Node) -> bool:
    """A picture of one pixel reports that the mail was opened; its alt text is for no reader."""
    return all(node.attributes.get(side, "").removesuffix("px") in {"0", "1"} for side in ("width", "height"))


def _texts(node: Node) -> Iterator[str]:
    if node.tag == "img":
        yield node.attributes.get("alt", "")
    for child in node.children:
        if isinstance(child, str):
            yield child
        elif child.tag not in SILENT:
            yield " "
            yield from _texts(child)
            yield " "
