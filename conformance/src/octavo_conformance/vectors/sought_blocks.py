"""The content of a document that has what a plugin's own code names, between made-up words.

A text of the code stands at the beginning, in the middle and at the end of paragraphs, in headings, items of lists, labels of
links and cells. A number of the code is written, it is the length of words and paragraphs, and of lists and tables, which have
one part more than it says.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from ..code_constants import CodeConstants
from .grids import odd_grid
from .truths import cells
from .words import Words

Block = tuple[str, Any]
"""("h" | "p", text), ("items", texts), ("link", (label, target)) or ("table", grid)."""
Grid = tuple[tuple[str, ...], ...]
_MARKUP = re.compile(r"[\\<>&*_`#\[\]{}|^~\"=@]+|\$(?!\d+[.,\s]|\d+$)")
"""Signs that mean something in one of the formats."""
_LISTED = re.compile(r"^(?:(\d+(?:\.\d+)*)[.)](?!\d)|[\u2022\u25cf\u25cb\u25aa\u25ab\u25e6\u2023\u00b7]+)\s*")
"""What makes a line an item of a list, whose number or mark is no part of it."""
_WORD, _ITEMS, _ROWS, _COLUMNS, _WORDS, _LETTERS = 40, 60, 120, 9, 400, 30_000
"""Up to which number words, lists, tables and paragraphs have one part more than it says."""
_TEXT = 60_000
"""Up to which number the whole text has more letters than it says."""
_COLUMN = 3
"""Columns of the table of texts."""
_HEADS, _VALUES = 8, 60
"""Columns of a table with texts for names, and texts that are its cells."""


def sought_texts(words: Words, constants: CodeConstants) -> list[str]:
    """Return the texts and numbers of a plugin's code as they can stand in a line of any format, in another order."""
    found = dict.fromkeys(_LISTED.sub(r"\1", " ".join(_MARKUP.sub(" ", text).split())) for text in constants.texts)
    # Signs in a row without a letter are rather a list of the code's than what a document has.
    found = {text: None for text in found if len(text) == 1 or any(map(str.isalnum, text))}
    # Converters may write a letter that Unicode has twice, such as a ligature, in its other form.
    told = [text for text in found if text and unicodedata.is_normalized("NFKC", text)]
    told += [str(number + more) for number in constants.numbers for more in (0, 1)]
    words.dice.shuffle(told)
    return told


def sought_blocks(words: Words, constants: CodeConstants, *, tables: bool = True) -> list[Block]:
    """Make the blocks of a document; behind each list, link and table stands a paragraph.

    Args:
        words: the words.
        constants: of the plugin's code.
        tables: for a format with tables: with one that has empty cells, and what converters take for something else.
    """
    told = sought_texts(words, constants)
    blocks: list[Block] = [("p", text) for text in _paragraphs(words, told, constants.numbers)]
    words.dice.shuffle(blocks)
    grids = (odd_grid(words), headed_grid(words, told, constants.numbers)) if tables else ()
    for larger in (*(("table", grid) for grid in grids), *_larger(words, constants.numbers), *_named(words, told)):
        kind, _ = larger
        after = [] if kind == "h" else [("p", words.line(3))]
        at = words.dice.randint(0, len(blocks))
        while at and blocks[at - 1][0] != "p":
            at -= 1
        blocks[at:at] = [larger, *after]
    blocks = [("h", words.heading()), ("p", words.line(4)), *blocks]
    return [*blocks, *(("p", text) for text in _later(words, told, constants.numbers, len(words_told(blocks))))]


def _later(words: Words, told: Sequence[str], numbers: Sequence[int], length: int) -> Iterator[str]:
    """Yield lines until the text has as many letters as a number says, and then the texts again, two in a line."""
    most = max((number for number in numbers if number <= _TEXT), default=0)
    while length <= most:
        line = " ".join(words.short() for _ in range(10))
        length += len(line)
        yield line
    plain = [text for text in told if any(map(str.isalnum, text))][:_VALUES]
    for step in (1, 2, 3):
        for text, other in zip(plain, plain[step:], strict=False):
            yield f"{words.line(2)} {text} {words.word()} {other}."


