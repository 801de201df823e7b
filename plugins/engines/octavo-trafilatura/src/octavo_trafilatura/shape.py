"""Determines the kind of page: an article with boilerplate, a plain document, a listing, or empty."""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml import html

from .body import SKIPPED, plain_text

FURNITURE_TAGS = frozenset(("nav", "aside"))
FURNITURE_ROLES = frozenset(
    ("navigation", "banner", "contentinfo", "search", "menu", "menubar", "toolbar", "complementary")
)

LINKED_SHARE = 0.3
"""A page with a larger share of its words in links is a listing or a site's page, not a plain document."""

SHORT_WORDS = 150
"""A wall, an error page or a shell has fewer words than this."""

_WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+")
_FURNITURE_NAME = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|menu|sidebar|side-?bar|footer|foot|breadcrumbs?|cookie|consent|share|social|related|"
    r"widget|promo|ads?|advert\w*|banner|masthead|topbar|comments?|login)(?:$|[\s_-])",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"\b(?:cookies?|consent|your privacy|partners|gdpr|datenschutz|einwilligung|confidentialité|privacidad|"
    r"store and(?:/or)? access information|geolocation)\b",
    re.IGNORECASE,
)
_CONSENT_BUTTON = re.compile(
    r"\b(?:accept|agree|reject|allow|akzeptieren|zustimmen|ablehnen|accepter|refuser|aceptar|rechazar|accetta)\b",
    re.IGNORECASE,
)
_NOT_FOUND = re.compile(
    r"\b404\b|\bnot found\b|\b(?:could|can) ?not (?:be found|find)\b|\bcouldn.t find\b|\bcan.t find\b|"
    r"\bno longer (?:available|exists)\b|\bdoes(?: not|n.t) exist\b|\bnicht gefunden\b|\bintrouvable\b|\bno encontrada\b",
    re.IGNORECASE,
)
_GATE = re.compile(
    r"\baccess denied\b|\bverify(?:ing)? (?:that )?you are (?:a )?human\b|\bare you a robot\b|\bchecking your browser\b|"
    r"\benable javascript\b|\bjavascript (?:is )?(?:required|disabled)\b|\bjust a moment\b|\bsubscribe to (?:continue|read)\b",
    re.IGNORECASE,
)


_JSON_ARTICLE = re.compile(r'"@type"\s*:\s*\[?\s*"(?:\w*Article|BlogPosting|Report)"')


class Shape(NamedTuple):
    """A page measured.

    Attributes:
        words: visible words outside furniture, counted by `count_words`.
        furniture: elements that serve the site and not the document, with what they hold.
        is_document: whether the page is a document and nothing else: no furniture, few links.
        is_article: whether the page calls itself an article; its short text is then believed.
    """

    words: int
    furniture: frozenset[html.HtmlElement]
    is_document: bool
    is_article: bool


def count_words(text: str) -> int:
    """Words; in scripts without blanks between words, characters."""
    return len(_WORD.findall(text))


def measure(root: html.HtmlElement) -> Shape:
    """Measure a page whose hidden elements are gone."""
    body = body_of(root)
    furniture = frozenset(element for element in body.iterdescendants() if is_furniture(element))
    words = count_words(plain_text(body, skip=furniture))
    linked = sum(count_words(plain_text(link)) for link in body.iter("a"))
    named = any(has_furniture_name(element) for element in body.iterdescendants())
    is_document = not furniture and not named and linked <= words * LINKED_SHARE
    return Shape(words, furniture, is_document=is_document, is_article=_says_article(root))


def body_of(root: html.HtmlElement) -> html.HtmlElement:
    """The `body`, or the root of a page without one."""
    body = root.find("body")
    return root if body is None else body


def empty_reason(root: html.HtmlElement, shape: Shape) -> str | None:
    """Why a page has no content of its own, as the end of a sentence; None where it has.

    Only short pages are judged: a long text that speaks of cookies is an article about cookies.

    Args:
        root: the page's `html` element, hidden elements removed.
        shape: what `measure` gave for it.
    """
    if shape.words >= SHORT_WORDS:
        return None
    text = plain_text(body_of(root))
    heading = " ".join(plain_text(element) for tag in ("title", "h1", "h2") for element in root.iter(tag))
    if not shape.words:
        scripted = root.find(".//script") is not None
        return "it is a shell that a script fills in" if scripted else "it holds no visible text"
    notice = " ".join(element.text_content() for element in root.iter("noscript"))
    if shape.words < 20 and _GATE.search(notice):
        return "it is a shell that a script fills in"
    buttons = " ".join(element.text_content() for element in root.iter("button", "a"))
    if len({match.lower() for match in _CONSENT.findall(text)}) >= 2 and _CONSENT_BUTTON.search(buttons):
        return "it is a consent wall"
    if _NOT_FOUND.search(heading):
        return "it is an error page"
    if _GATE.search(heading) or (shape.words < 60 and _GATE.search(text)):
        return "it is an access check"
    return None


def _says_article(root: html.HtmlElement) -> bool:
    """By Open Graph, by schema.org, or by its one `article` element."""
    kinds = [str(kind).lower() for kind in root.xpath("//meta[@property='og:type']/@content")]
    if any(kind.startswith(("article", "blog")) for kind in kinds) or len(root.xpath("//article")) == 1:
        return True
    if root.xpath("//*[@itemprop='articleBody']"):
        return True
    data = " ".join(script.text or "" for script in root.xpath("//script[@type='application/ld+json']"))
    return _JSON_ARTICLE.search(data) is not None


def is_furniture(element: html.HtmlElement) -> bool:
    """Whether an element serves the site: by its name, its role, or as the page's header or footer."""
    role = element.get("role") or ""
    if element.tag in FURNITURE_TAGS or role in FURNITURE_ROLES:
        return True
    if element.tag in {"header", "footer"}:
        return not any(
            ancestor.tag in {"article", "main", "section", "blockquote"} for ancestor in element.iterancestors()
        )
    return False


def has_furniture_name(element: html.HtmlElement) -> bool:
    """Whether the class or id of an element is one that sites give to what is no content."""
    if element.tag in SKIPPED:
        return False
    return bool(_FURNITURE_NAME.search(f"{element.get('class') or ''} {element.get('id') or ''}"))
