"""Finds in the page itself what trafilatura chose: its tree has the words, the page has the tables, links, formulas and captions.

Before the extraction each text of a copy of the page gets an invisible mark. The marks in what trafilatura returns tell which texts
of the page it chose. The page's own elements are then rendered, without those that hold none of these texts.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import html

from . import tables
from .body import SKIPPED, is_block
from .extraction import ANY_MARK
from .shape import body_of, count_words, has_furniture_name, is_furniture

_FIRST, _SIGNS = 0xE0100, 240
"""Variation selectors: characters that are no word, have no width, and stand in few texts."""

MARK = re.compile("[\U000e0100-\U000e01ef]{2}")
MAX_TEXTS = _SIGNS * _SIGNS
"""Most texts of a page that are marked."""

UNMARKED_SHARE = 0.1
"""With a larger share of words without a mark, trafilatura's text is not the page's, but a script's."""

WHOLE_SHARE = 0.3
"""A table, list or quote with at least this share of its words chosen is kept whole."""

LINKED_SHARE = 0.5
"""What was not chosen and has a larger share of its words in links leads elsewhere and is left out."""

LIST_LINKED_SHARE = 0.25
"""The same for a list: those of a site's offers hold more text than links too."""

TEASER_SHARE = 1 / 3
"""Lists of other pages with less than this share of the chosen words are left out; with more they are what the page is for."""