def _paragraphs(words: Words, told: Sequence[str], numbers: Sequence[int]) -> Iterator[str]:
    for place, text in enumerate(told):
        line = words.line(3)
        forms = (f"{line} {text} {words.word()}.", f"{text} {words.line(2).lower()}.", f"{line} {text}")
        # A lone sign at the beginning or at the end of a line may be the mark of an item or of a word that goes on.
        first = place % 3 if any(map(str.isalnum, text)) else 0
        yield forms[first]
        if len(text) > 1:
            yield forms[(first + 1) % 3]
    for number in numbers:
        for count in (number, number + 1) if number <= _WORD else ():
            digits = "".join(str(words.dice.randint(1, 9)) for _ in range(count))
            letters = "".join(words.long_word() for _ in range(count // 16 + 1))
            yield f"{words.line(2)} {letters[:count]} {digits}"
        if number <= _WORDS:
            yield " ".join(words.short() for _ in range(number + 1))
        if number <= _LETTERS:
            yield _of_length(words, number + 1)


def _of_length(words: Words, letters: int) -> str:
    made = [words.short() for _ in range(letters // 5 + 1)]
    while sum(map(len, made)) + len(made) <= letters:
        made.append(words.short())
    return " ".join(made)


def _larger(words: Words, numbers: Sequence[int]) -> Iterator[Block]:
    for count in (number + 1 for number in numbers):
        if count <= _ITEMS:
            yield "items", tuple(words.line(2) for _ in range(count))
        if count <= _ROWS:
            yield "table", _grid(words, count, _COLUMN)
        if _COLUMN < count <= _COLUMNS:
            yield "table", _grid(words, 4, count)


def headed_grid(words: Words, told: Sequence[str], numbers: Sequence[int]) -> Grid:
    """Make a table whose columns have texts of a plugin's code for names, and in which each column has many of them as cells.

    It has a row more than the numbers up to `_ROWS` say.
    """
    heads = [text for text in told if text.isalpha()][:_HEADS] or [words.word()]
    values = list(told[:_VALUES]) or [words.word()]
    rows = max(len(values), *(number + 1 for number in numbers if number < _ROWS), 1)
    head = (words.word(), *heads)
    return (
        head,
        *(
            (words.word(), *(values[(row + column) % len(values)] for column in range(len(heads))))
            for row in range(rows)
        ),
    )


def _grid(words: Words, rows: int, columns: int) -> Grid:
    head = tuple(words.word() for _ in range(columns))
    return (head, *(tuple(words.short() for _ in range(columns)) for _ in range(rows)))


def _named(words: Words, told: Sequence[str]) -> Iterator[Block]:
    """Yield blocks other than paragraphs with the texts of the code, one for each of the first texts, and a table of all."""
    plain = [text for text in told if text.replace(" ", "").isalnum()]
    for text in plain[:12]:
        yield "h", f"{words.heading()} {text}"
        yield "link", (f"{text} {words.word()}", f"https://{words.word()}.example/{words.word()}")
    if plain:
        yield "items", tuple(f"{words.word()} {text}" for text in plain[:40])
    flat = [
        *(words.word() for _ in range(_COLUMN)),
        *(cell for text in told for cell in (words.word(), text, words.word())),
    ]
    yield "table", tuple(tuple(flat[at : at + _COLUMN]) for at in range(0, len(flat), _COLUMN))


def words_told(blocks: Sequence[Block]) -> str:
    """Return all words of blocks, in order."""
    told = []
    for kind, content in blocks:
        match kind:
            case "items":
                told += content
            case "link":
                told.append(content[0])
            case "table":
                told.append(cells(content))
            case _:
                told.append(content)
    return " ".join(told)


def flat_lines(blocks: Sequence[Block]) -> list[str]:
    """Return the blocks of a format without tables and links as lines, each item and each row of a table one of them."""
    lines: list[str] = []
    for kind, content in blocks:
        match kind:
            case "items":
                lines += content
            case "link":
                lines.append(content[0])
            case "table":
                lines += (" ".join(row) for row in content)
            case _:
                lines.append(content)
    return lines
