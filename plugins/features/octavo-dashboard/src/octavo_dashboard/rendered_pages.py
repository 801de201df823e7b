"""Cache of rendered pages, by everything that a page depends on."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final

MOST_BYTES: Final = 8_000_000
"""Size of all pages in the cache."""
LONGEST_PAGE: Final = 200_000
"""Bytes of the largest page that the cache keeps."""


class RenderedPages:
    """The pages that were asked for last. Thread-safe.

    Args:
        most: see `MOST_BYTES`.
        longest: see `LONGEST_PAGE`.
    """

    def __init__(self, *, most: int = MOST_BYTES, longest: int = LONGEST_PAGE) -> None:
        self._most = most
        self._longest = longest
        self._pages: OrderedDict[Hashable, bytes] = OrderedDict()
        self._lock = threading.Lock()
        self.size = 0
        """Bytes of the pages in the cache."""

    def get(self, key: Hashable, render: Callable[[], bytes]) -> bytes:
        """The page of a key, rendered if it is not in the cache.

        Args:
            key: everything that the page depends on.
            render: makes the page.
        """
        with self._lock:
            page = self._pages.get(key)
            if page is not None:
                self._pages.move_to_end(key)
                return page
        page = render()
        if len(page) <= self._longest:
            with self._lock:
                self.size += len(page) - len(self._pages.pop(key, b""))
                self._pages[key] = page
                while self.size > self._most:
                    self.size -= len(self._pages.popitem(last=False)[1])
        return page
