"""Tells hidden parts of a page's interface (menus, dialogs, forms, labels for screen readers) from hidden text.

Nearly every page hides a menu or a dialog until a reader asks for it. That is no text of the document, and no sign of deceit.
"""

from __future__ import annotations

import re

from lxml import html

MAX_LABEL_WORDS = 2
"""A hidden text of no more words is a label: 'Loading', 'Cancel reply'."""

LINKED_SHARE = 0.6
"""With this share of its words in links and controls, a hidden part is a menu."""

MAX_ANCESTORS = 3
"""How far up a name or role speaks for the hidden element inside."""

_TAGS = frozenset("nav dialog form menu header footer aside button select label option fieldset".split())  # noqa: SIM905 - names read better as words
_ROLES = frozenset(
    "dialog alertdialog alert menu menubar menuitem navigation search status tooltip listbox tab tablist tabpanel banner contentinfo".split()  # noqa: SIM905 - names read better as words
)
_NAME = re.compile(
    r"(?:^|[\s_-])(?:\w*menu|\w*nav|navbar|drop-?down|modal|pop-?up|overlay|tool-?tip|cookies?|consent|gdpr|banner|log-?in|sign-?in|"
    r"sign-?up|subscri\w*|newsletter|share|sharing|social|search|cancel\w*|loading|loader|spinner|preloader|sr-only|screen-?reader\w*|"
    r"visually-?hidden|a11y|skip\w*|off-?canvas|drawer|sidebar|footer|header|widget|ads?|advert\w*|sponsor\w*|promo\w*|video|player|"
    r"carousel|slider|gallery|tabs?|toggle|mobile|desktop|print|respond|comments?|notification|alert|toast|error|success|meta|data|config|"
    r"tracking|analytics|params?|related|recommend\w*|trending|breaking|live|ticker|logo)(?:$|[\s_-])",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|above|prior|all|any|instruct\w*|rules?)\b|\bprompts?\b|"
    r"\binstructions?\b|\b(?:language|ai) models?\b|\bassistants?\b|\byou are (?:an?|now)\b|\bchatgpt\b|\bllms?\b|\bagents?\b",
    re.IGNORECASE,
)
"""A text that speaks to a machine is hidden text wherever it stands."""


def is_interface(element: html.HtmlElement, text: str) -> bool:
    """Whether a hidden element is part of the page's interface.

    Args:
        element: the element, still in its place in the page.
        text: its text on one line.
    """
    if _ADDRESSED.search(text):
        return False
    if len(text.split()) <= MAX_LABEL_WORDS:
        return True
    holders = [element, *element.iterancestors()][: MAX_ANCESTORS + 1]
    if any(_is_named(holder) for holder in holders if holder.tag not in {"body", "html"}):
        return True
    controls = element.xpath("descendant::a|descendant::button|descendant::option|descendant::label|descendant::input")
    words = sum(len("".join(control.itertext()).split()) for control in controls)
    return words >= LINKED_SHARE * len(text.split())


def _is_named(element: html.HtmlElement) -> bool:
    if element.tag in _TAGS or (element.get("role") or "") in _ROLES or element.get("aria-modal") is not None:
        return True
    return bool(_NAME.search(f"{element.get('class') or ''} {element.get('id') or ''}"))
