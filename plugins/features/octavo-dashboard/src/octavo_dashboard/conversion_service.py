"""Conversion for programs, in the shapes of docling-serve: at once, or in the background with a status to poll.

A client of docling-serve that asks for one document inside the answer works against these endpoints unchanged. Nothing is
stored.
"""

from __future__ import annotations

import base64
import binascii
import threading
import time
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import octavo
from octavo._version import __version__
from octavo_library import Library
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from .access import Grant
from .background_work import BackgroundWork
from .conversion_messages import (
    FORMS,
    LONGEST_TIMEOUT,
    ConvertOptions,
    ConvertRequest,
    ConvertResponse,
    ErrorItem,
    ExportedDocument,
    HttpSource,
    Target,
)
from .conversion_tasks import ConversionTasks
from .docling_document import docling_document
from .options import DashboardOptions
from .problems import Refused, owners_only, public_text
from .protection import asker_of, unauthorised
from .uploads import read_upload, safe_name, too_large

MOST_FIELDS = 200
"""Fields of a form: clients send every option that docling-serve has."""


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What a request asks for.

    Attributes:
        source: the document or its URL.
        name: the name of a document in the request; None for a URL.
        shown: the document's name in the answer.
        options: options of the conversion.
    """

    source: str | bytes
    name: str | None
    shown: str
    options: ConvertOptions


class ConversionService:
    """The endpoints.

    Args:
        library: its plugins, workers and settings convert.
        options: options of the server.
        work: runs conversions in the background.
    """

    def __init__(self, library: Library, options: DashboardOptions, work: BackgroundWork) -> None:
        self._library = library
        self._limit = options.upload_limit
        self._tasks = ConversionTasks(work)

    async def source(self, request: Request) -> Response:
        """Convert a document that the request holds, or that stands at a URL."""
        _owner(request)
        return await self._answer(await self._asked_source(request))

    async def file(self, request: Request) -> Response:
        """Convert an uploaded file."""
        _owner(request)
        return await self._answer(await self._asked_file(request))

    async def source_in_background(self, request: Request) -> Response:
        """Start what `source` does; the answer is the task's status."""
        return self._start(_owner(request), await self._asked_source(request))

    async def file_in_background(self, request: Request) -> Response:
        """Start what `file` does; the answer is the task's status."""
        return self._start(_owner(request), await self._asked_file(request))

    async def status(self, request: Request) -> Response:
        """How far a task is; with `wait`, once it has ended or the seconds are over."""
        grant = _owner(request)
        try:
            wait = float(request.query_params.get("wait", "0"))
        except ValueError:
            wait = -1.0
        if not wait >= 0:  # NaN is refused too
            raise Refused(422, "The parameter wait is not a number of seconds", reason="invalid_request")
        status = await self._tasks.status(request.path_params["task_id"], grant, wait=wait)
        return JSONResponse(status.model_dump())

    async def result(self, request: Request) -> Response:
        """The result of a task."""
        answer = self._tasks.result(request.path_params["task_id"], _owner(request))
        return Response(answer, media_type="application/json")

    async def version(self, request: Request) -> Response:
        """The version of the software."""
        _owner(request)
        return JSONResponse({"octavo": __version__})

    async def _asked_source(self, request: Request) -> _Asked:
        body = await self._body(request)
        try:
            asked = ConvertRequest.model_validate_json(body)
        except ValidationError as error:
            raise _invalid(error) from None
        source = asked.sources[0]
        if isinstance(source, HttpSource):
            shown = source.url.rpartition("/")[2] or "page.html"
            return _Asked(source=source.url, name=None, shown=shown, options=asked.options)
        try:
            data = base64.b64decode(source.base64_string, validate=True)
        except (binascii.Error, ValueError):
            raise Refused(422, "The field base64_string is not base64", reason="invalid_request") from None
        name = safe_name(source.filename)
        return _Asked(source=data, name=name, shown=name, options=asked.options)

    async def _asked_file(self, request: Request) -> _Asked:
        form = await read_upload(request, limit=self._limit, fields=MOST_FIELDS)
        try:
            files = [one for one in form.getlist("files") if isinstance(one, UploadFile)]
            if len(files) != 1:
                raise Refused(422, "The field `files` must hold one file", reason="invalid_request")
            given: dict[str, Any] = {"to_formats": [str(one) for one in form.getlist("to_formats")] or ["md"]}
            if form.get("document_timeout"):
                given["document_timeout"] = str(form["document_timeout"])
            try:
                options = ConvertOptions.model_validate(given)
                Target.model_validate({"kind": str(form.get("target_type", "inbody"))})
            except ValidationError as error:
                raise _invalid(error) from None
            data, name = await files[0].read(), safe_name(files[0].filename or "")
        finally:
            await form.close()
        return _Asked(source=data, name=name, shown=name, options=options)

    async def _body(self, request: Request) -> bytes:
        """The body, up to the limit that an upload has, in base64."""
        most = self._limit * 4 // 3 + 64 * 1024
        data = bytearray()
        async for chunk in request.stream():
            data += chunk
            if len(data) > most:
                raise too_large(self._limit)
        return bytes(data)

    async def _answer(self, asked: _Asked) -> Response:
        answer = await run_in_threadpool(self._convert, asked, threading.Event())
        return Response(answer.model_dump_json(), media_type="application/json")

    def _start(self, grant: Grant, asked: _Asked) -> Response:
        size = len(asked.source) if isinstance(asked.source, bytes) else 0
        started = self._tasks.start(asked.shown, grant, lambda cancel: self._convert(asked, cancel), size=size)
        return JSONResponse(started.model_dump())

    def _convert(self, asked: _Asked, cancel: threading.Event) -> ConvertResponse:
        started = time.monotonic()
        timeout = asked.options.document_timeout
        converted = octavo.convert(
            asked.source,
            name=asked.name,
            timeout=timeout if timeout is None else min(timeout, LONGEST_TIMEOUT),
            cancel=cancel,
            runtime=self._library.context.runtime,
        )
        result = converted.result
        is_failed = result.ingestion_status == "hard_failed"
        errors = [
            ErrorItem(
                component_type="document_backend",
                module_name=receipt.plugin or "octavo",
                error_message=public_text(f"{receipt.details} [{receipt.reason_code.value}]"),
            )
            for receipt in result.failure_receipts
        ]
        missing = [form for form in asked.options.to_formats if form not in FORMS]
        errors += [
            ErrorItem(
                component_type="doc_assembler",
                module_name="octavo",
                error_message=f"the format {form[:40]!r} is not made",
            )
            for form in missing
        ]
        wanted = () if is_failed else asked.options.to_formats
        stem = PurePosixPath(asked.shown).stem
        return ConvertResponse(
            document=ExportedDocument(
                filename=asked.shown,
                md_content=converted.markdown if "md" in wanted else None,
                json_content=docling_document(converted.markdown, name=stem) if "json" in wanted else None,
                text_content=converted.render("text") if "text" in wanted else None,
                html_content=converted.render("html") if "html" in wanted else None,
            ),
            status="failure" if is_failed else "partial_success" if missing else "success",
            errors=errors,
            processing_time=round(time.monotonic() - started, 3),
        )


def _owner(request: Request) -> Grant:
    """Let the library's owner pass: the request uses the settings of the library, such as those for cloud services.

    Raises:
        Refused: the asker has a corpus, or is a page of a browser.
    """
    asker = asker_of(request)
    if asker.grant is None:
        raise unauthorised()
    if asker.grant.corpus is not None:
        raise owners_only()
    if asker.session is not None:
        raise Refused(403, "This address is for programs", reason="csrf", remedy="Send no cookie")
    return asker.grant


def _invalid(error: ValidationError) -> Refused:
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])[:80]
    given = first["input"]
    instead = f", not {given[:40]!r}" if first["type"] == "literal_error" and isinstance(given, str) else ""
    return Refused(
        422,
        f"The request is invalid at {place or 'its beginning'}: {first['msg']}{instead}",
        reason="invalid_request",
    )
