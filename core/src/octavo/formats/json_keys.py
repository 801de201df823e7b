"""Reads the keys of the outermost object of JSON whose end may be missing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}:]')


def outermost_keys(text: str) -> Iterator[str]:
    """Yield the keys of the outermost object, as far as the text goes; none if the text begins with something else.

    Args:
        text: the beginning of a JSON text.
    """
    if not text.lstrip("\ufeff \t\r\n").startswith("{"):
        return
    depth = 0
    string: str | None = None
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "{[":
            depth += 1
        elif sign in "}]":
            depth -= 1
        elif sign == ":":
            if depth == 1 and string is not None:
                yield string
        else:
            string = _decoded(sign)
            continue
        string = None
        if depth == 0:
            return


def _decoded(quoted: str) -> str | None:
    try:
        return str(json.loads(quoted, strict=False))
    except ValueError:
        return None
