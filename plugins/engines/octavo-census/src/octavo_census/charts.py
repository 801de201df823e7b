"""Reads what identifies a chart (DrawingML) in a conversion."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element


def chart_text(root: _Element) -> str:
    """Return the name of a chart's first category, else of its first series, else its title; '' if it has none."""
    for path in ("{*}cat", "{*}tx"):
        for holder in root.iter("{*}ser"):
            for place in holder.iterfind(path):
                for value in place.iter("{*}v"):
                    if (value.text or "").strip():
                        return str(value.text)
    return " ".join(node.text or "" for title in root.iter("{*}title") for node in title.iter("{*}t"))
