"""Changes parts of the office packages that `office_bytes` writes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

from ..office_writer import zipped


def changed(package: bytes, **changes: Callable[[str], str]) -> bytes:
    """Change parts of an office package, each named by the end of its path without the suffix."""
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        files: dict[str, bytes | str] = {}
        for name in archive.namelist():
            text = archive.read(name).decode()
            part = name.rpartition("/")[2].partition(".")[0]
            files[name] = changes[part](text) if part in changes and name.endswith(".xml") else text
    return zipped(files, compress=True)
