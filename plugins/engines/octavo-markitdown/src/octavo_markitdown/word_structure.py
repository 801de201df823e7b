"""Structure of Word documents that the engine does not read: quotes, code, nested lists, numbers, scripts, lists and tables in cells, text boxes.

Each is marked in the document by characters of the private use area before the engine reads it, and put right in the markdown after.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from octavo_contracts.authoring.list_numbers import list_marker

from .list_labels import ListLabels
from .word_review import run_text
from .word_styles import W

if TYPE_CHECKING:
    from lxml.etree import _Element

_QUOTE, _CODE, _CODE_END, _NUMBER, _NUMBER_END = "\ue080", "\ue081", "\ue082", "\ue083", "\ue084"
_SCRIPTS = {"superscript": ("\ue085", "\ue086", "sup"), "subscript": ("\ue087", "\ue088", "sub")}
_LEVEL = "\ue089"
_TAGS = {
    "\ue08a": "<tr>", "\ue08b": "</tr>", "\ue08c": "<td>", "\ue08d": "</td>", "\ue08e": "<table>", "\ue08f": "</table>",
}  # fmt: skip
_ROW, _ROW_END, _CELL, _CELL_END, _TABLE, _TABLE_END = _TAGS
_BREAK = "\ue094"
"""Begins the items of a list in a cell, and what follows them there."""
_FIRST_BREAK = re.compile(f"(^|\\|) *{_BREAK} *", re.MULTILINE)
_MARKS = re.compile(f"{_NUMBER}\\d{{1,6}}{_NUMBER_END}|{_LEVEL}\\d|[\ue080-\ue08f\ue094]")
_CODE_LINE = re.compile(f"^[*_ ]*{_CODE}(\\d{{1,6}}){_CODE_END}[*_ ]*$")
_ITEM = re.compile(f"^( *)(?:[*+-]|\\d+\\.) +[*_]*(?:{_LEVEL}(\\d))?[*_]*(?:{_NUMBER}(\\d{{1,6}}){_NUMBER_END})?")

_QUOTE_STYLE = re.compile(
    r"^(?:intense quote|quote|quotations?|block ?text|block quotation|blockquote)\b", re.IGNORECASE
)
_CODE_STYLE = re.compile(
    r"^(?:source ?code|code|code block|html preformatted|preformatted text|verbatim|listing|macro text)\b",
    re.IGNORECASE,
)
MONOSPACED = re.compile(
    r"courier|consolas|mono(?!type)|menlo|monaco|lucida console|source code|fira code|andale", re.IGNORECASE
)
_LIST_STYLE = re.compile(r"^list (?:bullet|number) (\d)$", re.IGNORECASE)
_PROPERTIES = f"{W}pPr"
_TEXT_BOX = f"{W}txbxContent"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_ALTERNATIVES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"


class WordStructure:
    """Marks the structure of a document's parts, and puts it right in the markdown made of them.

    Args:
        styles: root of the styles part, or None.
        numbering: root of the numbering part, or None.
    """

    def __init__(self, styles: _Element | None, numbering: _Element | None) -> None:
        self._names = _style_names(styles)
        self._fonts = _monospaced_styles(styles)
        self._lists = ListLabels(numbering, styles)
        self._code: list[str] = []
        self._labels: list[str] = []
        self._open_levels: list[int] = []
        self._items: set[_Element] = set()

    def mark(self, root: _Element) -> None:
        """Mark a part, in place."""
        _lift_text_boxes(root)
        for table in [one for one in root.iter(f"{W}tbl") if _is_inner(one)]:
            _flatten(table)
        for paragraph in root.iter(f"{W}p"):
            self._mark_paragraph(paragraph)
        for run in root.iter(f"{W}r"):
            _mark_script(run)

    def restore(self, markdown: str) -> str:
        """Return the engine's markdown with the marked structure in it."""
        if not _MARKS.search(markdown):
            return markdown
        for opening, closing, tag in _SCRIPTS.values():
            markdown = (
                markdown.replace(closing + opening, "").replace(opening, f"<{tag}>").replace(closing, f"</{tag}>")
            )
        for mark, tag in _TAGS.items():
            markdown = markdown.replace(mark, tag)
        markdown = re.sub(f" *{_BREAK} *", "<br>", _FIRST_BREAK.sub(r"\1 ", markdown))
        lines = self._with_items(markdown.split("\n"))
        return _MARKS.sub("", "\n".join(_with_quotes(self._with_code(lines))))

    def _mark_paragraph(self, paragraph: _Element) -> None:
        style = self._names.get(_style(paragraph), "")
        in_cell = any(ancestor.tag == f"{W}tc" for ancestor in paragraph.iterancestors())
        text = "".join(run_text(run) for run in paragraph.iter(f"{W}r"))
        if not text.strip():
            return
        if not in_cell and self._is_code(paragraph, style):
            self._replace(paragraph, text)
            return
        marks = _QUOTE if not in_cell and _QUOTE_STYLE.match(style) else ""
        if level := _LIST_STYLE.match(style):
            marks += f"{_LEVEL}{int(level[1]) - 1}"
        label = self._lists.label_of(paragraph)
        is_heading = style.lower().startswith(("heading", "title"))
        if in_cell and not is_heading and (self._lists.is_listed(paragraph) or self._follows_item(paragraph)):
            self._open_line(paragraph, label)
            return
        # Other parts of a document refer to a heading by its number, as in "see section 2.1", so it is kept as Word shows it.
        if is_heading:
            self._open_levels.clear()
            if label:
                _insert_run(paragraph, f"{label} ")
        else:
            moved = not in_cell and self._close_gap(paragraph)
            if label is not None or moved:
                marks += f"{_NUMBER}{len(self._labels)}{_NUMBER_END}"
                self._labels.append(label or "")
        if marks:
            _insert_run(paragraph, marks)

    def _follows_item(self, paragraph: _Element) -> bool:
        before = paragraph.getprevious()
        return before is not None and before in self._items

    def _open_line(self, paragraph: _Element, label: str | None) -> None:
        """Begin a line of a cell that has a list; the engine writes the lists of a cell as one line without an end."""
        if not self._lists.is_listed(paragraph):
            _insert_run(paragraph, _BREAK)
            return
        self._items.add(paragraph)
        _insert_run(paragraph, f"{_BREAK}{label or '-'} ")
        properties = paragraph.find(_PROPERTIES)
        if properties is not None:
            for old in [*properties.findall(f"{W}numPr"), *properties.findall(f"{W}pStyle")]:
                properties.remove(old)

    def _close_gap(self, paragraph: _Element) -> bool:
        """Move an item that skips levels to the next deeper one: the engine writes empty items for the levels between."""
        level = self._lists.level_of(paragraph)
        if level is None:
            self._open_levels.clear()
            return False
        while self._open_levels and self._open_levels[-1] >= level:
            self._open_levels.pop()
        self._open_levels.append(level)
        depth = len(self._open_levels) - 1
        if depth == level:
            return False
        self._lists.move(paragraph, depth)
        return True

    def _is_code(self, paragraph: _Element, style: str) -> bool:
        if (
            paragraph.find(f".//{W}drawing") is not None
            or self._lists.is_listed(paragraph)
            or style.lower().startswith("heading")
        ):
            return False
        if _CODE_STYLE.match(style):
            return True
        runs = [run for run in paragraph.iter(f"{W}r") if run_text(run).strip()]
        return bool(runs) and all(self._is_monospaced(run, paragraph) for run in runs)

    def _is_monospaced(self, run: _Element, paragraph: _Element) -> bool:
        fonts = run.find(f"{W}rPr/{W}rFonts")
        own = fonts.get(f"{W}ascii", "") if fonts is not None else ""
        if own:
            return bool(MONOSPACED.search(own))
        reference = run.find(f"{W}rPr/{W}rStyle")
        named = reference.get(f"{W}val", "") if reference is not None else ""
        return named in self._fonts or _style(paragraph) in self._fonts

    def _replace(self, paragraph: _Element, text: str) -> None:
        """Put a number in the place of a paragraph of code: the engine would escape its signs and drop its blanks."""
        for child in list(paragraph):
            if child.tag != _PROPERTIES:
                paragraph.remove(child)
        _insert_run(paragraph, f"{_CODE}{len(self._code)}{_CODE_END}")
        self._code.append(text)

    def _with_code(self, lines: list[str]) -> list[str]:
        """Paragraphs of code that follow each other are one block."""
        made: list[str] = []
        block: list[str] = []
        for line in lines:
            found = _CODE_LINE.match(line)
            if found and int(found[1]) < len(self._code):
                block.append(self._code[int(found[1])])
                continue
            if block and not line.strip():
                continue
            if block:
                made += [*_fenced(block), ""]
                block = []
            made.append(line)
        return [*made, *_fenced(block)] if block else made

    def _with_items(self, lines: list[str]) -> list[str]:
        """List items with their own levels and labels; what stands inside an item with a wider label moves with it."""
        made: list[str] = []
        widened: list[tuple[int, int]] = []
        for line in lines:
            depth = len(line) - len(line.lstrip(" "))
            while line.strip() and widened and depth <= widened[-1][0]:
                widened.pop()
            item, wider = self._with_item(line)
            made.append(" " * sum(width for _, width in widened) + item if item.strip() else item)
            if wider > 0:
                widened.append((depth, wider))
        return made

    def _with_item(self, line: str) -> tuple[str, int]:
        """A list item with its own level and label, and by how much its marker is wider than before.

        Markdown numbers only in decimals, so other labels stand in the text.
        """
        found = _ITEM.match(line)
        if found is None or not (found[2] or found[3]):
            return line, 0
        indent = found[1] + "   " * int(found[2] or 0)
        marker = line.split()[0]
        wider = 0
        if found[3] and int(found[3]) < len(self._labels):
            label = self._labels[int(found[3])]
            before, marker = marker, list_marker(label).rstrip()
            # A label that is no number in markdown is part of the text behind the bullet.
            wider = 0 if marker.startswith("-") else len(marker) - len(before)
        return f"{indent}{marker} {_MARKS.sub('', line[found.end() :])}", wider


