"""A document as one zip: texts, metadata, quality, anchors, annotations, and the SHA-256 of each (STO-14).

The same state of a document gives the same bytes on every machine: entries are sorted, stamped with one fixed time
and stored without compression, whose output differs between versions of zlib.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from octavo_contracts import StorageError, UsageError

from ..result_view import as_json
from ..store.durable import replace_file

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


def write_whole(path: Path, data: bytes, *, never: tuple[Path, ...]) -> None:
    """Write a file of the user's: a reader sees the old content or the new one.

    Args:
        path: the file.
        data: its content.
        never: the originals, which are not to be written over.

    Raises:
        UsageError: it is one of those, or its folder is not there.
        StorageError: it can not be written.
    """
    real = Path(os.path.realpath(path))
    if real.exists() and any(original.exists() and os.path.samefile(real, original) for original in never):
        raise UsageError("the export would replace the document itself", source=str(path), remedy="Give another name")
    if not real.parent.is_dir():
        raise UsageError(f"there is no folder {real.parent}", remedy="Make it, or give a name in one that exists")
    unfinished = real.with_name(f".{real.name[:100]}.{os.getpid()}.part")
    try:
        with unfinished.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        replace_file(unfinished, real)
    except OSError as error:
        raise StorageError(
            f"{path} can not be written: {error.strerror}", remedy="Free space, or write to another place"
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)
