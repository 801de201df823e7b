"""An author's own vectors: documents in a folder, each beside a file that says what a conversion of it must have.

tides.tide             the document
tides.expected.md      all of its words in order, its headings and tables, as markdown
log.tide
log.expected.toml      what must be there: texts, cells, headings, tables, number of pages
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from octavo_contracts import UsageError
from pydantic import ValidationError

from .model import Expected, GoldenVector

FAMILY = "own"
"""The family of an author's vectors, whatever their format."""
MARKDOWN, TOML = ".expected.md", ".expected.toml"
_KEYS = {
    "media_type", "about", "texts", "absent", "headings", "tables", "cells", "pages", "title", "author"
}  # fmt: skip
_LISTS = ("texts", "absent", "headings", "cells")
_HEADING = re.compile(r"^#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$", re.MULTILINE)
_ROW = re.compile(r"^\|(.*)\|[ \t]*$")
_RULE = re.compile(r"^[\s|:-]+$")
_OTHER = re.compile(r"[^a-z0-9]+")


def read_own(folder: Path, *, types: Mapping[str, str], readable: Collection[str]) -> tuple[GoldenVector, ...]:
    """Read an author's vectors.

    Args:
        folder: the folder.
        types: media type of each extension that tells it.
        readable: the media types that the plugin reads.

    Raises:
        UsageError: a document has no expected output or the other way round, or a file is not as it has to be.
    """
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise UsageError(f"{folder} cannot be read: {error}") from error
    truths = {path.name: path for path in files if path.name.endswith((MARKDOWN, TOML))}
    documents = [path for path in files if path.name not in truths]
    found = []
    for document in documents:
        names = [document.stem + end for end in (MARKDOWN, TOML) if document.stem + end in truths]
        if len(names) != 1:
            what = "two files with" if names else "no file with"
            raise UsageError(
                f"{document} has {what} expected output",
                remedy=f"Keep one of {document.stem}{MARKDOWN} and {document.stem}{TOML} beside it",
            )
        found.append(_vector(document, truths[names[0]], types, readable))
    used = {path.stem for path in documents}
    if lone := [name for name in truths if name.rpartition(".expected.")[0] not in used]:
        raise UsageError(f"{folder}: no document for {', '.join(lone)}", remedy="Add the document, or remove the file")
    if not found:
        raise UsageError(f"{folder} has no document", remedy=f"Add documents, each with NAME{MARKDOWN} or NAME{TOML}")
    if len({vector.path for vector in found}) < len(found):
        raise UsageError(f"{folder}: two documents have names that differ in signs only", remedy="Rename one of them")
    return tuple(found)


def _vector(document: Path, truth: Path, types: Mapping[str, str], readable: Collection[str]) -> GoldenVector:
    try:
        data, text = document.read_bytes(), truth.read_text(encoding="utf-8")
        told = tomllib.loads(text) if truth.name.endswith(TOML) else {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{truth} cannot be read: {error}") from error
    if unknown := sorted(set(told) - _KEYS):
        raise UsageError(f"{truth}: unknown keys {', '.join(unknown)}; the keys are {', '.join(sorted(_KEYS))}")
    for key in _LISTS:
        value = told.get(key, [])
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise UsageError(f"{truth}: `{key}` has to be a list of texts")
    media_type = told.get("media_type") or types.get(document.suffix.lower())
    if not isinstance(media_type, str) or media_type not in readable:
        why = f"media_type {media_type!r}" if media_type else f"extension {document.suffix!r}"
        raise UsageError(
            f"{document}: its {why} is not one that the plugin reads", remedy="State `media_type` in a TOML file"
        )
    try:
        return GoldenVector(
            path=f"{FAMILY}/{_OTHER.sub('-', document.stem.lower()).strip('-')}{document.suffix.lower()}",
            media_type=media_type,
            about=told.get("about", "A document of the author."),
            sha256=hashlib.sha256(data).hexdigest(),
            expected=_stated(told) if truth.name.endswith(TOML) else _written(text),
            data=data,
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"{truth}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def _stated(told: Mapping[str, Any]) -> Expected:
    """Make the truth of a TOML file: what it does not state is not checked."""
    tables = told.get("tables", [])
    return Expected(
        page_kind=None,
        pages=("",),
        floor=0.0,
        phrases=tuple(told.get("texts", ())),
        absent=tuple(told.get("absent", ())),
        headings=tuple(told.get("headings", ())),
        tables=tuple(tuple(tuple(row) for row in table) for table in tables),
        cells=tuple(told.get("cells", ())),
        page_count=told.get("pages"),
        title=told.get("title"),
        author=told.get("author"),
    )


def _written(markdown: str) -> Expected:
    """Make the truth of a markdown file: all words in order, the headings, the tables."""
    return Expected(
        page_kind=None,
        pages=(" ".join(_plain(line) for line in markdown.splitlines() if not _is_rule(line)),),
        headings=tuple(_HEADING.findall(markdown)),
        tables=tuple(_tables(markdown)),
    )


def _plain(line: str) -> str:
    # The words are compared, so that only words of the markup matter: the targets of links.
    return re.sub(r"\]\([^)]*\)", "]", line)


def _is_rule(line: str) -> bool:
    return bool(line.strip()) and _RULE.match(line) is not None


def _tables(markdown: str) -> Iterator[tuple[tuple[str, ...], ...]]:
    rows: list[tuple[str, ...]] = []
    for line in [*markdown.splitlines(), ""]:
        row = _ROW.match(line.strip())
        if row and not _is_rule(line):
            rows.append(tuple(cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.group(1))))
        elif not row and rows:
            yield tuple(rows)
            rows = []
