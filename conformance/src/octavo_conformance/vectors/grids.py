"""Tables of fresh documents, with cells that a converter may take for something else."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from .words import Words


def md_table(grid: Sequence[Sequence[str]]) -> str:
    """Return a table in markdown, the first row its header."""
    rows = [f"| {' | '.join(row)} |" for row in grid]
    return "\n".join((rows[0], "|" + "---|" * len(grid[0]), *rows[1:]))


def html_table(grid: Sequence[Sequence[str]]) -> str:
    """Return a table in HTML that is XML too, the first row its header."""
    rows = (
        f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in row)}</tr>"
        for tag, row in zip(("th", *["td"] * len(grid)), grid, strict=False)
    )
    return f"<table>{''.join(rows)}</table>"


def odd_grid(words: Words, *, records: bool = False) -> tuple[tuple[str, ...], ...]:
    """Generate a table whose cells a converter may take for something else: numbers, dates, nothing, formulas.

    Args:
        words: the words.
        records: with line breaks in cells.
    """
    dice = words.dice
    head: tuple[str, ...] = ("id", words.word(), "Sum", words.word(), "id", "note")
    odd = [
        "007", "0", "-0", "-3.50", "−4,2", "(417)", "1,234.50", "1.234,50", "12.50", "1e5", "1E-3", "TRUE", "false",
        "NULL", "N/A", "nan", "None", "-", "+49301", "03/04/2024", "2024-03-04", "4.3.24", "12:30", "50%", "€5", "½",
        "=A1+B2", "@home", "'quoted'", "S5O1-8", "1/2", "Q1", "MAR1", "x", "0.10", "00", "100000000000000000001",
    ]  # fmt: skip
    dice.shuffle(odd)
    rows = []
    while odd:
        taken, odd = odd[:3], odd[3:]
        taken += [""] * (3 - len(taken))
        # An empty cell in any column but the first, which tells the rows apart.
        rows.append([words.word(), *taken, words.word(), words.line(3) if dice.random() < 0.7 else ""])
    rows.insert(dice.randint(3, 8), list(rows[1]))
    rows.insert(dice.randint(3, 8), [words.word(), "", "", "", "", ""])
    if records:
        for row in dice.sample(rows, 2):
            row[5] = f"{words.line(2)}\n{words.line(2)}"
    # Columns of one kind, which a converter may take for a type of its own.
    dated = [f"{dice.randint(1, 28):02}/{dice.randint(1, 12):02}/20{dice.randint(10, 29)}" for _ in rows]
    coded = [f"0{dice.randint(1000, 9999)}" for _ in rows]
    parted = [f"{dice.randint(1, 99)},{dice.randint(10, 99)}" if records else f"{dice.randint(1, 99)}%" for _ in rows]
    head += ("day", "code", "part")
    for row, *typed in zip(rows, dated, coded, parted, strict=True):
        row += typed
    for row, sum_ in ((dice.choice(rows), "Total"), (rows[-1], "Total")):
        row[3] = sum_
    # Rows that stand there again: one behind itself, the header, as on a second sheet of paper, the first and the last.
    twice = dice.randint(1, len(rows) - 2)
    rows.insert(twice, rows[twice])
    rows.insert(dice.randint(2, len(rows) - 2), list(head))
    rows += [rows[0], rows[-1]]
    return (head, *(tuple(row) for row in rows))


def merged_grid(words: Words) -> tuple[tuple[str, ...], ...]:
    """Generate a table whose first column has cells over two, three and four rows: their text is in the first of them."""
    head = tuple(words.word() for _ in range(4))
    rows = []
    for height in words.dice.sample((2, 3, 4), 3):
        rows += [
            (words.word() if at == 0 else "", words.word(), str(words.dice.randint(100, 999)), words.word())
            for at in range(height)
        ]
    return (head, *rows)


def number_grid(words: Words) -> tuple[tuple[str, ...], ...]:
    """Generate a table of plain numbers, some of them with two to five decimals, some negative, some large."""
    n = words.dice.randint
    rows = (
        (
            words.word(),
            str(n(-9_999, -1)),
            f"{n(1, 9_999)}.{n(0, 9)}{n(1, 9)}",
            str(n(10**7, 10**8)),
            f"-{n(1, 99)}.{n(1, 9)}",
            f"{n(0, 3)}.0{n(10, 999)}{n(1, 9)}",
        )
        for _ in range(12)
    )
    return (tuple(words.word() for _ in range(6)), *rows)


def square_grid(words: Words, size: int, *, corner: bool = True) -> tuple[tuple[str, ...], ...]:
    """Generate a table of who owes whom: the same labels at the head of its rows and of its columns, another number each way.

    Args:
        words: the words.
        size: labels on each side.
        corner: whether there is a word where the labels meet.
    """
    labels = tuple(words.word().capitalize() for _ in range(size))
    numbers = iter(words.dice.sample(range(100, 9_999), size * size))
    return (
        (words.word() if corner else "", *labels),
        *((label, *("-" if label == other else str(next(numbers)) for other in labels)) for label in labels),
    )
