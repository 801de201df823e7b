"""Fresh documents of text formats whose letters outside ASCII all stand behind many thousand ASCII ones, in UTF-8."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

from .json_documents import JSON_TYPE
from .sheaf_bytes import SHEAF, sheaf
from .truths import HTML, Truth, cells, mail, marked_up
from .words import Words
from .xml_documents import XML_TYPE

LEAST, MOST = 5_000, 70_000
"""Letters before the first one outside ASCII: fewest and most. A reader may take the encoding from the first 4 KiB, or from 64."""
_LINE_WORDS = 24
_LATE = (
    "Größe {} für {}",
    "{} 50 € {}",
    "Łódź {} {} Ærø",
    "{} café – {}",
    "漢字 {} данные {}",
    "{} señor {} naïve",
    "{} 🚢 {}",
)
_COLUMNS = 3


def _lines(words: Words) -> list[str]:
    """Generate lines of ASCII, and a few behind them that are not; how many letters come first is as likely small as large."""
    size = round(LEAST * (MOST / LEAST) ** words.dice.random())
    lines: list[str] = []
    while size > 0:
        lines.append(" ".join(words.short() for _ in range(_LINE_WORDS)).capitalize())
        size -= len(lines[-1])
    return [*lines, *(form.format(words.word(), words.word()) for form in words.dice.sample(_LATE, 4))]


def _txt(words: Words) -> Truth:
    lines = _lines(words)
    return ("\n\n".join(lines) + "\n").encode(), "whole", [" ".join(lines)], {}


def _html(words: Words) -> Truth:
    heading, lines = words.heading(), _lines(words)
    body = marked_up(heading, lines)
    return HTML.format(title=heading, body=body).encode(), "whole", [" ".join((heading, *lines))], {}


def _eml(words: Words) -> Truth:
    lines = _lines(words)
    data, truth = mail(words.heading(), lines)
    return data, "whole", [" ".join(lines)], truth


def _separated(words: Words, *, between: str) -> Truth:
    lines = _lines(words)
    head = tuple(words.word().capitalize() for _ in range(_COLUMNS))
    grid = (head, *((words.word(), line, words.word()) for line in lines))
    data = "".join(between.join(row) + "\n" for row in grid)
    return data.encode(), "sheet", [cells(grid)], {"tables": (grid,)}


def _json(words: Words) -> Truth:
    lines = _lines(words)
    return json.dumps(lines, ensure_ascii=False, indent=1).encode(), "whole", ["\n".join(lines)], {"allowed": ("json",)}


def _xml(words: Words) -> Truth:
    root, name, lines = words.word(), words.word(), _lines(words)
    body = "\n".join(f"<{name}>{line}</{name}>" for line in lines)
    data = f"<{root}>\n{body}\n</{root}>\n".encode()
    return data, "whole", [" ".join(lines)], {"allowed": (root, name)}


def _sheaf(words: Words) -> Truth:
    lines = _lines(words)
    return sheaf(pages=[{"blocks": [["p", line] for line in lines]}]), "page", [" ".join(lines)], {}


LATE_LETTERS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "csv/late.csv": ("text/csv", partial(_separated, between=",")),
    "eml/late.eml": ("message/rfc822", _eml),
    "html/late.html": ("text/html", _html),
    "json/late.json": (JSON_TYPE, _json),
    "md/late.md": ("text/markdown", _txt),
    "sheaf/late-letters.sheaf": (SHEAF, _sheaf),
    "tsv/late.tsv": ("text/tab-separated-values", partial(_separated, between="\t")),
    "txt/late.txt": ("text/plain", _txt),
    "xml/late.xml": (XML_TYPE, _xml),
}
"""Path → media type, and the function that makes the document."""
