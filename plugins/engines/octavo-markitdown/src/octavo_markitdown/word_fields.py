"""Hyperlink fields of Word documents, written so that the engine reads their whole address (ECMA-376, 17.16.5.25)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .word_styles import W

if TYPE_CHECKING:
    from lxml.etree import _Element

_ADDRESS = re.compile(r'^\s*HYPERLINK\s+"([^"]*)"(.*)$', re.DOTALL | re.IGNORECASE)
_PLACE = re.compile(r'\\l\s+"([^"]*)"')


def join_addresses(root: _Element) -> None:
    r"""Write the place in a page into the address of a hyperlink field: `HYPERLINK "url" \l "place"` → `"url#place"`.

    The engine takes everything up to the last quotation mark for the address.

    Args:
        root: root element of a part; changed in place.
    """
    codes: list[_Element] = []
    for node in root.iter(f"{W}fldChar", f"{W}instrText"):
        if node.tag == f"{W}instrText":
            codes.append(node)
            continue
        if codes:
            _join(codes)
        codes = []


def _join(codes: list[_Element]) -> None:
    found = _ADDRESS.match("".join(code.text or "" for code in codes))
    if found is None or '"' not in found[2]:
        return
    place = _PLACE.search(found[2])
    separator = "" if place is None or not place[1] else "#"
    codes[0].text = f' HYPERLINK "{found[1]}{separator}{place[1] if place is not None else ""}" '
    for code in codes[1:]:
        code.text = ""
