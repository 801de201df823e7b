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
                    # A number is a date or an amount, which each converter writes in its own way.
                    if (value.text or "").strip() and not _is_number(str(value.text)):
                        return str(value.text)
    return " ".join(node.text or "" for title in root.iter("{*}title") for node in title.iter("{*}t"))


def _is_number(text: str) -> bool:
    return text.strip().lstrip("-").replace(".", "", 1).isdigit()
