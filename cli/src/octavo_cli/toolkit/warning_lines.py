"""Prints Octavo's log warnings on stderr. Without a handler the library logs nothing, as a library should."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .output import clean, complain
from .verbosity import is_quiet, is_verbose

_REPORTED_AS_ERROR = "octavo.egress"
"""Logger whose warnings are skipped: the refusal is also the command's error."""


_CONVERSION = "octavo.conversion"
"""Logger that says how each conversion ended, and names the document by its id."""
_tells_conversions = True


def skip_conversions() -> None:
    """Skip what the log says of each conversion: the command says it itself, and names the document by its path."""
    global _tells_conversions
    _tells_conversions = False


class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        is_told = record.name == _CONVERSION and record.levelno <= logging.INFO and not _tells_conversions
        if record.name != _REPORTED_AS_ERROR and not is_told:
            complain(f"octavo: {clean(record.getMessage())}")


class _Unredacted(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        complain(f"octavo (debug): {clean(record.getMessage())}")


def show_unredacted() -> Callable[[], None]:
    """Show unredacted messages of engines on stderr. They may quote documents.

    Returns:
        A function that ends it: a program that runs the command line inside itself keeps its own settings.
    """
    logger = logging.getLogger("octavo.unredacted")
    lines, level, propagates = _Unredacted(), logger.level, logger.propagate
    logger.propagate = False
    logger.setLevel(logging.DEBUG)
    logger.addHandler(lines)

    def end() -> None:
        logger.removeHandler(lines)
        logger.setLevel(level)
        logger.propagate = propagates

    return end


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Show warnings inside the block, unless the host program has its own handlers: with `-v` all messages, with `-q` errors."""
    global _tells_conversions
    _tells_conversions = True
    logger = logging.getLogger("octavo")
    lines = _Lines(level=logging.ERROR if is_quiet() else logging.INFO if is_verbose() else logging.WARNING)
    is_handled = logging.getLogger().hasHandlers()
    level = logger.level
    if not is_handled:
        logger.addHandler(lines)
        if is_verbose():
            logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(lines)
        logger.setLevel(level)
