"""Captures pypdf's log messages, which are its only report of omitted content."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

LOSSY = ("pypdf._page", "pypdf._text_extraction")
"""Loggers whose warnings mean that a part of a page's content was skipped."""


class Notes(logging.Handler):
    """Collects records; `take` hands them over and forgets them."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._lossy: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record that means loss."""
        if record.name.startswith(LOSSY):
            self._lossy.append(record.getMessage())

    def take(self) -> list[str]:
        """The messages since the last call, each once, in order."""
        messages, self._lossy = list(dict.fromkeys(self._lossy)), []
        return messages


@contextmanager
def listening() -> Iterator[Notes]:
    """Collect what pypdf logs inside the block; nothing of it reaches other handlers."""
    logger = logging.getLogger("pypdf")
    notes, propagate = Notes(), logger.propagate
    logger.addHandler(notes)
    logger.propagate = False
    try:
        yield notes
    finally:
        logger.propagate = propagate
        logger.removeHandler(notes)
