"""Fresh documents with addresses that stand in the text as they are, in pointed brackets, in code, or behind a picture."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from .json_documents import JSON_TYPE
from .link_targets import make_targets, words_of_targets
from .notebooks import NOTEBOOK_TYPE
from .sheaf_bytes import SHEAF, sheaf
from .truths import HTML, Truth, cells, mail
from .words import Words

_COUNT = 12
Line = tuple[str, str, str]
"""Words, an address, words."""


def _lines(words: Words) -> list[Line]:
    """Generate lines with an address; those with brackets, percent signs and letters outside ASCII have several spellings."""
    found = [
        one
        for one in make_targets(words, 3 * _COUNT)
        if one.startswith("http") and one.isascii() and not set(one) & set("()~*!%")
    ]
    return [(words.line(3), target, words.line(2).lower()) for target in found[:_COUNT]]


def _truth(lines: Sequence[Line]) -> dict[str, object]:
    targets = tuple(target for _, target, _ in lines)
    return {"addresses": targets, "allowed": tuple(words_of_targets(targets))}


def _text(lines: Sequence[Line]) -> str:
    return " ".join(" ".join(line) for line in lines)


def _txt(words: Words) -> Truth:
    lines = _lines(words)
    return "\n\n".join(map(" ".join, lines)).encode(), "whole", [_text(lines)], _truth(lines)


def _md(words: Words) -> Truth:
    """Addresses in pointed brackets, in a span of code, as targets in a table and in a list, and as they are."""
    lines = _lines(words)
    written, told = [], []
    for number, (before, target, behind) in enumerate(lines):
        label = words.word()
        match number % 5:
            case 0:
                written.append(f"{before} <{target}> {behind}")
                told += [before, target, behind]
            case 1:
                written.append(f"{before} `{target}` {behind}")
                told += [before, target, behind]
            case 2:
                written.append(f"| {before} |\n|---|\n| [{label}]({target}) |\n| {behind} |")
                told += [before, label, behind]
            case 3:
                written.append(f'- {before} [{label}]({target} "{label}")\n- {behind}')
                told += [before, label, behind]
            case _:
                written.append(f"## {before} [{label}]({target})\n\n{behind}")
                told += [before, label, behind]
    return "\n\n".join(written).encode(), "whole", [" ".join(told)], _truth(lines)


def _html(words: Words) -> Truth:
    """Links in a list, in a cell, in a heading, in a quote, and emphasised."""
    lines = _lines(words)
    forms = (
        '<ul><li>{} <a href="{}">{}</a> {}</li></ul>',
        '<table><tr><td>{} <a href="{}">{}</a></td><td>{}</td></tr></table>',
        '<h2>{} <a href="{}">{}</a></h2><p>{}</p>',
        '<blockquote><p>{} <a href="{}">{}</a> {}</p></blockquote>',
        '<p>{} <strong><a href="{}">{}</a></strong> {}</p>',
    )
    body, told = "", []
    for number, (before, target, behind) in enumerate(lines):
        label = words.word()
        body += forms[number % len(forms)].format(before, target.replace("&", "&amp;"), label, behind)
        told += [before, label, behind]
    return HTML.format(title="", body=body).encode(), "whole", [" ".join(told)], _truth(lines)


def _csv(words: Words) -> Truth:
    grid = [(words.word(), words.word(), words.word()), *_lines(words)]
    rows = "".join(",".join(f'"{cell}"' for cell in row) + "\r\n" for row in grid)
    return rows.encode(), "sheet", [cells(grid)], _truth(grid[1:])


def _eml(words: Words) -> Truth:
    lines = _lines(words)
    data, truth = mail(words.heading(), [" ".join(line) for line in lines])
    own = _truth(lines)
    return (
        data,
        "whole",
        [_text(lines)],
        {**truth, **own, "allowed": (*truth["allowed"], *words_of_targets([one for _, one, _ in lines]))},
    )


def _ipynb(words: Words) -> Truth:
    lines = _lines(words)
    notes = [
        {"cell_type": "markdown", "metadata": {}, "source": f"{before} <{target}> {behind}"}
        for before, target, behind in lines
    ]
    data = json.dumps({"cells": notes, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})
    return data.encode(), "whole", [_text(lines)], _truth(lines)


def _json(words: Words) -> Truth:
    lines = _lines(words)
    body = {words.word(): target for _, target, _ in lines}
    truth = _truth(lines)
    allowed = (*words_of_targets([one for _, one, _ in lines]), *body, "json")
    return json.dumps(body, indent=1).encode(), "whole", [" ".join(body.values())], {**truth, "allowed": allowed}


def _sheaf(words: Words) -> Truth:
    lines = _lines(words)
    return sheaf(pages=[{"blocks": [["p", " ".join(line)] for line in lines]}]), "page", [_text(lines)], _truth(lines)


BARE_ADDRESSES: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "csv/addresses.csv": ("text/csv", _csv),
    "eml/addresses.eml": ("message/rfc822", _eml),
    "html/addresses.html": ("text/html", _html),
    "ipynb/addresses.ipynb": (NOTEBOOK_TYPE, _ipynb),
    "json/addresses.json": (JSON_TYPE, _json),
    "md/addresses.md": ("text/markdown", _md),
    "sheaf/addresses.sheaf": (SHEAF, _sheaf),
    "txt/addresses.txt": ("text/plain", _txt),
}
"""Path → media type, and the function that makes the document."""
