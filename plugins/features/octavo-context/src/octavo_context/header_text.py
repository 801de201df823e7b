"""Text for header lines and notices: titles on one line, and lists of pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from octavo_contracts import markers

_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029]")


def one_line(text: str) -> str:
    """Format text for a header: one line, escaped as in a marker, without control characters."""
    return markers.escape(" ".join(_CONTROLS.sub(" ", text).split()))


def page_list(pages: Iterable[int]) -> str:
    """Format page numbers as ranges, such as `3, 7-9`."""
    return markers.page_ranges(sorted(set(pages))).replace(",", ", ")
