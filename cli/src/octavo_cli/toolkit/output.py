"""Writes to the terminal: data as UTF-8 bytes, tables as text, notes on stderr.

Data (markdown, JSON) is UTF-8 regardless of the locale. Names and messages may come from a document, so their control
characters never reach a terminal.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import click

from .verbosity import is_quiet

if TYPE_CHECKING:
    from octavo_contracts import StorageError
    from rich.table import Table

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, line separators, direction overrides, and surrogates that represent bytes that are not UTF-8."""

_TERMINAL_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

PIPE_WIDTH = 120
"""Columns of a table in a pipe; the environment variable COLUMNS may widen it. The last column of a wider table is folded; if that is not enough, it is tab-separated."""
_LAST_WIDTH = 24
"""Fewest columns of a folded last column."""


def clean(text: str) -> str:
    """Return a text on one line, safe for any terminal and UTF-8 file: unprintable characters become U+FFFD."""
    return _UNPRINTABLE.sub("\ufffd", text)


def note(text: str) -> None:
    """Print a line of information on stderr; nothing with `-q`."""
    if not is_quiet():
        complain(text)


def complain(text: str) -> None:
    """Print an error on stderr; do nothing if stderr is closed or full."""
    try:
        click.echo(text, err=True)
    except OSError:
        _drop(sys.stderr)  # otherwise Python would flush again at exit, and might change the exit code


def write_bytes(data: bytes) -> None:
    """Write bytes to stdout unchanged and unbuffered.

    Raises:
        BrokenPipeError: the reader has closed the pipe.
        StorageError: stdout is closed, or its disk is full.
    """
    try:
        flush_stdout()
        rest = memoryview(data)
        while rest:
            # Under PYTHONUNBUFFERED this is one system call, which may write only a part.
            rest = rest[sys.stdout.buffer.write(rest) :]
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise stdout_failed(error) from error


def flush_stdout() -> None:
    """Flush stdout.

    Raises:
        OSError: stdout is closed (EBADF), or cannot be written.
    """
    if sys.stdout is None:  # the process was started without one
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    sys.stdout.flush()


def stdout_failed(error: OSError) -> StorageError:
    """Build the error for a stdout that cannot be written, and drop its buffer: Python would try again at exit."""
    from octavo_sandbox.filesystem.durable import write_failed

    drop_stdout()
    return write_failed(error, "standard output cannot be written", remedy="Free space, or send the output elsewhere")


def drop_stdout() -> None:
    """Discard the buffer of stdout."""
    _drop(sys.stdout)


def _drop(stream: TextIO | None) -> None:
    if stream is None:  # the process was started without one
        return
    with contextlib.suppress(OSError, ValueError, AttributeError):
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)


def write_text(text: str) -> None:
    """Write a document's text to stdout, ending with a newline; on a terminal without control characters."""
    if _is_terminal():
        text = _TERMINAL_CONTROL.sub("\ufffd", text)
    write_bytes(encode_text(text))


def encode_text(text: str) -> bytes:
    """Encode a text as UTF-8, ending with a newline."""
    return (text if text.endswith("\n") or not text else text + "\n").encode("utf-8", "replace")


def write_line(text: str = "") -> None:
    """Print a line of Octavo's own on stdout, in its encoding; characters that it lacks become '?'."""
    write_bytes(f"{text}\n".encode(_encoding(), "replace"))


def to_json(value: Any, *, indent: int | None = 2) -> bytes:
    """Encode plain values and contract models as UTF-8 JSON, ending with a newline.

    Args:
        value: dictionaries, lists, numbers, texts, models.
        indent: spaces per level, or None for one line.
    """
    from pydantic import TypeAdapter

    return TypeAdapter(Any).dump_json(value, indent=indent) + b"\n"


def write_json(value: Any) -> None:
    """Print an indented JSON object on stdout."""
    write_bytes(to_json(value))


def make_table(*columns: str) -> Table:
    """Create a table in the house style; a column whose name starts with '#' is right-aligned for numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(
            column.removeprefix("#"), justify="right" if column.startswith("#") else "left", overflow="fold"
        )
    return table


def write_table(table: Table) -> None:
    """Print a table on stdout: folded to the terminal; in a pipe to `PIPE_WIDTH` or COLUMNS, or tab-separated.

    Colours are used on a terminal only, and not if NO_COLOR is set.
    """
    from rich.console import Console

    terminal = _is_terminal()
    coloured = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    # Render to memory first: rich would end the process by itself if the reader of a pipe closed it.
    page = io.TextIOWrapper(io.BytesIO(), encoding=_encoding(), errors="replace", newline="\n")
    console = Console(
        file=page,
        width=None if terminal else _pipe_width(),
        force_terminal=terminal,
        color_system="standard" if coloured else None,
        markup=False,
        highlight=False,
        emoji=False,
    )
    if not terminal and not _fits_a_pipe(table):
        write_line("\n".join(_tab_separated(table)))
        return
    console.print(table)
    page.seek(0)
    lines = [line.rstrip() for line in page.read().split("\n")]
    write_line("\n".join(line for line in lines if line))


def _pipe_width() -> int:
    # Only wider: readline sets COLUMNS for the children of a program, and what a script reads must not depend on that.
    given = os.environ.get("COLUMNS", "")
    return max(PIPE_WIDTH, int(given)) if given.isdecimal() and len(given) < 5 else PIPE_WIDTH


def _fits_a_pipe(table: Table) -> bool:
    """Whether a table is as narrow as a pipe's, if need be with its last column folded; no other column is then."""
    from rich.console import Console
    from rich.measure import Measurement

    console = Console(width=1_000_000, file=io.StringIO())
    whole = Measurement.get(console, console.options, table).maximum
    width = _pipe_width()
    if whole <= width or not table.columns:
        return True
    *others, last = table.columns
    widest = max(Measurement.get(console, console.options, cell).maximum for cell in (last.header, *last.cells))
    if whole - widest + _LAST_WIDTH > width:
        return False
    for column in others:
        column.no_wrap = True
    return True


def _tab_separated(table: Table) -> Iterator[str]:
    """The header and the rows of a table, its cells parted by tabs; cells of ours hold none."""
    yield "\t".join(str(column.header) for column in table.columns)
    for cells in zip(*(column.cells for column in table.columns), strict=True):
        yield "\t".join(str(cell) for cell in cells)


def add_row(table: Table, cells: Sequence[str], *, style: str | None = None) -> None:
    """Add a row of texts; they are not parsed as markup, and control characters are replaced."""
    from rich.text import Text

    table.add_row(*(Text(clean(cell)) for cell in cells), style=style)


def command_line(words: Iterable[str]) -> str:
    """Format words as the user would type them in a shell."""
    return shlex.join(clean(word) for word in words)


def size_text(count: int) -> str:
    """Format a number of bytes for display, in powers of 1024."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"


def _encoding() -> str:
    return (sys.stdout and sys.stdout.encoding) or "utf-8"


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()
