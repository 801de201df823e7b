"""Commands that are printed for the user to run next in the same library."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from .options import DEFAULT_LIBRARY, INDEX_META
from .output import command_line

_BY_VARIABLE = '--index "$OCTAVO_INDEX"'


def next_command(words: Iterable[str], *, library: str) -> str:
    """Format a command that works as printed: with the library, and with the index if it was given as `--index`.

    A URL with a password is not repeated: the printed command takes it from the variable OCTAVO_INDEX.

    Args:
        words: the command without `--library` and `--index`.
        library: the value of `--library`.
    """
    import click

    where = [] if library == DEFAULT_LIBRARY else ["--library", library]
    context = click.get_current_context(silent=True)
    index = context.meta.get(INDEX_META) if context is not None else None
    if index is None:
        return command_line([*words, *where])
    if _has_password(index):
        return f"{command_line([*words, *where])} {_BY_VARIABLE}"
    return command_line([*words, *where, "--index", index])


def _has_password(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.password is not None or "password" in parts.query.lower()
    except ValueError:
        return True  # not a URL that can be read: it is not repeated
