"""Tables of rich text as Pandoc reads them whole: parted from each other, with the paragraphs and lists of a cell in that cell."""

from __future__ import annotations

import re

from .rich_groups import LONGEST_LABEL, end_of_group, plain_text

_WORD = re.compile(rb"\{\\listtext(?![a-z])|(?<!\\)\\(pard|par|intbl|cell|row|ls\d{1,5})(?![a-z\d])[ \r\n]?")


def parted_tables(data: bytes, gap: bytes) -> bytes:
    """Return rich text with a paragraph between tables, and with the paragraphs of a cell as its lines.

    Pandoc passes over the empty paragraphs between two tables, and makes one of them. It takes paragraphs before the end of
    a table's first cell for some in front of the table, and puts those of lists into cells of their own: labels of list items
    in cells become text.

    Args:
        data: the document.
        gap: text of the paragraphs that are put between tables.
    """
    pieces: list[bytes] = []
    done = 0
    in_table = in_cell = False
    for word in _WORD.finditer(data):
        if word.start() < done:
            continue
        name = word[1]
        put, end = b"", word.end()
        if name in {b"pard", b"intbl"}:
            in_cell = name == b"intbl"
            continue
        if name in {b"cell", b"row"}:
            in_table = True
            continue
        if name is None:
            end = end_of_group(data, word.start(), most=LONGEST_LABEL)
            put = b"{%s }" % _label(data[word.end() : end - 1])
        elif name == b"par" and in_cell:
            put = rb"\line "
        elif name == b"par" and in_table:
            in_table = False
            put = b"%s {%s}\\par " % (word[0], gap)
        if put.startswith(rb"\par") or in_cell:
            pieces += [data[done : word.start()], put]
            done = end
    return b"".join(pieces) + data[done:]


def _label(group: bytes) -> bytes:
    label = plain_text(group)
    return label.encode() if label.isascii() and any(map(str.isalnum, label)) and len(label) > 1 else b"-"