_OFFER_NAME = re.compile(
    r"(?:^|[\s_-])(?:authors?|byline|bio|tags?|newsletter|recommend\w*|read-?more|more|teaser|subscri\w*|sign-?up|player|outbrain|"
    r"taboola|sponsor\w*|recirc\w*|trending|popular|latest|meta|toolbar|tooltip)(?:$|[\s_-])",
    re.IGNORECASE,
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_RESCUED = frozenset(("figure", "figcaption", "table", "pre", "math", "dl", "blockquote", "ul", "ol", "details"))
_LINKED_HEADING = " | ".join(
    f"descendant::h{level}[descendant::a[@href] and not(normalize-space(text()))] | descendant::a[@href]//h{level}"
    for level in range(2, 7)
)
_HOLDERS = "descendant::figure|descendant::table|descendant::pre|descendant::math|descendant::blockquote"
_QUOTES_AND_FIGURES = (
    "descendant-or-self::*[self::blockquote or self::figure[figcaption]][not(ancestor::blockquote or ancestor::figure)]"
)


class _Text(NamedTuple):
    """A text of the page: that before an element's first child, or that after the element."""

    element: html.HtmlElement
    is_tail: bool


class Marked(NamedTuple):
    """A copy of the page with marks.

    Attributes:
        root: the copy.
        texts: the page's texts by the number of their mark.
    """

    root: html.HtmlElement
    texts: list[_Text]


def marked(root: html.HtmlElement) -> Marked | None:
    """Return a copy of the page with a mark before each text of its body; None if it has too many, or such characters already."""
    twin = copy.deepcopy(root)
    texts: list[_Text] = []
    body = body_of(root)
    for element, other in zip(body.iter(), body_of(twin).iter(), strict=True):
        inner = isinstance(element.tag, str) and element.tag not in SKIPPED
        for is_tail, text in (
            (False, element.text if inner else None),
            (True, element.tail if element is not body else None),
        ):
            if not text or not text.strip():
                continue
            if len(texts) >= MAX_TEXTS or ANY_MARK.search(text):
                return None
            sign = chr(_FIRST + len(texts) // _SIGNS) + chr(_FIRST + len(texts) % _SIGNS)
            lead = text[: len(text) - len(text.lstrip())]
            if is_tail:
                other.tail = f"{lead}{sign}{text.lstrip()}"
            else:
                other.text = f"{lead}{sign}{text.lstrip()}"
            texts.append(_Text(element, is_tail))
    return Marked(twin, texts)


def chosen_texts(extracted: html.HtmlElement, page: Marked) -> list[_Text] | None:
    """Return the page's texts that stand in the extracted tree; None if much of the tree has no mark."""
    whole = "".join(extracted.itertext())
    first = MARK.search(whole)
    unmarked = count_words(whole[: first.start()] if first else whole)
    if not first or unmarked > UNMARKED_SHARE * max(1, count_words(whole)):
        return None
    numbers = {(ord(mark[0]) - _FIRST) * _SIGNS + ord(mark[1]) - _FIRST for mark in MARK.findall(whole)}
    return [page.texts[number] for number in sorted(numbers) if number < len(page.texts)]


def without_marks(extracted: html.HtmlElement) -> html.HtmlElement:
    """Take the marks out of the extracted tree, in place, and return it."""
    for element in extracted.iter():
        if element.text:
            element.text = ANY_MARK.sub("", element.text)
        if element.tail:
            element.tail = ANY_MARK.sub("", element.tail)
    return extracted


def unchosen(root: html.HtmlElement, chosen: list[_Text]) -> frozenset[html.HtmlElement]:
    """Return the elements of the body to leave out so that the chosen texts remain, with all that belongs to them."""
    return frozenset(_Selection(body_of(root), chosen).left_out())


class _Selection:
    """The chosen texts counted for each element, and the rules of what belongs to them."""

    def __init__(self, body: html.HtmlElement, chosen: list[_Text]) -> None:
        self._body = body
        order = list(body.iter())
        self._place = {element: place for place, element in enumerate(order)}
        self._words: dict[html.HtmlElement, int] = {}
        """Words of the chosen texts inside each element, those of its descendants included; of others too: all, linked, blocks."""
        self._all: dict[html.HtmlElement, int] = {}
        self._linked: dict[html.HtmlElement, int] = {}
        self._blocks: dict[html.HtmlElement, int] = {}
        for text in chosen:
            owner = text.element.getparent() if text.is_tail else text.element
            words = count_words((text.element.tail if text.is_tail else text.element.text) or "")
            self._words[owner] = self._words.get(owner, 0) + max(1, words)
        places = [self._place[text.element] for text in chosen if text.element in self._place]
        self._first, self._last = (min(places), max(places)) if places else (0, -1)
        self._sum_up(order)
        self._teasers = self._teaser_lists()

    def _sum_up(self, order: list[html.HtmlElement]) -> None:
        """Count upwards: in reverse order every element comes before its parent."""
        for element in reversed(order):
            is_read = isinstance(element.tag, str) and element.tag not in SKIPPED
            if is_read:
                self._all[element] = self._all.get(element, 0) + _count(element.text)
                if element.tag == "a":
                    self._linked[element] = self._all[element]
            parent = element.getparent()
            if parent is None or element is self._body:
                continue
            for counts in (self._words, self._all, self._linked, self._blocks):
                if is_read and element in counts:
                    counts[parent] = counts.get(parent, 0) + counts[element]
            self._all[parent] = self._all.get(parent, 0) + _count(element.tail)
            self._blocks[parent] = self._blocks.get(parent, 0) + is_block(element)

    def left_out(self) -> Iterator[html.HtmlElement]:
        """Walk down from the body; what is kept whole is not entered."""
        waiting = [self._body]
        while waiting:
            element = waiting.pop()
            for child in element:
                if not isinstance(child.tag, str) or child.tag in SKIPPED:
                    continue
                if child in self._teasers:
                    yield child
                elif not self._words.get(child):
                    if not self._belongs(child):
                        yield child
                elif not self._is_whole(child):
                    waiting.append(child)

    def _teaser_lists(self) -> frozenset[html.HtmlElement]:
        """Lists of other pages: the heading of most items is a link. On a page that is such a list there are none."""
        found = [one for one in self._body.iter("ul", "ol") if self._words.get(one) and _is_teaser_list(one)]
        words = sum(self._words[one] for one in found)
        return frozenset(found if words < TEASER_SHARE * self._words.get(self._body, 0) else ())

    def _is_whole(self, element: html.HtmlElement) -> bool:
        """Whether an element with chosen texts is kept with all it holds."""
        if not self._blocks.get(element):
            return True
        share = self._words[element] / max(1, self._all[element])
        if element.tag == "table":
            return share >= WHOLE_SHARE and tables.is_data(element)
        return share >= WHOLE_SHARE and element.tag in {"ul", "ol", "dl", "blockquote", "figure", "pre"}

    def _belongs(self, element: html.HtmlElement) -> bool:
        """Whether an element without a chosen text is part of the content all the same."""
        place = self._place[element]
        if is_furniture(element):
            return False
        if (has_furniture_name(element) or _has_offer_name(element)) and not self._is_quote_or_figure(element):
            return False
        if element.tag in _HEADINGS:
            return self._heads_chosen(element)
        if not self._first <= place <= self._last:
            return False
        if not self._all.get(element):
            return not element.xpath("descendant-or-self::a") and all(map(_is_telling, _images(element)))
        if self._linked_share(element) > (LIST_LINKED_SHARE if element.tag in {"ul", "ol"} else LINKED_SHARE):
            return False
        if not is_block(element) or element.tag in _RESCUED:
            return True
        if element.tag == "p":
            return self._is_amid(element)
        return bool(element.xpath(_HOLDERS)) and not any(
            has_furniture_name(inner) or is_furniture(inner) for inner in element.iterdescendants()
        )

    def _heads_chosen(self, heading: html.HtmlElement) -> bool:
        """Whether chosen text follows a heading before the next one of its level or above, on the way to the end of its parents."""
        element: html.HtmlElement | None = heading
        for _ in range(3):
            for sibling in element.itersiblings() if element is not None else ():
                if sibling.tag in _HEADINGS and str(sibling.tag) <= str(heading.tag):
                    return False
                if self._words.get(sibling):
                    return not sibling.xpath("self::h1|self::h2|self::h3|self::h4|self::h5|self::h6")
            element = element.getparent() if element is not None else None
            if element is None or element is self._body:
                return False
        return False

    def _is_quote_or_figure(self, element: html.HtmlElement) -> bool:
        """Whether all words of an element are in block quotes or in captions of figures that lead to no other page.

        Sites call what holds an embedded post or a picture a widget, as they call their offers.
        """
        held = element.xpath(_QUOTES_AND_FIGURES)
        leads_on = any(one.xpath("self::figure[descendant::a//img or ancestor::a]") for one in held)
        words = sum(self._all.get(one, 0) for one in held)
        return not leads_on and 0 < self._all[element] == words

    def _is_amid(self, element: html.HtmlElement) -> bool:
        """Whether an element stands between siblings of its kind that were chosen."""
        before = any(self._words.get(one) for one in element.itersiblings(element.tag, preceding=True))
        return before and any(self._words.get(one) for one in element.itersiblings(element.tag))

    def _linked_share(self, element: html.HtmlElement) -> float:
        return self._linked.get(element, 0) / max(1, self._all[element])


def _count(text: str | None) -> int:
    return count_words(text) if text and text.strip() else 0


def _is_teaser_list(element: html.HtmlElement) -> bool:
    items = element.findall("li")
    linked = sum(bool(item.xpath(_LINKED_HEADING)) for item in items)
    return len(items) > 1 and 2 * linked > len(items)


def _images(element: html.HtmlElement) -> list[str]:
    return [(image.get("alt") or "").strip() for image in element.iter("img")]


def _is_telling(alt: str) -> bool:
    """Whether the text of a picture says what it shows; the name of a file says nothing."""
    return not re.search(r"\.\w{3,4}$", alt)


def _has_offer_name(element: html.HtmlElement) -> bool:
    """Whether a class or id is one that sites give to what stands in the text and is no part of it."""
    return bool(_OFFER_NAME.search(f"{element.get('class') or ''} {element.get('id') or ''}"))
