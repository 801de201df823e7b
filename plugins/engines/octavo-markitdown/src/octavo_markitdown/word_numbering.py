"""Numbers of list items as Word shows them: counters run on across paragraphs that are no items (ECMA-376, 17.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .word_styles import W

if TYPE_CHECKING:
    from lxml.etree import _Element

_LEVELS = 9


class Numbering:
    """The counters of a document's lists.

    Args:
        numbering: root of the numbering part, or None.
        styles: root of the styles part, or None.
    """

    def __init__(self, numbering: _Element | None, styles: _Element | None) -> None:
        self._lists: dict[str, str] = {}
        self._levels: dict[tuple[str, int], tuple[int, str]] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        self._styles: dict[str, tuple[str, int]] = {}
        self._counters: dict[str, list[int | None]] = {}
        if numbering is not None:
            self._read(numbering)
        for style in styles.iter(f"{W}style") if styles is not None else ():
            if found := _listed(style):
                self._styles[style.get(f"{W}styleId", "")] = found

    def is_listed(self, paragraph: _Element) -> bool:
        """Whether a paragraph is a list item."""
        return self._place(paragraph) is not None

    def number_of(self, paragraph: _Element) -> int | None:
        """Count a paragraph, and return its number; None if it is no item or its list is not numbered in decimals."""
        place = self._place(paragraph)
        if place is None:
            return None
        list_id, level = place
        if list_id not in self._lists:
            return None
        abstract = self._lists[list_id]
        counters = self._counters.setdefault(abstract, [None] * _LEVELS)
        restart = self._restarts.get(list_id, {}).pop(level, None)
        start, form = self._levels.get((abstract, level), (1, "bullet"))
        before = counters[level]
        counters[level] = restart if restart is not None else start if before is None else before + 1
        counters[level + 1 :] = [None] * (_LEVELS - level - 1)
        return counters[level] if form == "decimal" else None

    def _place(self, paragraph: _Element) -> tuple[str, int] | None:
        own = _listed(paragraph)
        reference = paragraph.find(f"{W}pPr/{W}pStyle")
        styled = self._styles.get(reference.get(f"{W}val", "")) if reference is not None else None
        found = own if own and own[0] else (styled[0], own[1]) if own and styled else styled
        return None if found is None or found[0] in {"", "0"} else found

    def _read(self, numbering: _Element) -> None:
        for abstract in numbering.findall(f"{W}abstractNum"):
            name = abstract.get(f"{W}abstractNumId", "")
            for level in abstract.findall(f"{W}lvl"):
                place = _number(level.get(f"{W}ilvl"))
                form = level.find(f"{W}numFmt")
                start = _value(level, "start")
                if 0 <= place < _LEVELS:
                    self._levels[name, place] = (
                        1 if start is None else start,
                        "" if form is None else form.get(f"{W}val", ""),
                    )
        for one in numbering.findall(f"{W}num"):
            reference = one.find(f"{W}abstractNumId")
            name = one.get(f"{W}numId", "")
            if reference is not None:
                self._lists[name] = reference.get(f"{W}val", "")
            for override in one.findall(f"{W}lvlOverride"):
                start = _value(override, "startOverride")
                if start is not None:
                    self._restarts.setdefault(name, {})[_number(override.get(f"{W}ilvl"))] = start


def _listed(element: _Element) -> tuple[str, int] | None:
    """The list and level that a paragraph's or a style's own properties name."""
    properties = element.find(f"{W}pPr/{W}numPr")
    if properties is None:
        return None
    list_id, level = properties.find(f"{W}numId"), properties.find(f"{W}ilvl")
    number = _number(level.get(f"{W}val")) if level is not None else 0
    return (list_id.get(f"{W}val", "") if list_id is not None else ""), max(0, min(number, _LEVELS - 1))


def _value(element: _Element, name: str) -> int | None:
    found = element.find(f"{W}{name}")
    return None if found is None else _number(found.get(f"{W}val"))


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 7 else 0
