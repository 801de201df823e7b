"""Labels of list items as Word shows them: counters run on across paragraphs that are no items (ECMA-376, 17.9)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from octavo_contracts.authoring.list_numbers import number_in_form

from .word_styles import W

if TYPE_CHECKING:
    from lxml.etree import _Element

_LEVELS = 9
_UNNUMBERED = frozenset({"bullet", "none"})
_PLACEHOLDER = re.compile(r"%([1-9])")


@dataclass(frozen=True, kw_only=True)
class _Level:
    """One level of a list.

    Attributes:
        start: number of the first item.
        form: name of the number format, such as `decimal` or `lowerRoman`.
        template: label with `%1` for the number of the first level; empty: no label is shown.
        legal: the numbers of all levels are shown in decimals.
    """

    start: int = 1
    form: str = "bullet"
    template: str = ""
    legal: bool = False


class ListLabels:
    """The counters and labels of a document's lists.

    Args:
        numbering: root of the numbering part, or None.
        styles: root of the styles part, or None.
    """

    def __init__(self, numbering: _Element | None, styles: _Element | None) -> None:
        self._lists: dict[str, str] = {}
        self._levels: dict[tuple[str, int], _Level] = {}
        self._overrides: dict[tuple[str, int], _Level] = {}
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

    def level_of(self, paragraph: _Element) -> int | None:
        """The level of a list item, 0 for the outermost; None if the paragraph is no item."""
        place = self._place(paragraph)
        return None if place is None else place[1]

    def move(self, paragraph: _Element, level: int) -> None:
        """Give a list item another level, in its own properties."""
        place = self._place(paragraph)
        properties = paragraph.find(f"{W}pPr")
        if place is None or properties is None:
            return
        for old in properties.findall(f"{W}numPr"):
            properties.remove(old)
        own = properties.makeelement(f"{W}numPr", {}, None)
        for name, value in (("ilvl", str(level)), ("numId", place[0])):
            own.append(own.makeelement(f"{W}{name}", {f"{W}val": value}, None))
        properties.append(own)

    def label_of(self, paragraph: _Element) -> str | None:
        """Count a paragraph, and return its label, such as `3.` or `(b)`; None if it is no item or shows no number."""
        place = self._place(paragraph)
        if place is None:
            return None
        list_id, level = place
        if list_id not in self._lists:
            return None
        counters = self._counters.setdefault(self._lists[list_id], [None] * _LEVELS)
        restart = self._restarts.get(list_id, {}).pop(level, None)
        found = self._level(list_id, level)
        before = counters[level]
        counters[level] = restart if restart is not None else found.start if before is None else before + 1
        counters[level + 1 :] = [None] * (_LEVELS - level - 1)
        return self._label(list_id, level, counters)

    def _level(self, list_id: str, level: int) -> _Level:
        own = self._overrides.get((list_id, level))
        return own or self._levels.get((self._lists[list_id], level), _Level())

    def _label(self, list_id: str, level: int, counters: list[int | None]) -> str | None:
        shown = self._level(list_id, level)
        if shown.form in _UNNUMBERED:
            return None

        def number(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            one = self._level(list_id, place)
            count = counters[place]
            form = "decimal" if shown.legal or one.form in _UNNUMBERED else one.form
            return number_in_form(one.start if count is None else count, form)

        return _PLACEHOLDER.sub(number, shown.template).strip() or None

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
                if 0 <= place < _LEVELS:
                    self._levels[name, place] = _read_level(level, place)
        for one in numbering.findall(f"{W}num"):
            reference = one.find(f"{W}abstractNumId")
            name = one.get(f"{W}numId", "")
            if reference is not None:
                self._lists[name] = reference.get(f"{W}val", "")
            for override in one.findall(f"{W}lvlOverride"):
                place = min(_number(override.get(f"{W}ilvl")), _LEVELS - 1)
                start = _value(override, "startOverride")
                if start is not None:
                    self._restarts.setdefault(name, {})[place] = start
                definition = override.find(f"{W}lvl")
                if definition is not None:
                    own = _read_level(definition, place)
                    self._overrides[name, place] = own if start is None else replace(own, start=start)


def _listed(element: _Element) -> tuple[str, int] | None:
    """The list and level that a paragraph's or a style's own properties name."""
    properties = element.find(f"{W}pPr/{W}numPr")
    if properties is None:
        return None
    list_id, level = properties.find(f"{W}numId"), properties.find(f"{W}ilvl")
    number = _number(level.get(f"{W}val")) if level is not None else 0
    return (list_id.get(f"{W}val", "") if list_id is not None else ""), max(0, min(number, _LEVELS - 1))


def _read_level(level: _Element, place: int) -> _Level:
    form, template, legal = (level.find(f"{W}{name}") for name in ("numFmt", "lvlText", "isLgl"))
    start = _value(level, "start")
    return _Level(
        start=1 if start is None else start,
        form="decimal" if form is None else form.get(f"{W}val", ""),
        template=f"%{place + 1}." if template is None else template.get(f"{W}val", ""),
        legal=legal is not None and legal.get(f"{W}val", "1") not in {"0", "false", "off"},
    )


def _value(element: _Element, name: str) -> int | None:
    found = element.find(f"{W}{name}")
    return None if found is None else _number(found.get(f"{W}val"))


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 7 else 0
