"""Runs a command line in a copy of a prepared folder, and tells whether an option changed anything.

A command is run twice without the option. What differs between these two runs (times, ids of runs, temporary names) is
noise; an option has an effect if anything else differs: standard output, the exit code, the reason of an error, a file, or
a row of a library's index.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shlex
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from octavo_cli import main

STDIN = b"day,height\nMonday,3.2\nTuesday,3.4\n"
USAGE = 2
_VARIABLE = re.compile(r"[0-9a-f]{8,}(?:-[0-9a-f]{4,})*|\d+(?:[.:,]\d+)*|octavo-[\w]{6,}")
"""Ids, numbers, temporary names. A number ends at a hyphen, behind which the id of a process has hexadecimal digits."""
_REASON = re.compile(r"^octavo: .*\[([a-z_]+)\]$", re.MULTILINE)


@dataclass(frozen=True)
class Effects:
    """What a command line did.

    Attributes:
        code: its exit code.
        lines: lines of standard output, in order.
        files: path and digest of every file outside the indexes.
        rows: table, column and value of every cell of the indexes.
        errors: standard error.
    """

    code: int
    lines: tuple[str, ...] = ()
    files: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)
    errors: str = ""

    @property
    def reason(self) -> str:
        """The reason code of the error that ended it, or an empty text."""
        found = _REASON.search(self.errors)
        return found[1] if found else ""

    @property
    def is_refused(self) -> bool:
        """Whether the command line was refused as wrong usage."""
        return self.code == USAGE and "[usage]" in self.errors


@dataclass(frozen=True)
class Noise:
    """What differs between two runs of the same command line, with numbers and ids left out."""

    lines: frozenset[str]
    files: frozenset[str]
    rows: frozenset[str]

    @classmethod
    def between(cls, first: Effects, second: Effects) -> Noise:
        """Find it."""
        return cls(
            _differing(Counter(first.lines), Counter(second.lines)),
            _differing(first.files, second.files),
            _differing(first.rows, second.rows),
        )

    def differs(self, first: Effects, second: Effects) -> bool:
        """Whether two runs differ in more than noise."""
        return (
            (first.code, first.reason) != (second.code, second.reason)
            or _quiet(first.lines, self.lines) != _quiet(second.lines, self.lines)
            or Counter(_quiet(first.files, self.files)) != Counter(_quiet(second.files, self.files))
            or Counter(_quiet(first.rows, self.rows)) != Counter(_quiet(second.rows, self.rows))
        )


def run_in_copy(prepared: Path, arguments: str, before: tuple[str, ...] = ()) -> Effects:
    """Run command lines in a copy of a folder.

    Args:
        prepared: the folder; it is not changed.
        arguments: of the command whose effects are returned.
        before: command lines that are run first.
    """
    place = Path(tempfile.mkdtemp(prefix="options-", dir=prepared.parent))
    # The copy always has the same path, for libraries remember the paths of documents.
    work = prepared.parent / "work"
    shutil.copytree(prepared, work, symlinks=True)
    try:
        for line in before:
            _run(work, line)
        code, out, errors = _run(work, arguments)
        return Effects(code, tuple(out.splitlines()), _files(work), _rows(work), errors)
    finally:
        shutil.move(work, place)
        shutil.rmtree(place, ignore_errors=True)


def output_of(folder: Path, arguments: str) -> str:
    """Run a command line in a folder and return its standard output."""
    return _run(folder, arguments)[1]


def _run(folder: Path, arguments: str) -> tuple[int, str, str]:
    out, errors = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    stdin = io.TextIOWrapper(io.BytesIO(STDIN), "utf-8")
    with (
        contextlib.chdir(folder),
        mock.patch.object(sys, "stdin", stdin),
        mock.patch.object(sys, "excepthook", sys.excepthook),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(errors),
    ):
        code = main(shlex.split(arguments))
        out.flush()
        errors.flush()
    texts = [stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, errors)]
    return code, texts[0], texts[1]


def _files(folder: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    for path in folder.rglob("*"):
        if path.is_file() and not path.name.startswith("index.sqlite"):
            found[f"{path.relative_to(folder)} {hashlib.sha256(path.read_bytes()).hexdigest()}"] += 1
    return found


def _rows(folder: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    for path in sorted(folder.rglob("index.sqlite")):
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as index:
            names = [name for (name,) in index.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            for name in names:
                if "fts" in name:
                    continue
                cells = index.execute(f'SELECT * FROM "{name}"')
                columns = [column[0] for column in cells.description]
                for row in cells:
                    for column, value in zip(columns, row, strict=True):
                        found[f"{path.parent.name} {name}.{column} = {value!r}"] += 1
    return found


def _differing(first: Counter[str], second: Counter[str]) -> frozenset[str]:
    return frozenset(_VARIABLE.sub("#", one) for one in ((first - second) | (second - first)))


def _quiet(found: Iterable[str], noise: frozenset[str]) -> list[str]:
    """Without the numbers and ids of what is noise; a Counter gives each element as often as it was counted."""
    every = found.elements() if isinstance(found, Counter) else found
    return [pattern if (pattern := _VARIABLE.sub("#", one)) in noise else one for one in every]


def environment(home: Path) -> dict[str, str]:
    """The environment of the runs: no settings but these."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OCTAVO_")}
    return {**kept, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "OCTAVO_SAMPLING": "false", "COLUMNS": "140"}
