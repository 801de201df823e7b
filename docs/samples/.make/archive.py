"""Zip containers whose bytes depend on their content alone."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

# The earliest date a zip can hold: no clock, no time zone.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def zip_bytes(parts: Mapping[str, bytes | str], *, stored: frozenset[str] = frozenset()) -> bytes:
    """A zip of the parts in the order given, with one fixed date.

    Args:
        parts: name in the container → content; text is written as UTF-8.
        stored: names of the parts that are not compressed, as EPUB asks of its `mimetype`.
    """
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in parts.items():
            info = zipfile.ZipInfo(name, date_time=_EPOCH)
            info.create_system = 3  # the same on every platform
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return target.getvalue()


def repacked(data: bytes) -> bytes:
    """The same zip with the dates taken out, for containers that a library wrote."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return zip_bytes({name: archive.read(name) for name in archive.namelist()})


def xml(body: str) -> str:
    """A part of XML with its declaration."""
    return f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{body.strip()}\n'
