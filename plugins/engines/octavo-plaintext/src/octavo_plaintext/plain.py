"""Plain text and markdown files."""

from __future__ import annotations

import re
import tomllib
from typing import NamedTuple

from octavo_contracts import Conversion, DocumentMetadata, HiddenText, Page
from octavo_contracts.authoring import escape, escape_line_starts
from pydantic import JsonValue

from .pipe_grids import read_grids

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML_MATTER = re.compile(r"\A\+\+\+[ \t]*\n(.*?\n)?\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_KEY = re.compile(r"^([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"(?m)^# +(.+?)(?: +#+)?$")


def read_plain(text: str) -> Conversion:
    """Plain text: paragraphs and lines kept; as markdown, so escaped that it renders as the same text.

    Args:
        text: the decoded document, line ends as line feeds.
    """
    page = Page(number=1, kind="whole", markdown=plain_to_markdown(text), text=text)
    return Conversion(pages=(page,), paginated=False)


def plain_to_markdown(text: str) -> str:
    """Text as markdown that renders as that text.

    An indent of four or more would be a code block and is cut to nothing: its depth is lost in markdown,
    and kept in `Page.text`.
    """
    lines = [re.sub(r"^(?: {4}|\t| {1,3}\t)[ \t]*", "", line.rstrip()) for line in text.split("\n")]
    return escape_line_starts(escape("\n".join(lines))).strip("\n")


def read_markdown(text: str) -> Conversion:
    """Markdown as it is, less its front matter, which is metadata, and its comments, which nobody sees.

    Args:
        text: the decoded document, line ends as line feeds.
    """
    matter, body = _split_front_matter(text)
    shown, hidden = _without_comments(body)
    title = _text(matter, "title") or (heading[1].strip() if (heading := _HEADING.search(shown)) else None)
    metadata = DocumentMetadata(
        title=title,
        author=_text(matter, "author") or _text(matter, "authors"),
        date=_iso_date(_text(matter, "date")),
        language=_text(matter, "lang") or _text(matter, "language"),
        fields=matter,
    )
    page = Page(number=1, kind="whole", markdown=shown, tables=read_grids(shown), hidden_text=hidden)
    return Conversion(pages=(page,), paginated=False, metadata=metadata)


class _Matter(NamedTuple):
    fields: dict[str, JsonValue]
    body: str


def _split_front_matter(text: str) -> _Matter:
    if match := _TOML_MATTER.match(text):
        try:
            parsed = tomllib.loads(match[1] or "")
        except (tomllib.TOMLDecodeError, RecursionError):
            return _Matter({}, text)
        return _Matter({key: _json(value) for key, value in parsed.items()}, text[match.end() :])
    match = _FRONT_MATTER.match(text)
    # A document may open with a rule: front matter has at least one key.
    if match and (fields := _simple_yaml(match[1] or "")):
        return _Matter(fields, text[match.end() :])
    return _Matter({}, text)


def _simple_yaml(block: str) -> dict[str, JsonValue]:
    """The part of YAML that front matter is written in: scalars, and lists of scalars. Deeper values stay text."""
    fields: dict[str, JsonValue] = {}
    key = ""
    for line in block.split("\n"):
        if match := _KEY.match(line):
            key, value = match[1], (match[2] or "").strip()
            listed = value.startswith("[") and value.endswith("]")
            fields[key] = (
                [_scalar(part) for part in value[1:-1].split(",") if part.strip()] if listed else _scalar(value)
            )
        elif key and line.strip() and not line.lstrip().startswith("#"):
            entry = line.strip()
            held = fields[key]
            if entry.startswith("- "):
                item = _scalar(entry[2:])
                if isinstance(held, list):
                    held.append(item)
                else:
                    fields[key] = [item]
            elif isinstance(held, str):
                fields[key] = f"{held} {entry}".strip(" >|")
    return fields


def _scalar(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value


def _json(value: object) -> JsonValue:
    if isinstance(value, dict):
        return {str(key): _json(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_json(inner) for inner in value]
    return value if isinstance(value, (str, int, float, bool)) else str(value)


def _text(fields: dict[str, JsonValue], key: str) -> str | None:
    value = fields.get(key)
    if isinstance(value, list):
        value = ", ".join(str(part) for part in value)
    return value.strip() or None if isinstance(value, str) else None


def _iso_date(value: str | None) -> str | None:
    return value if value and re.match(r"\d{4}-\d\d-\d\d", value) else None


def _without_comments(text: str) -> tuple[str, tuple[HiddenText, ...]]:
    """Take HTML comments out of markdown, but not out of its code."""
    shown: list[str] = []
    hidden: list[HiddenText] = []
    for chunk, is_code in _by_code(text):
        if is_code:
            shown.append(chunk)
            continue
        position = 0
        while (start := chunk.find("<!--", position)) >= 0:
            end = chunk.find("-->", start + 4)
            if end < 0:
                break
            comment = " ".join(chunk[start + 4 : end].split())
            if comment:
                hidden.append(HiddenText(text=comment, why="comment"))
            shown.append(chunk[position:start])
            position = end + 3
        shown.append(chunk[position:])
    return "".join(shown), tuple(hidden)


def _by_code(text: str) -> list[tuple[str, bool]]:
    """Split markdown at its fenced blocks and code spans: (text, whether it is code)."""
    chunks: list[tuple[str, bool]] = []
    loose: list[str] = []
    fenced: list[str] = []
    mark = ""
    for line in text.splitlines(keepends=True):
        opening = _FENCE.match(line)
        if not mark and opening:
            chunks += _by_code_span("".join(loose))
            loose, fenced, mark = [], [line], opening[1]
        elif mark:
            fenced.append(line)
            if opening and opening[1].startswith(mark) and not line.strip().strip(mark[0]):
                chunks.append(("".join(fenced), True))
                fenced, mark = [], ""
        else:
            loose.append(line)
    return [*chunks, *_by_code_span("".join(loose)), ("".join(fenced), True)]


def _by_code_span(text: str) -> list[tuple[str, bool]]:
    chunks: list[tuple[str, bool]] = []
    position = 0
    for match in re.finditer(r"(?<!`)(`{1,8})(?!`)[^`\n]+(?<!`)\1(?!`)", text):
        chunks += [(text[position : match.start()], False), (match[0], True)]
        position = match.end()
    return [*chunks, (text[position:], False)]
