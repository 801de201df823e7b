"""Writes the text of a slide's shapes as markdown: paragraphs, lists, emphasis, links, code and equations (CNV-8)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from octavo_contracts.authoring import code_span, collapse, escape, escape_line_starts, fence, link, wrap
from octavo_contracts.authoring.list_numbers import number_in_form

from .slide_styles import A, SlideStyles, level_of
from .word_equations import M, latex_of
from .word_structure import MONOSPACED

if TYPE_CHECKING:
    from lxml.etree import _Element
    from pptx.opc.package import Part

_R_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_BREAK = "\v"
"""Stands for a line break until a paragraph is written."""
_FORMS = {
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
    "arabic": "decimal",
}
_LABELS = {"ParenBoth": "({})", "ParenR": "{})", "Period": "{}.", "Plain": "{}."}
_LABEL = re.compile(r"^(alphaLc|alphaUc|romanLc|romanUc|arabic)(ParenBoth|ParenR|Period|Plain)$")


_TAGS = frozenset({"sub", "sup", "u"})
"""Marks that markdown has no signs for: they are written as HTML elements."""


@dataclass(frozen=True, kw_only=True)
class _Look:
    """How a run is set.

    Attributes:
        url: address that the run leads to; empty without one.
        code: set in a monospaced font.
        math: an equation, already markdown.
        marks: markdown or HTML marks around the text, outermost first.
    """

    url: str = ""
    code: bool = False
    math: bool = False
    marks: tuple[str, ...] = ()


class SlideText:
    """Reads text bodies of one slide.

    Args:
        styles: list styles of the slide.
        part: part of the slide, whose relations are the targets of links.
    """

    def __init__(self, styles: SlideStyles, part: Part) -> None:
        self._styles = styles
        self._part = part

    def blocks(self, body: _Element, shape: _Element | None = None) -> list[str]:
        """Return the paragraphs of a shape as markdown blocks; the items of a list are one block.

        Args:
            body: text body.
            shape: shape of the slide, which may be a placeholder; None for notes, which inherit nothing from the layout.
        """
        written = _Blocks()
        for paragraph in body.iterfind(f"{A}p"):
            runs = list(self._runs(paragraph))
            if not any(text.strip() for text, _ in runs):
                continue
            bullet = self._styles.bullet(paragraph, shape)
            if bullet is None and all(look.code for text, look in runs if text.strip()):
                written.code("".join(text for text, _ in runs).replace(_BREAK, "\n"))
            elif bullet is None:
                written.paragraph(_written(runs))
            else:
                written.item(_written(runs), bullet, level_of(paragraph))
        return written.finished()

    def line(self, body: _Element, *, emphasis: bool = True) -> str:
        """Return all text of a shape or cell as one line of markdown.

        Args:
            body: text body.
            emphasis: whether emphasis and code are marked.
        """
        lines = []
        for paragraph in body.iterfind(f"{A}p"):
            runs = list(self._runs(paragraph))
            if not emphasis:
                runs = [(text, look if look.math else _Look()) for text, look in runs]
            lines.append(" ".join(_written(runs, line_break=" ").split()))
        return " ".join(filter(None, lines))

    def _runs(self, paragraph: _Element) -> Iterator[tuple[str, _Look]]:
        found = (self._run(child) for child in _inline(paragraph))
        for look, group in groupby((one for one in found if one[0]), key=lambda one: one[1]):
            yield "".join(text for text, _ in group), look

    def _run(self, element: _Element) -> tuple[str, _Look]:
        if element.tag == f"{A}br":
            return _BREAK, _Look()
        if element.tag == f"{M}oMath":
            latex = latex_of(element)
            return (f"${latex}$" if latex else ""), _Look(math=True)
        text = (element.findtext(f"{A}t") or "").replace("\v", _BREAK).replace("\t", " ")
        properties = element.find(f"{A}rPr")
        return text, _Look() if properties is None else self._look(properties)

    def _look(self, properties: _Element) -> _Look:
        marks = []
        if properties.get("strike", "noStrike") != "noStrike":
            marks.append("~~")
        if _is_on(properties.get("b")):
            marks.append("**")
        if _is_on(properties.get("i")):
            marks.append("*")
        if properties.get("u", "none") != "none":
            marks.append("u")
        baseline = properties.get("baseline", "0").rstrip("%")
        if baseline.lstrip("-").isdecimal() and int(baseline):
            marks.append("sub" if baseline.startswith("-") else "sup")
        font = properties.find(f"{A}latin")
        code = font is not None and MONOSPACED.search(font.get("typeface", "")) is not None
        return _Look(url=self._url(properties), code=code, marks=() if code else tuple(marks))

    def _url(self, properties: _Element) -> str:
        click = properties.find(f"{A}hlinkClick")
        relation = self._part.rels.get(click.get(_R_ID, "")) if click is not None else None
        return str(relation.target_ref) if relation is not None and relation.is_external else ""


class _Blocks:
    """Collects the blocks of a text body."""

    def __init__(self) -> None:
        self._done: list[str] = []
        self._items: list[str] = []
        # Level and column of the text of each item that a further one may belong to.
        self._open: list[tuple[int, int]] = []
        self._numbers: dict[int, tuple[str, int]] = {}
        self._code: list[str] = []

    def paragraph(self, text: str) -> None:
        """Add a paragraph; a list or code block before it ends."""
        self._end()
        self._done.append(escape_line_starts(text.strip()))

    def code(self, text: str) -> None:
        """Add a line of code."""
        if self._items:
            self._end()
        self._code.append(text)

    def item(self, text: str, bullet: _Element, level: int) -> None:
        """Add an item of a list."""
        if self._code:
            self._end()
        self._open = [one for one in self._open if one[0] < level]
        indent = " " * (self._open[-1][1] if self._open else 0)
        mark = self._mark(bullet, level)
        inner = f"{indent}{' ' * (len(mark.split()[0]) + 1)}"
        self._open.append((level, len(inner)))
        body = escape_line_starts(text.strip()).replace("\n", f"\n{inner}")
        self._items.append(f"{indent}{mark} {body}")

    def finished(self) -> list[str]:
        """Return the blocks."""
        self._end()
        return self._done

    def _mark(self, bullet: _Element, level: int) -> str:
        self._numbers = {one: number for one, number in self._numbers.items() if one <= level}
        if bullet.tag != f"{A}buAutoNum":
            self._numbers.pop(level, None)
            return "-"
        kind = bullet.get("type", "arabicPeriod")
        start = bullet.get("startAt", "1")
        last = self._numbers.get(level)
        number = last[1] + 1 if last and last[0] == kind else int(start) if start.isdecimal() else 1
        self._numbers[level] = (kind, number)
        found = _LABEL.match(kind)
        form, label = (_FORMS[found[1]], _LABELS[found[2]]) if found else ("decimal", "{}.")
        shown = label.format(number_in_form(number, form))
        return shown if form == "decimal" and not shown.startswith("(") else f"- {shown}"

    def _end(self) -> None:
        if self._items:
            self._done.append("\n".join(self._items))
        if self._code:
            self._done.append(fence("\n".join(self._code)))
        self._items, self._open, self._numbers, self._code = [], [], {}, []


def plain(markup: _Element) -> str:
    """Return the text of a shape, cell or comment as one line without markup."""
    pieces: list[str] = []
    for node in markup.iter(f"{A}t", f"{A}br", f"{A}p", f"{M}t"):
        pieces.append(node.text or "" if node.tag in (f"{A}t", f"{M}t") else " ")
    return collapse("".join(pieces)).strip()


def _inline(paragraph: _Element) -> Iterator[_Element]:
    """The runs, fields, breaks and equations of a paragraph, in order."""
    for element in paragraph.iter(f"{A}r", f"{A}fld", f"{A}br", f"{M}oMath"):
        if element.tag == f"{M}oMath" or next(element.iterancestors(f"{M}oMath"), None) is None:
            yield element


def _written(runs: list[tuple[str, _Look]], *, line_break: str = "\\\n") -> str:
    """Write runs as markdown. Emphasis that markdown would not recognise beside its neighbour is left out."""
    pieces: list[str] = []
    for place, (text, look) in enumerate(runs):
        before = runs[place - 1][0][-1:] if place else ""
        after = runs[place + 1][0][:1] if place + 1 < len(runs) else ""
        touches = bool(place) and not before.isspace() and not text[:1].isspace() and bool(runs[place - 1][1].marks)
        pieces.append(_marked(text, look, before, after, touches=touches))
    return "".join(pieces).strip(_BREAK + " ").replace(_BREAK, line_break)


def _marked(text: str, look: _Look, before: str, after: str, *, touches: bool) -> str:
    if look.math:
        return text
    if not text.strip(_BREAK + " "):
        return text
    lead, core, tail = _parted(text)
    if look.code:
        written = _BREAK.join(map(code_span, core.split(_BREAK)))
    else:
        written = escape(collapse_blanks(core))
        for mark in reversed(look.marks):
            if mark in _TAGS:
                written = f"<{mark}>{written}</{mark}>"
            elif not touches and _is_recognised(core, lead or before, tail or after) and _BREAK not in core:
                written = wrap(written, mark)
    return f"{lead}{link(written, look.url) if look.url else written}{tail}"


def _parted(text: str) -> tuple[str, str, str]:
    """Part a text from the blanks and breaks around it."""
    core = text.strip(_BREAK + " ")
    start = text.index(core)
    return text[:start], core, text[start + len(core) :]


def collapse_blanks(text: str) -> str:
    """Collapse runs of white space, line breaks apart."""
    return _BREAK.join(map(collapse, text.split(_BREAK)))


def _is_recognised(core: str, before: str, after: str) -> bool:
    """Whether marks around a text open and close: punctuation inside them needs a blank or punctuation outside."""
    opens = core[0].isalnum() or not before or not before[-1].isalnum()
    closes = core[-1].isalnum() or not after or not after[0].isalnum()
    return opens and closes


def _is_on(value: str | None) -> bool:
    return value in ("1", "true", "on")