def _fenced(block: list[str]) -> list[str]:
    text = "\n".join(block)
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return [ticks, text, ticks]


def _with_quotes(lines: list[str]) -> list[str]:
    return ["> " + line.replace(_QUOTE, "") if _QUOTE in line[:6] else line for line in lines]


def _style(paragraph: _Element) -> str:
    reference = paragraph.find(f"{_PROPERTIES}/{W}pStyle")
    return reference.get(f"{W}val", "") if reference is not None else ""


def _style_names(styles: _Element | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for style in styles.iter(f"{W}style") if styles is not None else ():
        name = style.find(f"{W}name")
        found[style.get(f"{W}styleId", "")] = name.get(f"{W}val", "") if name is not None else ""
    return found


def _monospaced_styles(styles: _Element | None) -> frozenset[str]:
    found = set()
    for style in styles.iter(f"{W}style") if styles is not None else ():
        fonts = style.find(f"{W}rPr/{W}rFonts")
        if fonts is not None and MONOSPACED.search(fonts.get(f"{W}ascii", "")):
            found.add(style.get(f"{W}styleId", ""))
    return frozenset(found)


def _insert_run(paragraph: _Element, text: str) -> None:
    run = paragraph.makeelement(f"{W}r", {}, None)
    node = run.makeelement(f"{W}t", {"{http://www.w3.org/XML/1998/namespace}space": "preserve"}, None)
    node.text = text
    run.append(node)
    properties = paragraph.find(_PROPERTIES)
    paragraph.insert(0 if properties is None else 1 + paragraph.index(properties), run)


def _mark_script(run: _Element) -> None:
    aligned = run.find(f"{W}rPr/{W}vertAlign")
    marks = _SCRIPTS.get(aligned.get(f"{W}val", "")) if aligned is not None else None
    texts = [node for node in run.iter(f"{W}t") if node.text]
    if marks is None or not texts or any(_MARKS.search(node.text or "") for node in texts):
        return
    texts[0].text = marks[0] + (texts[0].text or "")
    texts[-1].text = (texts[-1].text or "") + marks[1]


def _is_inner(table: _Element) -> bool:
    return any(ancestor.tag == f"{W}tc" for ancestor in table.iterancestors())


def _flatten(table: _Element) -> None:
    """Put a paragraph in the place of a table inside a cell: markdown has no such tables, and the engine would break the row."""
    parent = table.getparent()
    if parent is None:
        return
    rows = []
    for row in table.findall(f"{W}tr"):
        cells = [
            " ".join("".join(run_text(run) for run in cell.iter(f"{W}r")).split()) for cell in row.findall(f"{W}tc")
        ]
        rows.append(f"{_ROW}{' '.join(f'{_CELL}{cell}{_CELL_END}' for cell in cells)}{_ROW_END}")
    paragraph = parent.makeelement(f"{W}p", {}, None)
    _insert_run(paragraph, f"{_TABLE}{' '.join(rows)}{_TABLE_END}")
    parent.replace(table, paragraph)


def _lift_text_boxes(root: _Element) -> None:
    """Put the paragraphs of a drawn text box behind the paragraph that holds it; the engine reads only those with a fallback."""
    for box in list(root.iter(_TEXT_BOX)):
        holders = [ancestor.tag for ancestor in box.iterancestors()]
        alternatives = next(box.iterancestors(_ALTERNATIVES), None)
        has_fallback = alternatives is not None and alternatives.find(f"{_FALLBACK}//{_TEXT_BOX}") is not None
        if f"{W}pict" in holders or _FALLBACK in holders or has_fallback:
            continue
        host = next(box.iterancestors(f"{W}p"), None)
        if host is None or host.getparent() is None:
            continue
        for paragraph in reversed(list(box)):
            host.addnext(paragraph)
