"""Fresh tables and lists of records whose rows are not alike: late members, longer rows than the first, members in another order."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .json_documents import JSON_TYPE, json_keys, json_values
from .model import words_of
from .sheaf_bytes import SHEAF, sheaf
from .truths import HTML, Truth
from .words import Words

_ROWS = 14


def _uneven(words: Words) -> list[list[str]]:
    """Generate rows of which the first is not the longest, and some are shorter."""
    w, n = words.word, words.dice.randint
    rows = [[w(), w(), w()]]
    for number in range(_ROWS):
        rows.append([w(), str(n(100, 999)), w()] + [w() for _ in range(n(1, 3) if number % 5 == 4 else 0)])
        if number % 6 == 2:
            rows[-1] = rows[-1][: n(1, 2)]
    rows[-1] += [w(), w()]
    return rows


def _text(rows: Sequence[Sequence[str]]) -> list[str]:
    return [" ".join(cell for row in rows for cell in row)]


def _separated(words: Words, *, between: str, end: str) -> Truth:
    rows = _uneven(words)
    data = "".join(between.join(row) + end for row in rows).encode()
    return data, "sheet", _text(rows), {}


def _html(words: Words) -> Truth:
    rows, lines = _uneven(words), [words.line() for _ in range(3)]
    written = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    body = f"<p>{lines[0]}</p><table>{written}</table><p>{lines[1]}</p><p>{lines[2]}</p>"
    text = " ".join((lines[0], *_text(rows), *lines[1:]))
    return HTML.format(title="", body=body).encode(), "whole", [text], {}


def _sheaf(words: Words) -> Truth:
    rows = _uneven(words)
    return sheaf(pages=[{"blocks": [["t", rows]]}]), "page", _text(rows), {"tables": (tuple(map(tuple, rows)),)}


def _records(words: Words) -> list[dict[str, Any]]:
    """Generate records of which later ones have further members, lack some, or have them in another order."""
    w, n = words.word, words.dice.randint
    keys = [w() for _ in range(4)]
    records: list[dict[str, Any]] = []
    for number in range(_ROWS):
        record: dict[str, Any] = {keys[0]: w(), keys[1]: n(100, 999), keys[2]: w(), keys[3]: f"{w()} {w()}"}
        if number % 5 == 3:
            del record[keys[n(0, 3)]]
        if number % 4 == 2:
            members = list(record.items())
            words.dice.shuffle(members)
            record = dict(members)
        if number in (1, 7, _ROWS - 1):
            record[w()] = w() if number != 7 else {w(): [w(), n(100, 999)]}
        records.append(record)
    return records


def _json(words: Words, *, form: str) -> Truth:
    body: Any = _records(words)
    match form:
        case "rows":
            body = [[cell if not cell.isdigit() else int(cell) for cell in row] for row in _uneven(words)]
        case "several":
            body = [*body[:6], words.word(), [words.word(), words.dice.randint(100, 999)], *body[6:], {}]
        case "held":
            body = {words.word(): words.word(), words.word(): body, words.word(): _records(words)}
        case "nested":
            body = [record | {words.word(): _records(words)[:3]} for record in body[:4]]
        case "named":
            body = {words.word(): record for record in body}
    keys = [part for key in json_keys(body) for part in words_of(key)]
    truth = {"allowed": (*keys, "json"), "names": tuple(dict.fromkeys(keys))}
    data = json.dumps(body, indent=words.dice.choice((None, 2))).encode()
    return data, "whole", [" ".join(json_values(body))], truth


UNEVEN_ROWS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "csv/uneven.csv": ("text/csv", partial(_separated, between=",", end="\r\n")),
    "html/uneven.html": ("text/html", _html),
    "sheaf/uneven.sheaf": (SHEAF, _sheaf),
    "tsv/uneven.tsv": ("text/tab-separated-values", partial(_separated, between="\t", end="\n")),
    **{
        f"json/{form}.json": (JSON_TYPE, partial(_json, form=form))
        for form in ("records", "rows", "several", "held", "nested", "named")
    },
}
"""Path → media type, and the function that makes the document."""
