"""A document as one zip: texts, metadata, quality, anchors, annotations, and the SHA-256 of each (STO-14).

The same state of a document gives the same bytes on every machine: entries are sorted, stamped with one fixed time
and stored without compression, whose output differs between versions of zlib.
"""

from __future__ import annotations

import hashlib
import io
import stat
import zipfile
from collections.abc import Mapping
from typing import Any

from ..storage.result_view import as_json

MANIFEST = "manifest.json"
"""The last entry: what the others must hash to. `converted.md` and its neighbours are byte for byte the library's."""

FORMAT = 1
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_READABLE = 0o644


def as_zip(files: Mapping[str, bytes], facts: Mapping[str, Any]) -> bytes:
    """The archive of some files with their manifest.

    Args:
        files: name → content.
        facts: what the manifest says besides, as JSON values.
    """
    entries = {
        name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in sorted(files.items())
    }
    manifest = {"format": FORMAT, **facts, "files": entries}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, data in [*sorted(files.items()), (MANIFEST, as_json(manifest))]:
            info = zipfile.ZipInfo(name, date_time=_LONG_AGO)
            info.create_system = 3  # Unix wherever it is made: the field would name the machine
            info.external_attr = (stat.S_IFREG | _READABLE) << 16
            archive.writestr(info, data)
    return out.getvalue()
