"""Writes sheaves: the format of the reference plugin, small enough to read and rich enough for every check.

A sheaf is JSON: `format`, `lock` (SHA-256 of the password, or null), `crc` (CRC-32 of the body) and `body`, the JSON
text of {title, author, date, language, repeat, pages: [{label, width, height, crop, blocks}], attachments}. `crop` is the place of the
upper left corner of the displayed page on its sheet, in points: nothing on the page moves with it. A block is ["h", heading],
["p", paragraph], ["a", label, target of a link], ["n", text, number of an item], ["f", text, footnote], ["k", value, key], ["t", grid], ["x", hidden text],
["u", letters that nothing explains], ["z", text in a form that is unknown] or ["s", script]. A heading may have its level behind it. `repeat` is the number of times that each paragraph is repeated.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

SHEAF = "application/x-octavo-sheaf"


def sheaf(
    *,
    pages: Sequence[Mapping[str, Any]],
    title: str = "",
    author: str = "",
    date: str | None = None,
    language: str | None = None,
    attachments: Sequence[Mapping[str, str]] = (),
    password: str | None = None,
    repeat: int = 1,
) -> bytes:
    """Return a sheaf.

    Args:
        pages: {"blocks": …} and optionally "label", "width", "height".
        title: its title.
        author: its author.
        date: its date, ISO 8601; None: it has none.
        language: its language, BCP 47; None: it states none.
        attachments: {"name", "media_type", "text"}.
        password: locks it.
        repeat: number of times that each paragraph is repeated.
    """
    parts = {"title": title, "author": author, "repeat": repeat, "pages": list(pages), "attachments": list(attachments)}
    stated = {name: value for name, value in (("date", date), ("language", language)) if value}
    body = json.dumps({**stated, **parts}, ensure_ascii=False)
    return enclosed(body, password=password)


def enclosed(body: str, *, password: str | None = None) -> bytes:
    """Return a sheaf with the text of its body, which need not be JSON, and its checksum.

    Args:
        body: the text.
        password: locks it.
    """
    lock = hashlib.sha256(password.encode()).hexdigest() if password is not None else None
    outer = {"format": "sheaf/1", "lock": lock, "crc": zlib.crc32(body.encode()), "body": body}
    return json.dumps(outer, ensure_ascii=False).encode()
