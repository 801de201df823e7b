"""A document as one zip: texts, metadata, quality, anchors, annotations, and the SHA-256 of each (STO-14).

The same state of a document gives the same bytes on every machine: entries are sorted, stamped with one fixed time
and stored without compression, whose output differs between versions of zlib.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from octavo_contracts import UsageError

from ..store.durable import replace_file, write_failed

MANIFEST = "manifest.json"
"""The last entry: what the others must hash to. `converted.md` and its neighbours are byte for byte the library's."""

FORMAT = 1
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_READABLE = 0o644


def without_place(report: bytes, paths: tuple[str, ...], *, raw_hash: str) -> bytes:
    """A quality report for somebody who may know these paths of the document only (STO-5)."""
    content = json.loads(report)
    ref = str(content.get("source_ref", ""))
    if not ref.startswith("file:") or ref in paths:
        return report
    return as_json({**content, "source_ref": next(iter(paths), f"sha256:{raw_hash}")})


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


def as_json(value: object) -> bytes:
    """JSON as it stands in the archive."""
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).encode("utf-8", "surrogatepass") + b"\n"


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
        remedy = "Free space, or write to another place"
        raise write_failed(error, f"{path} can not be written", remedy=remedy) from error
    finally:
        unfinished.unlink(missing_ok=True)
