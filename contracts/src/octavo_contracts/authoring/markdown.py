"""Writes markdown that renders as the given text: escapes, fences, links and pipe tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

_INLINE = re.compile(r"[\\`*\[\]~]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#?\w+;)")
_LINE_START = re.compile(r"(?m)^([^\S\n]*)(#{1,6}(?=\s|$)|[-+=](?=\s|$)|[-=]{2,}\s*$|>|\d{1,9}(?=[.)](?:\s|$)))")
_RULE = re.compile(r"(?m)^([ \t|:]*)-(?=[ \t|:-]*$)")
_SPACE = re.compile(r"\s+")
_UNSAFE_URL = re.compile(r"[\s<>()\\]")


def collapse(text: str) -> str:
    """Collapse runs of white space to one space, as a browser does; do not trim."""
    return _SPACE.sub(" ", text)


def escape(text: str) -> str:
    """Escape characters that would be markup inside a line."""
    return _INLINE.sub(r"\\\g<0>", text)


def escape_line_starts(text: str) -> str:
    """Escape characters that would start a heading, list, quote, rule or table rule at the start of a line."""
    return _LINE_START.sub(_escaped_start, _RULE.sub(r"\1\\-", text))


def _escaped_start(match: re.Match[str]) -> str:
    # '1.' is escaped between the number and the dot, everything else before its first character.
    return f"{match[1]}{match[2]}\\" if match[2].isdigit() else f"{match[1]}\\{match[2]}"


def code_span(text: str) -> str:
    """Return a code span with enough backticks around it."""
    text = collapse(text).strip()
    if not text:
        return ""
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fence(text: str, *, language: str = "") -> str:
    """Return a fenced code block with enough backticks around it."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    body = text.strip("\n")
    return f"{ticks}{language}\n{body}\n{ticks}"


def link(label: str, url: str) -> str:
    """Return a link; spaces and brackets in the URL are encoded because they would end it."""
    safe = _UNSAFE_URL.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), url)
    return f"[{label}]({safe})"


def wrap(text: str, mark: str) -> str:
    """Put `mark` on both sides of the text, inside its outer white space, where markdown recognises emphasis."""
    core = text.strip()
    if not core:
        return text
    start = text.index(core)
    return f"{text[:start]}{mark}{core}{mark}{text[start + len(core) :]}"


def pipe_table(rows: Sequence[Sequence[str]]) -> str:
    """Return a pipe table; the first row is the header, padded because it sets the number of columns.

    Args:
        rows: cells as inline markdown; later rows may be shorter, which markdown allows.
    """
    width = max(len(row) for row in rows)
    head = [*rows[0], *[""] * (width - len(rows[0]))]
    lines = ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in (head, *rows[1:])]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _cell(text: str) -> str:
    return collapse(text).strip().replace("|", "\\|")


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
