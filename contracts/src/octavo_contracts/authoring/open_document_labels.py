"""Labels of list items and headings in OpenDocument files, as a word processor shows them: `2.`, `(b)`, `1.2` (CNV-8).

The counters are those of LibreOffice: a list, with all lists that continue it, counts each level on, and an item of a level
lets the deeper ones begin again (OpenDocument 1.3, 16.30 to 16.34 and 19.880).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .list_numbers import number_in_form

_NS = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
_TEXT, _STYLE = _NS % "text", _NS % "style"
_TEMPLATE = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}num-list-format"
_ID = "{http://www.w3.org/XML/1998/namespace}id"
_LIST, _ITEM, _HEADING = f"{_TEXT}list", f"{_TEXT}list-item", f"{_TEXT}h"
_HEADER = f"{_TEXT}list-header"
_PLACEHOLDER = re.compile(r"%(\d{1,2})%")
_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman", "01": "decimalZero"}
_LEVELS = 10
"""Levels of a list."""
_OUTLINE = ""
"""Name of the list of headings that are in no list."""


@dataclass(frozen=True, kw_only=True)
class _Level:
    """A level of a list style that shows numbers.

    Attributes:
        start: number of the first item.
        form: name of the number format, such as `decimal` or `lowerRoman`.
        template: label with `%1%` for the number of the first level.
    """

    start: int
    form: str
    template: str


@dataclass
class _Counters:
    """The numbers of a list's levels; None before the first item of a level."""

    numbers: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)

    def count(self, level: int, *, first: int, given: int | None) -> None:
        before = self.numbers[level]
        self.numbers[level] = given if given is not None else first if before is None else before + 1
        self.numbers[level + 1 :] = [None] * (_LEVELS - level - 1)


def item_labels(content: Any, styles: Any | None) -> dict[Any, str]:
    """Return the label of each list item and of each heading that shows a number.

    Args:
        content: root element of `content.xml`, of lxml or of `xml.etree`.
        styles: root element of `styles.xml`, or None.

    Returns:
        Element `text:list-item`, or `text:h` of a heading in no list → its label. Items with a bullet have none.
    """
    return _Labels(content, styles).of_items(content)


class _Labels:
    def __init__(self, content: Any, styles: Any | None) -> None:
        self._levels: dict[tuple[str, int], _Level] = {}
        self._known: dict[str, _Counters] = {}
        self._labels: dict[Any, str] = {}
        for root in (styles, content):
            for style in root.iter() if root is not None else ():
                if style.tag == f"{_TEXT}list-style":
                    self._read(style.get(f"{_STYLE}name", ""), style)
                elif style.tag == f"{_TEXT}outline-style":
                    self._read(_OUTLINE, style)

    def of_items(self, content: Any) -> dict[Any, str]:
        outline = _Counters()
        todo: list[tuple[Any, bool, bool]] = [(content, False, False)]
        while todo:
            element, in_list, in_item = todo.pop()
            if element.tag == _HEADING and not in_list:
                self._count_heading(element, outline)
            elif element.tag == _LIST and not in_item:
                self._count_list(element)
            in_list, in_item = in_list or element.tag == _LIST, element.tag in (_ITEM, _HEADER)
            todo += [(child, in_list, in_item) for child in reversed(element) if isinstance(child.tag, str)]
        return self._labels

    def _read(self, name: str, style: Any) -> None:
        for one in style:
            level = _number(one.get(f"{_TEXT}level")) or 0
            form = one.get(f"{_STYLE}num-format", "")
            if not form or not 1 <= level <= _LEVELS:
                continue
            shown = min(_number(one.get(f"{_TEXT}display-levels")) or 1, level)
            joined = ".".join(f"%{number}%" for number in range(level - shown + 1, level + 1))
            usual = f"{one.get(f'{_STYLE}num-prefix', '')}{joined}{one.get(f'{_STYLE}num-suffix', '')}"
            start = _number(one.get(f"{_TEXT}start-value"))
            self._levels[name, level - 1] = _Level(
                start=1 if start is None else start,
                form=_FORMS.get(form, "decimal"),
                template=one.get(_TEMPLATE, usual),
            )

    def _count_heading(self, heading: Any, counters: _Counters) -> None:
        level = (_number(heading.get(f"{_TEXT}outline-level")) or 1) - 1
        if heading.get(f"{_TEXT}is-list-header") == "true" or not 0 <= level < _LEVELS:
            return
        found = self._levels.get((_OUTLINE, level))
        restart = heading.get(f"{_TEXT}restart-numbering") == "true"
        given = _number(heading.get(f"{_TEXT}start-value")) if restart else None
        counters.count(level, first=found.start if found else 1, given=given)
        self._name(heading, _OUTLINE, level, counters)

    def _count_list(self, element: Any) -> None:
        style = element.get(f"{_TEXT}style-name", "")
        counters = self._counters_of(element, style)
        todo = [(item, style, 0) for item in reversed(element)]
        while todo:
            item, style, level = todo.pop()
            if item.tag == _LIST:
                inner = item.get(f"{_TEXT}style-name", style)
                todo += [(one, inner, level + 1) for one in reversed(item)]
            elif item.tag in (_ITEM, _HEADER):
                if item.tag == _ITEM and any(_is_content(child) for child in item) and level < _LEVELS:
                    found = self._levels.get((style, level))
                    given = _number(item.get(f"{_TEXT}start-value"))
                    counters.count(level, first=found.start if found else 1, given=given)
                    self._name(item, style, level, counters)
                todo += [(child, style, level) for child in reversed(item) if child.tag == _LIST]

    def _counters_of(self, element: Any, style: str) -> _Counters:
        """Return the counters of the list that a list continues, or new ones."""
        continued = element.get(f"{_TEXT}continue-list")
        if continued is None and element.get(f"{_TEXT}continue-numbering") == "true":
            continued = f"style {style}"
        counters = self._known.get(continued or "", _Counters())
        self._known[f"style {style}"] = self._known[element.get(_ID, "without an id")] = counters
        return counters

    def _name(self, element: Any, style: str, level: int, counters: _Counters) -> None:
        found = self._levels.get((style, level))
        if found is None:
            return

        def number(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            one = self._levels.get((style, place))
            if one is None or place >= _LEVELS:
                return ""
            count = counters.numbers[place]
            return number_in_form(one.start if count is None else count, one.form)

        if label := _PLACEHOLDER.sub(number, found.template).strip():
            self._labels[element] = label


def _is_content(child: Any) -> bool:
    return isinstance(child.tag, str) and child.tag != _LIST


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 7 else None
