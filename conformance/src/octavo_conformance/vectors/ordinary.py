"""Ordinary files of no particular format, which no plugin's own format may fit."""

from __future__ import annotations

import io
import zipfile

_TEXT = "The gauge is read at dawn and at dusk.\n"


def ordinary_files() -> tuple[tuple[str, str, bytes], ...]:
    """Name, media type and bytes of each file."""
    return (
        ("notes.txt", "text/plain", _TEXT.encode()),
        ("items.xml", "application/xml", b'<?xml version="1.0"?>\n<items><item id="1">Gauge</item></items>\n'),
        ("record.json", "application/json", b'{"id": 1, "name": "Gauge", "type": "float", "values": [1, 2]}\n'),
        ("folder.zip", "application/zip", _archive()),
        ("noise.bin", "application/octet-stream", bytes(range(256)) * 4),
    )


def _archive() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in (
            ("notes.txt", _TEXT.encode()),
            ("pictures/01.jpg", b"\xff\xd8\xff\xe0"),
            ("data.xml", b"<a/>"),
        ):
            archive.writestr(name, data)
    return target.getvalue()
