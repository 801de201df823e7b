"""Removes invisible parts from a page and keeps them separately.

Read are the `hidden` attribute, inline styles, and the plain rules of the page's own style sheets. What a
linked style sheet or a script hides is out of reach: neither is ever fetched or run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

from lxml import etree, html
from octavo_contracts import HiddenText

from .interface_parts import is_interface

Why = Literal["white", "off_page", "tiny", "hidden_style"]
Style = dict[str, str]

MAX_HIDDEN_CHARS = 200_000
"""Most hidden text kept of one page, in code points; menus of large sites repeat themselves."""

OFF_PAGE_PX = 900
"""A shift of at least this many pixels puts an element off any page."""

_NEVER_SHOWN = ("script", "style", "noscript", "template")
_ORDINARY = frozenset(("hidden_style", "off_page"))
"""Ways of hiding that pages use for menus and labels; white and tiny text has no such use."""
_ROOTS = frozenset(("html", "head", "body"))
_WHITE = re.compile(r"^(?:#fff(?:fff)?f{0,2}|white|rgba?\(255,255,255(?:,1(?:\.0+)?)?\)|transparent)$")
_NUMBER = re.compile(r"^(-?[\d.]+)\s*(px|pt|em|rem|%|vw|vh)?$")
_COMMENT = re.compile(r"(?s)/\*.*?(?:\*/|\Z)")
_RULE = re.compile(r"(?<![^{}])([^{}]*+)\{([^{}]*+)\}")
_SIMPLE = re.compile(r"^([a-z][a-z0-9]*)?([.#])([\w-]+)$", re.IGNORECASE)
_PX = {"px": 1.0, "pt": 1.33, "em": 16.0, "rem": 16.0, "%": 10.0, "vw": 10.0, "vh": 10.0}


class _Rules(NamedTuple):
    """Hiding rules of the page's own style sheets, by class and by id."""

    classes: dict[str, Style]
    ids: dict[str, Style]


def take_hidden(root: html.HtmlElement) -> tuple[HiddenText, ...]:
    """Remove hidden elements from the tree, in place, and return their text in document order.

    Parts of the page's interface are removed and not returned.

    Scripts, styles and templates are never text and are left for others to skip. `html` and `body` are not
    judged: sites hide them until a script has run.

    Args:
        root: the page's `html` element.
    """
    rules = _page_rules(root)
    styled = bool(rules.classes or rules.ids) or root.find(".//style") is not None or bool(root.xpath("//link[@rel]"))
    found: list[HiddenText] = []
    room = MAX_HIDDEN_CHARS
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.tag in _NEVER_SHOWN:
            continue
        why = None if element.tag in _ROOTS else _why_hidden(element, rules, styled=styled)
        if why is None:
            waiting.extend(reversed(element))
            continue
        whole = _text_of(element)
        text = whole[:room]
        if text and not (why in _ORDINARY and is_interface(element, whole)):
            found.append(HiddenText(text=text, why=why))
            room -= len(text)
        element.drop_tree()
    return tuple(found)


def _why_hidden(element: html.HtmlElement, rules: _Rules, *, styled: bool) -> Why | None:
    if element.get("hidden") is not None and element.get("hidden") != "until-found":
        return "hidden_style"
    if element.tag == "dialog" and element.get("open") is None:
        return "hidden_style"
    if element.tag == "img" and _is_dot(element):
        return "tiny"
    style = _style_of(element, rules)
    return _hiding(style) or ("white" if _is_white(element, style, styled=styled) else None) if style else None


def _hiding(style: Style) -> Why | None:
    """Return why a style hides its element, regardless of its surroundings."""
    if style.get("display") == "none" or style.get("visibility") in {"hidden", "collapse"}:
        return "hidden_style"
    if style.get("opacity") is not None and _pixels(style["opacity"], unit="px") == 0:
        return "hidden_style"
    size = _pixels(style.get("font-size", ""), unit="px")
    if size is not None and size <= 1:
        return "tiny"
    if style.get("position") in {"absolute", "fixed"}:
        shifts = [_pixels(style.get(side, ""), unit="px") for side in ("left", "right", "top", "bottom")]
        if any(shift is not None and shift <= -OFF_PAGE_PX for shift in shifts):
            return "off_page"
        if style.get("clip", "").replace(" ", "") in {"rect(0,0,0,0)", "rect(0000)", "rect(0px,0px,0px,0px)"}:
            return "off_page"
    indent = _pixels(style.get("text-indent", ""), unit="px")
    if indent is not None and abs(indent) >= OFF_PAGE_PX:
        return "off_page"
    if style.get("overflow") == "hidden" and 0 in (
        _pixels(style.get(side, ""), unit="px") for side in ("width", "height")
    ):
        return "tiny"
    return None


