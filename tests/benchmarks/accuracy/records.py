"""Formats with fields of their own: e-mail, workbooks, web articles, the text of single pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import getaddresses, parsedate_to_datetime
from typing import Any

from octavo_text.markdown import visible_text

from .markup import Grid, structure
from .reading import Reading
from .words import normalised, recall, shingle_f1, token_f1, words

_HEADERS = ("subject", "from", "to", "cc", "date")
_HEADER_LINE = re.compile(r"^\W*(subject|from|to|cc|date|sent)\W*:\W*(.+?)\\?$", re.IGNORECASE | re.MULTILINE)


def email_score(truth: Mapping[str, Any], reading: Reading) -> float:
    """The mean over header fields that hold, the words of the body, and the names of the attachments."""
    if "messages" in truth:
        scores = [_message_score(one, reading, is_one_of_many=True) for one in truth["messages"]]
        return sum(scores) / max(1, len(scores))
    return _message_score(truth, reading, is_one_of_many=False)


def _message_score(truth: Mapping[str, Any], reading: Reading, *, is_one_of_many: bool) -> float:
    given = _headers(reading)
    parts = [float(_same(name, truth[name], given)) for name in _HEADERS if truth.get(name)]
    body = words(normalised(truth.get("body") or ""))
    if body:
        compare = recall if is_one_of_many else token_f1
        parts.append(compare(body, words(normalised(_body(reading.lines)))))
    names = {item.get("filename") for item in truth.get("attachments") or ()} - {None}
    if names and reading.conversion is not None:
        found = {item.name for item in reading.conversion.attachments} | {
            name for name in names if name and name in reading.text
        }
        parts.append(2 * len(names & found) / (len(names) + len(found)))
    elif names:
        parts.append(0.0)
    return sum(parts) / max(1, len(parts))


def _headers(reading: Reading) -> dict[str, set[str]]:
    """What the result says of a message: its fields, and the lines of its text that look like a header."""
    found: dict[str, set[str]] = {name: set() for name in _HEADERS}
    metadata = reading.conversion.metadata if reading.conversion else None
    if metadata is not None:
        for name in _HEADERS:
            found[name].add(str(metadata.fields.get(name) or ""))
        found["subject"].add(metadata.title or "")
        found["from"].add(metadata.author or "")
        found["date"].add(metadata.date or "")
    for name, value in _HEADER_LINE.findall(reading.lines):
        found["date" if name.casefold() == "sent" else name.casefold()].add(value)
    first = next((heading.text for heading in structure(reading.markdown).headings), "")
    found["subject"].add(first)
    return found


def _same(name: str, truth: str, given: Mapping[str, set[str]]) -> bool:
    if name == "date":
        wanted = _moment(truth)
        return any(_moment(value) == wanted for value in given[name]) if wanted else truth in given[name]
    if name == "subject":
        return normalised(truth) in {normalised(value) for value in given[name]}
    wanted = _addresses(truth) or _names(truth)
    return any(wanted in (_addresses(value), _names(value)) for value in given[name] if value)


def _addresses(text: str) -> frozenset[str]:
    return frozenset(address.strip("'").casefold() for _, address in getaddresses([_unquoted(text)]) if "@" in address)


def _names(text: str) -> frozenset[str]:
    """The names of a header, for a truth that has no address."""
    pairs = getaddresses([text])
    return frozenset(normalised(name or address).strip("'\"").casefold() for name, address in pairs) or frozenset(
        {normalised(text).strip("'\"").casefold()}
    )


def _unquoted(text: str) -> str:
    """Without the quotes around the whole; those around a name stay."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _moment(text: str) -> datetime | None:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text.strip())
        except (ValueError, TypeError):
            continue
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).replace(microsecond=0)
    return None


def _body(text: str) -> str:
    """A message without the lines of its header at the beginning."""
    lines = text.splitlines()
    place = last = 0
    for place, line in enumerate(lines[:20]):
        if _HEADER_LINE.match(line):
            last = place + 1
    return "\n".join(lines[last:])


def workbook_score(truth: Mapping[str, Any], reading: Reading) -> float:
    """F1 of the cells by sheet, row, column and value; places are counted from a sheet's first cell."""
    wanted = {
        sheet["name"]: _from_first({(cell["row"], cell["col"]): str(cell["value"]) for cell in sheet["cells"]})
        for sheet in truth["sheets"]
        if sheet["cells"]
    }
    found = _sheets(reading)
    common = sum(len(cells & found.get(name, set())) for name, cells in wanted.items())
    total = sum(map(len, wanted.values())) + sum(map(len, found.values()))
    return 2 * common / total if total else 1.0


def _sheets(reading: Reading) -> dict[str, set[tuple[int, int, str]]]:
    seen = structure(reading.markdown)
    sheets: dict[str, dict[tuple[int, int], str]] = {}
    for title, grid in zip(seen.titles, seen.tables, strict=True):
        cells = sheets.setdefault(title, {})
        below = 1 + max((row for row, _ in cells), default=-1)
        cells.update({(below + row, column): cell for row, column, cell in _cells(grid)})
    return {title: _from_first(cells) for title, cells in sheets.items()}


def _cells(grid: Grid) -> Iterator[tuple[int, int, str]]:
    for row, line in enumerate(grid):
        for column, cell in enumerate(line):
            if cell.strip():
                yield row, column, cell


def _from_first(cells: Mapping[tuple[int, int], str]) -> set[tuple[int, int, str]]:
    kept = {place: value for place, value in cells.items() if value.strip()}
    top = min((row for row, _ in kept), default=0)
    left = min((column for _, column in kept), default=0)
    return {(row - top, column - left, _value(value)) for (row, column), value in kept.items()}


def _value(text: str) -> str:
    """A cell's value: numbers by their worth, dates by their day and time."""
    text = normalised(text)
    try:
        return f"{float(text.replace(',', '')):.10g}"
    except ValueError:
        pass
    return text.removesuffix(" 00:00:00").replace("T", " ") if re.match(r"\d{4}-\d\d-\d\d", text) else text


def article_score(truth: Mapping[str, Any], reading: Reading) -> float:
    """F1 of the runs of four words of an article's main text."""
    wanted = words(normalised(truth["articleBody"]))
    return shingle_f1(wanted, words(normalised(reading.text)))


def expected_html_score(html: str, reading: Reading) -> float:
    """F1 of the words of a web page's main content."""
    return token_f1(words(normalised(visible_text(html))), words(normalised(reading.text)))


def page_texts_score(truth: Mapping[str, str], reading: Reading) -> float:
    """The mean F1 of the words of single pages; 0 for a page that the reading does not tell apart."""
    pages = reading.page_texts
    scores = [
        token_f1(words(normalised(text)), words(normalised(pages[int(number) - 1])))
        if int(number) <= len(pages)
        else 0.0
        for number, text in truth.items()
    ]
    return sum(scores) / max(1, len(scores))


def grids_of_cells(truth: Mapping[str, Any]) -> list[Grid]:
    """Tables given as cells with their spans; a merged cell's text stands in each place it covers."""
    grids = []
    for table in truth["tables"]:
        places: dict[tuple[int, int], str] = {}
        for cell in table["cells"]:
            for row in range(cell["row"], cell.get("end_row", cell["row"]) + 1):
                for column in range(cell["col"], cell.get("end_col", cell["col"]) + 1):
                    places[row, column] = cell["text"]
        rows, columns = (1 + max((place[axis] for place in places), default=-1) for axis in (0, 1))
        grids.append(tuple(tuple(places.get((row, column), "") for column in range(columns)) for row in range(rows)))
    return grids
