"""Pieces of text inside a block: emphasis, links, code, and the blanks between them that Docling takes away."""

from __future__ import annotations

import re
from typing import Any

from octavo_contracts.authoring import code_span, escape, link, wrap

_CLOSING = re.compile(r"[\s.,;:!?)\]}»”’…%]")
_OPENING = re.compile(r"[\s(\[{«“‘]$")
_SAFE = ("http:", "https:", "mailto:", "tel:", "ftp:", "/", "#", ".")


def inline(item: Any) -> str:
    """One text item as inline markdown."""
    if str(item.label.value) == "code":
        return code_span(item.text)
    if str(item.label.value) == "formula":
        return f"${item.text}$" if item.text else ""
    text = "\\\n".join(line.strip() for line in escape(item.text).splitlines() if line.strip())
    form = getattr(item, "formatting", None)
    if form is not None and text:
        for mark, wanted in (("~~", form.strikethrough), ("*", form.italic), ("**", form.bold)):
            text = wrap(text, mark) if wanted else text
    address = str(getattr(item, "hyperlink", None) or "")
    return link(text, address) if text and address.lower().startswith(_SAFE) else text


def join(pieces: list[str]) -> str:
    """Pieces of one line, with a blank where neither neighbour forbids one."""
    line = ""
    for piece in filter(None, pieces):
        glued = not line or _OPENING.search(line) or _CLOSING.match(piece)
        line += piece if glued else f" {piece}"
    return line