def _is_white(element: html.HtmlElement, style: Style, *, styled: bool) -> bool:
    """White text on white: on a white ground of its own, or where nothing can have painted the ground."""
    if not _WHITE.match(style.get("color", "").replace(" ", "")):
        return False
    if style.get("color") == "transparent":
        return True
    for node in (element, *element.iterancestors()):
        ground = _ground(node)
        if ground:
            return bool(_WHITE.match(ground))
    return not styled


def _ground(element: html.HtmlElement) -> str:
    style = _declarations(element.get("style") or "")
    ground = style.get("background-color") or style.get("background") or (element.get("bgcolor") or "").lower()
    return "" if ground == "transparent" else ground.replace(" ", "")


def _is_dot(image: html.HtmlElement) -> bool:
    """A picture of one pixel: its alt text is for no reader."""
    sides = [_pixels(image.get(side) or "", unit="px") for side in ("width", "height")]
    return all(side is not None and side <= 1 for side in sides)


def _style_of(element: html.HtmlElement, rules: _Rules) -> Style:
    style: Style = {}
    for name in (element.get("class") or "").split():
        style |= rules.classes.get(name, {}) | rules.classes.get(f"{element.tag}.{name}", {})
    if identity := element.get("id"):
        style |= rules.ids.get(identity, {}) | rules.ids.get(f"{element.tag}#{identity}", {})
    return style | _declarations(element.get("style") or "")


def _page_rules(root: html.HtmlElement) -> _Rules:
    """Rules with a single class or id as selector; those inside `@media` and the like are left out."""
    rules = _Rules({}, {})
    for sheet in root.iter("style"):
        if sheet.get("media") not in {None, "", "all", "screen"}:
            continue
        for selectors, body in _RULE.findall(_without_at_blocks(_COMMENT.sub("", sheet.text or ""))):
            style = _declarations(body)
            for selector in selectors.split(","):
                match = _SIMPLE.match(selector.strip())
                if match:
                    key = f"{match[1].lower()}{match[2]}{match[3]}" if match[1] else match[3]
                    target = rules.classes if match[2] == "." else rules.ids
                    target[key] = target.get(key, {}) | style
    return rules


def _without_at_blocks(css: str) -> str:
    return "".join(_outside_at_blocks(css))


def _outside_at_blocks(css: str) -> Iterator[str]:
    """The parts of a style sheet that hold always: outside `@media`, `@supports`, `@keyframes`."""
    position = 0
    while (start := css.find("@", position)) >= 0:
        yield css[position:start]
        opened, ended = css.find("{", start), css.find(";", start)
        if opened < 0 or 0 <= ended < opened:
            position = ended + 1 if ended >= 0 else len(css)
            continue
        depth, position = 1, opened + 1
        while depth and position < len(css):
            depth += {"{": 1, "}": -1}.get(css[position], 0)
            position += 1
    yield css[position:]


def _declarations(text: str) -> Style:
    style: Style = {}
    for part in text.lower().split(";"):
        name, colon, value = part.partition(":")
        if colon:
            style[name.strip()] = value.replace("!important", "").strip()
    return style


def _pixels(value: str, *, unit: str) -> float | None:
    """A length in pixels, near enough to tell 'nothing' and 'far away' from the rest; None if it is no length."""
    match = _NUMBER.match(value.strip().lower())
    try:
        return float(match[1]) * _PX[match[2] or unit] if match else None
    except ValueError:  # '1.2.3'
        return None


def _text_of(element: html.HtmlElement) -> str:
    if element.tag == "img":
        return " ".join((element.get("alt") or "").split())
    return " ".join(" ".join(map(str, cast("list[object]", _shown_strings(element)))).split())


# Text and alt texts in document order, without what is code.
_shown_strings = etree.XPath(
    "descendant-or-self::*[not(self::script or self::style or self::noscript or self::template)]"
    "/text()"
    "|descendant::img/@alt"
)
