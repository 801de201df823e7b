"""Downloads of a document: the archive of its export, and its markdown."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from urllib.parse import quote

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from .screen import Reader
from .screens.page import open_readable

_UNSAFE = re.compile(r"[^\w.() -]+")


def exported_archive(reader: Reader, document_id: str) -> Response:
    """The zip file of `octavo export`: texts, metadata, quality, anchors, annotations and a manifest.

    Raises:
        NotFound: the asker has no such document, or it has no content.
        LibraryDamaged: files of its version are missing or altered.
        StorageError: there is no room for the file.
    """
    document = open_readable(reader, document_id)
    folder = tempfile.TemporaryDirectory(prefix="octavo-export-")
    path = Path(folder.name) / "export.zip"
    try:
        document.export(path)
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(
        path,
        media_type="application/zip",
        headers={"content-disposition": attachment(reader.library.catalogue.name_of(document), ".zip")},
        background=BackgroundTask(folder.cleanup),
    )


def markdown_file(reader: Reader, document_id: str) -> Response:
    """The markdown of a document as a file.

    Raises:
        NotFound: the asker has no such document, or it has no content.
        LibraryDamaged: files of its version are missing or altered.
    """
    document = open_readable(reader, document_id)
    headers = {"content-disposition": attachment(reader.library.catalogue.name_of(document), ".md")}
    return Response(document.markdown, media_type="text/markdown; charset=utf-8", headers=headers)


def attachment(name: str, suffix: str) -> str:
    """The header that makes browsers store an answer as a file (RFC 6266)."""
    stem = _UNSAFE.sub("_", name).strip(" ._")[:100] or "document"
    return f"attachment; filename*=UTF-8''{quote(stem + suffix)}"
