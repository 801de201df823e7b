"""Captures pypdf's log messages, which are its only report of omitted content."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

LOSSY = ("pypdf._page", "pypdf._text_extraction")
"""Loggers whose warnings mean that a part of a page's content was skipped."""


class Notes(logging.Handler):
    """Logging handler that collects records until `take` is called."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._lossy: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record that reports a loss."""
        if record.name.startswith(LOSSY):
            self._lossy.append(record.getMessage())

    def take(self) -> list[str]:
        """Messages since the last call, in order, without duplicates."""
        messages, self._lossy = list(dict.fromkeys(self._lossy)), []
        return messages


@contextmanager
def listening() -> Iterator[Notes]:
    """Collect pypdf's log records inside the block and hide them from other handlers."""
    logger = logging.getLogger("pypdf")
    notes, propagate = Notes(), logger.propagate
    logger.addHandler(notes)
    logger.propagate = False
    try:
        yield notes
    finally:
        logger.propagate = propagate
        logger.removeHandler(notes)
