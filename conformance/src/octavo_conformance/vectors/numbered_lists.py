"""Fresh documents with numbered lists whose items state their own numbers: lists that go on, count down, or leave numbers out."""

from __future__ import annotations

from collections.abc import Callable

from .book_bytes import BOOK_WORDS, EPUB_TYPE, chapter, epub
from .truths import HTML, Truth
from .words import Words

_NUMBERS = 100
"""Upper bound of the numbers of items."""
List = tuple[str, list[tuple[str, str]]]
"""A list in HTML, and number and text of each item."""


def _lists(words: Words) -> list[List]:
    """Generate a list that begins late, one with a number of its own within, one that goes on behind a paragraph, and one from 0."""
    n = words.dice.randint
    made: list[List] = []
    for first, jump, is_at_end in (
        (n(5, 20), 0, False),
        (1, n(12, 40), False),
        (n(3, 9), n(50, 80), True),
        (0, 0, False),
    ):
        number, written, items = first, "", []
        place = 4 if is_at_end else n(1, 3)
        for at in range(5):
            told = ""
            if jump and at == place:
                number, told = jump, f' value="{jump}"'
            text = words.line(4)
            written += f"<li{told}>{text}</li>"
            items.append((str(number), text))
            number += 1
        start = f' start="{first}"' if first != 1 else ""
        made.append((f"<ol{start}>{written}</ol>", items))
    return made


def _body(words: Words) -> tuple[str, str, dict[str, object]]:
    lists = _lists(words)
    written, told, items = "", [], []
    for source, listed in lists:
        line = words.line(7)
        written += f"<p>{line}</p>{source}"
        told += [line, *(text for _, text in listed)]
        items += listed
    # The numbers are compared with the items.
    return written, " ".join(told), {"items": tuple(items), "allowed": tuple(map(str, range(_NUMBERS)))}


def _html(words: Words) -> Truth:
    written, text, truth = _body(words)
    return HTML.format(title="", body=written).encode(), "whole", [text], truth


def _epub(words: Words) -> Truth:
    written, text, truth = _body(words)
    title = words.heading()
    allowed = (*map(str, range(_NUMBERS)), *title.split(), *BOOK_WORDS)
    return epub([chapter(title, written)], title=title), "whole", [text], truth | {"allowed": allowed}


NUMBERED_LISTS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "epub/lists.epub": (EPUB_TYPE, _epub),
    "html/lists.html": ("text/html", _html),
}
"""Path → media type, and the function that makes the document."""
