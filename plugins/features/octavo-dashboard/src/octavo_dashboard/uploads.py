"""Uploads: read as they arrive, up to a limit, and ingested in the background like any other document."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Final, cast

from octavo_contracts import UsageError
from octavo_library import IngestOptions, Library
from octavo_library.facade.declared_metadata import checked
from octavo_library.storage import DeclaredMetadata, MetadataDecision
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.types import Message

from .background_work import BackgroundWork, Task, TaskResult
from .problems import Refused, public_text
from .protection import asker_of, unauthorised

MOST_FILES = 50
"""Files of one upload."""
MOST_FIELDS = 20
"""Fields of an upload beside its files."""
_FURTHER: Final = "metadata."
"""Prefix of the fields with further metadata."""
_DECISIONS: Final = ("ask", "keep", "replace")
_OVERHEAD = 64 * 1024
"""Bytes of a form beside its files."""


async def read_upload(request: Request, *, limit: int, fields: int = MOST_FIELDS) -> FormData:
    """Read a form with files. Files are spooled to the disk as they arrive; nothing is read beyond the limit.

    Args:
        request: the request.
        limit: most bytes of all files together.
        fields: most fields beside the files.

    Raises:
        Refused: the body is too large or is not such a form.
    """
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise Refused(415, "The body is not a form with files", reason="unsupported_media_type")
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit + _OVERHEAD:
        raise too_large(limit)
    seen = 0
    receive = request.receive

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit + _OVERHEAD:
            raise too_large(limit)
        return message

    return await Request(request.scope, counted).form(max_files=MOST_FILES, max_fields=fields, max_part_size=_OVERHEAD)


def too_large(limit: int) -> Refused:
    """The answer to an upload beyond the limit."""
    return Refused(
        413,
        f"The upload is larger than {limit / 1e6:.0f} MB",
        reason="content_too_large",
        remedy="Ingest large files with `octavo ingest`, or start the server with a larger --max-upload",
    )


async def start_uploads(request: Request, form: FormData, library: Library, work: BackgroundWork) -> list[Task]:
    """Start one task for each file of a form.

    Raises:
        Refused: there is no file.
    """
    grant = asker_of(request).grant
    if grant is None:
        raise unauthorised()
    files = [one for one in form.getlist("files") if isinstance(one, UploadFile) and one.filename]
    if not files:
        raise Refused(400, "The form has no file", reason="invalid_request", remedy="Choose at least one file")
    options = _options(form, corpus=grant.corpus, count=len(files))
    tasks = []
    for file in files:
        data = await file.read()
        name = safe_name(file.filename or "")
        tasks.append(work.start("upload", name, grant, _ingest(library, data, name, options), size=len(data)))
    return tasks


def _options(form: FormData, *, corpus: str | None, count: int) -> IngestOptions:
    """The metadata that a form declares of its files (ENG-21).

    Raises:
        Refused: a value is invalid, or a title is given for several files.
    """
    given = {name: value for name, value in form.items() if isinstance(value, str) and value.strip()}
    further = {name.removeprefix(_FURTHER): value for name, value in given.items() if name.startswith(_FURTHER)}
    known = given.get("known_metadata", "ask")
    if known not in _DECISIONS:
        raise Refused(400, f"known_metadata is one of {', '.join(_DECISIONS)}", reason="invalid_request")
    if "title" in given and count > 1:
        raise Refused(
            400, "A title is of one file", reason="invalid_request", remedy="Leave it out, or upload one file"
        )
    named = {name: given.get(name) for name in ("title", "date", "source")}
    try:
        declared = checked(DeclaredMetadata(**named, further=further))
    except UsageError as error:
        raise Refused(400, public_text(error.message), reason="invalid_request", remedy=error.remedy) from error
    return IngestOptions(
        corpus=corpus, surface="direct_upload", declared=declared, known_metadata=cast(MetadataDecision, known)
    )


def _ingest(
    library: Library, data: bytes, name: str, options: IngestOptions
) -> Callable[[threading.Event], TaskResult]:
    def run(cancel: threading.Event) -> TaskResult:
        outcome = library.ingest(data, options=options, name=name, cancel=cancel)
        result = outcome.result
        failed = result.ingestion_status == "hard_failed"
        message = "Converted"
        if failed:
            receipts = result.failure_receipts
            message = public_text(receipts[0].details) if receipts else "The document could not be converted"
        elif outcome.reused:
            message = "Already in the library"
        return TaskResult(message=message, document_id=outcome.document_id, is_failure=failed)

    return run


def safe_name(given: str) -> str:
    """A file name without folders and control characters; a digest for one that has nothing else."""
    last = PurePosixPath(given.replace("\\", "/")).name
    name = "".join(letter for letter in last if letter.isprintable())[:200].strip()
    return name if name.strip(". ") else f"upload-{hashlib.sha256(given.encode('utf-8', 'replace')).hexdigest()[:8]}"
