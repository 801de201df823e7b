"""`<document_excerpt …>` markers around document text. Escaping ensures that no content can close one (MRK-1, MRK-2).

The content is escaped: `<`, `&`, characters that look like `<`, and characters that change the direction of text or
are invisible. `unescape` is the inverse. Excerpts are never nested.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Iterable, Sequence
from typing import Final

TAG: Final = "document_excerpt"

_LOOKALIKES: Final = "\uff1c\ufe64\u276e\u1438\u02c2\u27e8\u2329\u3008\u2039\u00ab"
"""Characters that look like `<` or normalise to it. Some are quotation marks: they are escaped only before a tag name."""
_UNSEEN: Final = "\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f"
"""Direction marks, zero-width joiners and tag characters."""
_ESCAPED: Final = re.compile(
    rf"[<&{_UNSEEN}]|[{_LOOKALIKES}](?=[\s{_UNSEEN}]*[/\u2215\u2044\uff0f]?[\s{_UNSEEN}]*[\w{_UNSEEN}]+[_\uff3f\u203f])"
)
_ENTITY: Final = re.compile(r"&(?:lt|amp|#x[0-9a-f]+);")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029]")


def document_excerpt(
    content: str,
    *,
    document_id: str,
    pages: str | None = None,
    span: str | None = None,
    extraction_method: str,
    version: int | None = None,
) -> str:
    """Wrap document text in a marker that names its source (MRK-1).

    Args:
        content: the text, unescaped; this function escapes it.
        document_id: id of the document.
        pages: page ranges such as '3, 7-9'. Give either `pages` or `span`.
        span: range such as '0-1200', in code points of the canonical text.
        extraction_method: plugin that extracted the text.
        version: conversion version; part of the marker's id. Equal text has an equal id.
    """
    place = {"pages": pages} if pages is not None else {"span": span or "0-0"}
    key = f"{document_id}\n{version}\n{place}"
    attributes = {
        "id": f"exc-{hashlib.sha256(key.encode()).hexdigest()[:12]}",
        "document_id": document_id,
        **place,
        "extraction_method": extraction_method,
    }
    head = " ".join(f'{name}="{_attribute(str(value))}"' for name, value in attributes.items())
    return f"<{TAG} {head}>\n{escape(content)}\n</{TAG}>"


def escape(text: str) -> str:
    """Escape text so that it cannot open or close a tag."""
    return _ESCAPED.sub(_entity, text)


def unescape(text: str) -> str:
    """The inverse of `escape`."""
    return _ENTITY.sub(lambda match: html.unescape(match.group()), text)


def one_line(text: str) -> str:
    """Escape text for a header or an attribute: one line, without invisible characters."""
    return escape(" ".join(_CONTROLS.sub(" ", text).split()))


def page_ranges(pages: Iterable[int]) -> str:
    """Format pages as ranges, such as `3, 7-9`."""
    runs: list[list[int]] = []
    for page in sorted(set(pages)):
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    return ", ".join(_run(run) for run in runs)


def _run(run: Sequence[int]) -> str:
    return str(run[0]) if run[0] == run[1] else f"{run[0]}-{run[1]}"


def _entity(match: re.Match[str]) -> str:
    sign = match.group()
    return {"<": "&lt;", "&": "&amp;"}.get(sign) or f"&#x{ord(sign):x};"


def _attribute(value: str) -> str:
    return one_line(value).replace('"', "&quot;")
