"""Reads pipe tables in the engine's markdown as grids, and corrects ambiguous ones."""

from __future__ import annotations

import re

from octavo_contracts import Table

PIPE_STAND_IN = "\ue07c"
"""Placeholder for a `|` inside a cell, because the engine does not escape pipes. From the private use area."""

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_DELIMITER = re.compile(r"^ {0,3}\|(?:\s*:?-+:?\s*\|)+\s*$")
_SEPARATOR = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_IMAGE_OR_LINK = re.compile(r"!?\[((?:[^\[\]\\]|\\.)*)\]\((?:[^()\\]|\\.)*\)")
_EMPHASIS = re.compile(r"(?<!\\)(\*\*|\*)(?=\S)(.+?)(?<=\S)\1")
_BREAK = re.compile(r"(?<!\\)<br>")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")

Grid = list[list[str]]


def read_tables(markdown: str) -> tuple[str, tuple[Table, ...]]:
    """Find the tables outside code fences.

    A table without a header comes from the engine with an empty header line above it. That line is dropped and the
    first row takes its place, because every reader of pipe tables wants a header; the table says `header_rows=0`.

    Args:
        markdown: the engine's markdown, pipes of cells as `PIPE_STAND_IN`.

    Returns:
        The markdown with such headers put right and pipes escaped, and the tables in order.
    """
    lines = markdown.split("\n")
    kept: list[str] = []
    tables: list[Table] = []
    fence = ""
    index = 0
    while index < len(lines):
        fence = _fence_after(lines[index], fence)
        if not fence and index + 1 < len(lines) and _is_table(lines[index], lines[index + 1]):
            end = _table_end(lines, index)
            block, table = _read_block(lines[index:end])
            kept += block
            # To readers of markdown every line below a table is a row of it, up to the next blank one.
            kept += [""] if end < len(lines) and lines[end].strip() else []
            tables += [table] if table.rows else []
            index = end
            continue
        kept.append(lines[index])
        index += 1
    return _restore("\n".join(kept)), tuple(tables)


def _fence_after(line: str, fence: str) -> str:
    """The mark of the code fence that is open after a line, or ''."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    mark = match.group(1)
    if not fence:
        return mark
    return "" if mark.startswith(fence) and not line.strip().strip(mark[0]) else fence


def _is_table(header: str, delimiter: str) -> bool:
    return header.lstrip().startswith("|") and _DELIMITER.match(delimiter) is not None


def _table_end(lines: list[str], start: int) -> int:
    """Return the line after a table, where text or the header of the next table begins."""
    end = start + 2
    while end < len(lines) and lines[end].lstrip().startswith("|"):
        if end + 1 < len(lines) and end > start + 2 and _is_table(lines[end], lines[end + 1]):
            break
        end += 1
    return end


def _read_block(block: list[str]) -> tuple[list[str], Table]:
    header, body = split_row(block[0]), [split_row(line) for line in block[2:]]
    if any(header) or not body:
        rows, header_rows = [header, *body] if any(header) else [], 1
    else:
        rows, header_rows = body, 0
        block = [block[2], block[1], *block[3:]]
    return block, Table(rows=tuple(tuple(map(_plain, row)) for row in rows), header_rows=header_rows)


def split_row(line: str) -> list[str]:
    """Cells of one line of a table, still as markdown."""
    parts = _SEPARATOR.sub("\\1\x00", line.strip()).split("\x00")
    if not parts[0].strip():
        parts = parts[1:]
    if parts and not parts[-1].strip():
        parts = parts[:-1]
    return [part.strip() for part in parts]


def _plain(cell: str) -> str:
    """A cell as text: links and images as their text, emphasis and escapes gone."""
    text = _IMAGE_OR_LINK.sub(r"\1", _BREAK.sub(" ", cell))
    text = _EMPHASIS.sub(r"\2", text)
    return _ESCAPE.sub(r"\1", text).replace(PIPE_STAND_IN, "|")


def _restore(markdown: str) -> str:
    """Pipes of cells, escaped; those that ended outside a table, as they were."""
    if PIPE_STAND_IN not in markdown:
        return markdown
    lines = (
        line.replace(PIPE_STAND_IN, r"\|" if line.lstrip().startswith("|") else "|") for line in markdown.split("\n")
    )
    return "\n".join(lines)


def pipe_table(rows: Grid) -> str:
    """A grid as a pipe table, the first row its header."""
    lines = ["| " + " | ".join(map(escape, row)) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


_SPECIAL = re.compile(r"[\\`*<\[\]|~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|^(?=[#>+-] )|^(?=\d+[.)] )")


def escape(text: str) -> str:
    """A text as one line of markdown that reads the same: white space folded, marks escaped."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
