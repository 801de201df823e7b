"""Writes small, reproducible rich text files (RTF), as word processors do: one paragraph after the other, with styles and lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

RTF_TYPE = "application/rtf"
_CELL = 1500
"""Width of a column, in twentieths of a point."""
_STYLES = "".join(rf"{{\s{level}\outlinelevel{level - 1}\b heading {level};}}" for level in (1, 2, 3))
_HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0\uc1{\fonttbl{\f0\froman\fcharset0 Times New Roman;}}"
    r"{\colortbl;\red255\green255\blue255;}{\stylesheet{\s0 Normal;}" + _STYLES + r"}{\*\revtbl{Unknown;}{Ada Quay;}}"
)
_TEN_O_CLOCK = (4 << 29 | 126 << 20 | 1 << 16 | 1 << 11 | 10 << 6) - (1 << 32)
"""Thursday, 2026-01-01 10:00, as changes are dated: weekday, years since 1900, month, day, hour, minute, as a signed number."""
Lists = Sequence[tuple[int, Sequence[str]]]
"""Numbered lists: the number of the first item, and the items."""


def rtf(body: Sequence[str], *, lists: Lists = (), title: str = "", author: str = "", padding: str = "") -> bytes:
    """Return a rich text.

    Args:
        body: its blocks in order, as the functions below write them.
        lists: the numbered lists behind them.
        title: its title; '' for none.
        author: its author; '' for none.
        padding: hexadecimal digits that readers skip.
    """
    info = "".join(rf"{{\{name} {rtf_text(said)}}}" for name, said in (("title", title), ("author", author)) if said)
    parts = [_HEAD, _tables(lists), rf"{{\info{info}}}" if info else "", rf"{{\*\octavo {padding}}}" if padding else ""]
    items = (
        rf"\pard\plain\s0\fi-360\li720\ls{number}\ilvl0{{\listtext {start + at}.\tab}}{rtf_text(text)}\par"
        for number, (start, texts) in enumerate(lists, start=1)
        for at, text in enumerate(texts)
    )
    return "\n".join((*(part for part in parts if part), *body, *items, "}")).encode("ascii")


def _tables(lists: Lists) -> str:
    if not lists:
        return ""
    level = (
        r"\levelnfc0\leveljc0\levelfollow0\levelstartat{}{{\leveltext\'02\'00.;}}{{\levelnumbers\'01;}}\fi-360\li720"
    )
    made = "".join(
        rf"{{\list\listtemplateid{number}{{\listlevel{level.format(start)}}}\listid{number}}}"
        for number, (start, _) in enumerate(lists, start=1)
    )
    used = "".join(
        rf"{{\listoverride\listid{number}\listoverridecount0\ls{number}}}" for number in range(1, len(lists) + 1)
    )
    return rf"{{\*\listtable{made}}}{{\*\listoverridetable{used}}}"


def rtf_text(text: str) -> str:
    """Return text with the format's own signs escaped, and letters beyond ASCII as their UTF-16 numbers."""
    return "".join(_sign(sign) for sign in text)


def _sign(sign: str) -> str:
    if sign in "\\{}":
        return f"\\{sign}"
    if sign.isascii():
        return sign
    units = sign.encode("utf-16-le")
    numbers = (int.from_bytes(units[at : at + 2], "little", signed=True) for at in range(0, len(units), 2))
    return "".join(rf"\u{number}?" for number in numbers)


def rtf_heading(text: str, *, level: int = 1) -> str:
    """Return a heading."""
    return rf"\pard\plain\s{level}\outlinelevel{level - 1}\b\f0\fs{34 - 4 * level} {rtf_text(text)}\par"


def rtf_paragraph(text: str, *, marks: str = "") -> str:
    r"""Return a paragraph.

    Args:
        text: its text.
        marks: control words that hold for all of it, such as `\v` of hidden text.
    """
    return rf"\pard\plain\s0\f0\fs24{marks} {rtf_text(text)}\par"


def rtf_written(*parts: str) -> str:
    """Return a paragraph of parts that are rich text."""
    return rf"\pard\plain\s0\f0\fs24 {''.join(parts)}\par"


def rtf_link(label: str, target: str) -> str:
    """Return a link in a paragraph."""
    return rf'{{\field{{\*\fldinst{{HYPERLINK "{rtf_text(target)}"}}}}{{\fldrslt{{\ul {rtf_text(label)}}}}}}}'


def rtf_note(text: str, *, at_end: bool = False) -> str:
    """Return the mark of a footnote, or of an endnote, with the note."""
    kind = r"\footnote\ftnalt" if at_end else r"\footnote"
    return rf"{{\super\chftn}}{{{kind}\pard\plain\s0\f0\fs20{{\super\chftn}} {rtf_text(text)}}}"


def rtf_comment(text: str) -> str:
    """Return a comment on the words in front of it."""
    return rf"{{\*\atnid AQ}}{{\*\atnauthor Ada Quay}}\chatn{{\*\annotation\pard\plain\s0\f0\fs20 {rtf_text(text)}}}"


def rtf_changed(text: str, *, how: Literal["deleted", "revised"]) -> str:
    """Return words that were deleted, or inserted ("revised"), while changes were tracked."""
    end = "del" if how == "deleted" else ""
    return rf"{{\{how}\revauth{end}1\revdttm{end}{_TEN_O_CLOCK} {rtf_text(text)}}}"


def rtf_table(grid: Sequence[Sequence[str]]) -> str:
    """Return a table with ruled cells."""
    rules = "".join(rf"\clbrdr{side}\brdrs\brdrw10" for side in "tlbr")
    edges = "".join(rf"{rules}\cellx{_CELL * at}" for at in range(1, len(grid[0]) + 1))
    rows = (
        rf"\trowd\trgaph70{edges}"
        + "".join(rf"\pard\plain\intbl\f0\fs24 {rtf_text(cell)}\cell" for cell in row)
        + r"\row"
        for row in grid
    )
    return "\n".join((*rows, r"\pard"))
