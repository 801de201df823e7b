"""Formulas of OpenDocument texts: Pandoc takes each for one on a line of its own."""

from __future__ import annotations

from typing import Any


def put_in_lines(node: Any) -> None:
    """Make the formulas of a part of Pandoc's tree that stand among text formulas of a line."""
    if isinstance(node, dict):
        content = node.get("c")
        if node.get("t") in {"Para", "Plain", "Header"} and isinstance(content, list):
            inlines = content[2] if node["t"] == "Header" else content
            if len(inlines) > 1:
                for one in inlines:
                    if one["t"] == "Math":
                        one["c"][0] = {"t": "InlineMath"}
        put_in_lines(content)
    elif isinstance(node, list):
        for one in node:
            put_in_lines(one)
