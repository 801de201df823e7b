"""Headings, tables and the text of markdown, HTML tables within it included."""

from __future__ import annotations

from dataclasses import dataclass
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from markdown_it.token import Token
from octavo_text.markdown import plain_text

Grid = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading: its level from 1, and its text."""

    level: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Structure:
    """What stands in a text: its headings, its tables as grids of texts, and the heading before each table."""

    headings: tuple[Heading, ...]
    tables: tuple[Grid, ...]
    titles: tuple[str, ...]


def structure(markdown: str) -> Structure:
    """Read the headings and tables of markdown."""
    headings: list[Heading] = []
    tables: list[Grid] = []
    titles: list[str] = []

    def add(found: list[Grid]) -> None:
        tables.extend(found)
        titles.extend([headings[-1].text if headings else ""] * len(found))

    html = ""
    rows: list[list[str]] = []
    level = 0
    in_cell = False
    for token in _parser().parse(markdown):
        if token.type == "html_block":
            html += token.content
            continue
        if html and "<table" in html.lower() and "</table" not in html.lower():
            # Blank lines within an HTML table end the block; its cells come as markdown of their own.
            html += "\n" + token.content
            continue
        add(html_tables(html))
        html = ""
        if token.type == "heading_open":
            level = int(token.tag[1:])
        elif token.type == "heading_close":
            level = 0
        elif token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            in_cell = True
        elif token.type in ("th_close", "td_close"):
            in_cell = False
        elif token.type == "table_close":
            add([tuple(tuple(row) for row in rows)])
        elif token.type == "inline" and level:
            headings.append(Heading(level=level, text=_inline(token)))
        elif token.type == "inline" and in_cell:
            rows[-1].append(_inline(token))
    add(html_tables(html))
    return Structure(headings=tuple(headings), tables=tuple(tables), titles=tuple(titles))


def html_tables(html: str) -> list[Grid]:
    """The tables of HTML, a merged cell's text in each place it covers; of nested ones the outer takes the text."""
    if "<table" not in html.lower():
        return []
    reader = _Tables()
    reader.feed(html)
    reader.close()
    return reader.grids


def text_of(markdown: str) -> str:
    """The visible text of markdown."""
    return plain_text(markdown)


def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable("table")


def _inline(token: Token) -> str:
    parts = [
        " " if child.type in ("softbreak", "hardbreak") or child.content.lower().startswith("<br") else child.content
        for child in token.children or ()
        if child.type in ("text", "code_inline", "text_special", "softbreak", "hardbreak")
        or (child.type == "html_inline" and child.content.lower().startswith("<br"))
    ]
    return " ".join("".join(parts).split())


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.grids: list[Grid] = []
        self._cells: dict[tuple[int, int], str] = {}
        self._row = -1
        self._place: list[tuple[int, int]] = []
        self._text: list[str] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._depth += 1
            if self._depth == 1:
                self._cells, self._row, self._place = {}, -1, []
        elif self._depth == 1 and tag == "tr":
            self._row += 1
        elif self._depth == 1 and tag in ("td", "th") and self._row >= 0:
            self._close_cell()
            self._open_cell(dict(attrs))
        elif tag == "br":
            self._text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if self._depth == 1 and tag in ("td", "th", "tr", "table"):
            self._close_cell()
        if tag == "table" and self._depth:
            self._depth -= 1
            if not self._depth:
                self.grids.append(self._grid())

    def handle_data(self, data: str) -> None:
        if self._place:
            self._text.append(data)

    def _open_cell(self, attrs: dict[str, str | None]) -> None:
        column = 0
        while (self._row, column) in self._cells:
            column += 1
        across, down = (_span(attrs.get(name)) for name in ("colspan", "rowspan"))
        self._place = [(self._row + y, column + x) for y in range(down) for x in range(across)]
        self._text = []
        self._cells.update(dict.fromkeys(self._place, ""))

    def _close_cell(self) -> None:
        text = " ".join("".join(self._text).split())
        self._cells.update(dict.fromkeys(self._place, text))
        self._place, self._text = [], []

    def _grid(self) -> Grid:
        rows = 1 + max((row for row, _ in self._cells), default=-1)
        columns = 1 + max((column for _, column in self._cells), default=-1)
        return tuple(tuple(self._cells.get((row, column), "") for column in range(columns)) for row in range(rows))


def _span(value: str | None) -> int:
    return min(200, max(1, int(value))) if value and value.isdigit() else 1
