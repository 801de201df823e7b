"""Conversion for programs, in the shapes of docling-serve: `/v1/convert/source` and `/v1/convert/file`.

A client of docling-serve that asks for markdown works against these endpoints unchanged. Nothing is stored.
"""

from __future__ import annotations

import base64
import binascii
import time
from typing import Annotated, Any, Literal

import octavo
from octavo_library import Library
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from .options import DashboardOptions
from .problems import Refused, owners_only, public_text
from .protection import asker_of, unauthorised
from .uploads import read_upload, safe_name, too_large

FORMS = ("md", "text", "html")
"""The forms of a document that are filled in; the others are null, and an error says so."""


class _Given(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ConvertOptions(_Given):
    """Options of a conversion. Options of docling-serve that are not listed are accepted and have no effect."""

    to_formats: tuple[str, ...] = Field(default=("md",), description="`md`, `text`, `html`.")
    document_timeout: float | None = Field(default=None, gt=0, le=3600, description="Seconds that a plugin may take.")


class FileSource(_Given):
    """A document in the request."""

    kind: Literal["file"]
    base64_string: str = Field(description="Its bytes, in base64.")
    filename: str = Field(description="Its file name.")


class HttpSource(_Given):
    """A document at a URL, which is fetched as the settings `web` allow; they are off by default."""

    kind: Literal["http"]
    url: str = Field(pattern=r"^https?://", max_length=4000)


class Target(_Given):
    """Where the result goes."""

    kind: Literal["inbody"] = "inbody"


class ConvertRequest(_Given):
    """A request to convert one document."""

    sources: tuple[Annotated[FileSource | HttpSource, Field(discriminator="kind")], ...] = Field(
        min_length=1, max_length=1, description="The document."
    )
    options: ConvertOptions = Field(default_factory=ConvertOptions)
    target: Target = Field(default_factory=Target)


class ErrorItem(BaseModel):
    """An error of a conversion."""

    component_type: str = Field(description="What failed.")
    module_name: str = Field(description="The plugin, or `octavo`.")
    error_message: str = Field(description="Why.")


class ExportedDocument(BaseModel):
    """The forms of a document."""

    filename: str
    md_content: str | None = None
    json_content: JsonValue = None
    html_content: str | None = None
    text_content: str | None = None
    doctags_content: str | None = None


class ConvertResponse(BaseModel):
    """The result of a conversion."""

    document: ExportedDocument
    status: Literal["success", "partial_success", "failure"]
    errors: list[ErrorItem] = Field(default_factory=list)
    processing_time: float = Field(description="Seconds.")
    timings: dict[str, Any] = Field(default_factory=dict)


class ConversionService:
    """The endpoints.

    Args:
        library: its plugins, workers and settings convert.
        options: options of the server.
    """

    def __init__(self, library: Library, options: DashboardOptions) -> None:
        self._library = library
        self._limit = options.upload_limit

    async def source(self, request: Request) -> Response:
        """Convert a document that the request holds, or that stands at a URL."""
        _check_asker(request)
        body = await self._body(request)
        try:
            asked = ConvertRequest.model_validate_json(body)
        except ValidationError as error:
            raise _invalid(error) from None
        source = asked.sources[0]
        if isinstance(source, HttpSource):
            return await self._answer(source.url, None, source.url.rpartition("/")[2] or "page.html", asked.options)
        try:
            data = base64.b64decode(source.base64_string, validate=True)
        except (binascii.Error, ValueError):
            raise Refused(422, "The field base64_string is not base64", reason="invalid_request") from None
        name = safe_name(source.filename)
        return await self._answer(data, name, name, asked.options)

    async def file(self, request: Request) -> Response:
        """Convert an uploaded file."""
        _check_asker(request)
        form = await read_upload(request, limit=self._limit)
        try:
            files = [one for one in form.getlist("files") if isinstance(one, UploadFile)]
            if len(files) != 1:
                raise Refused(422, "The field `files` must hold one file", reason="invalid_request")
            given: dict[str, Any] = {"to_formats": [str(one) for one in form.getlist("to_formats")] or ["md"]}
            if form.get("document_timeout"):
                given["document_timeout"] = str(form["document_timeout"])
            try:
                options = ConvertOptions.model_validate(given)
            except ValidationError as error:
                raise _invalid(error) from None
            data, name = await files[0].read(), safe_name(files[0].filename or "")
        finally:
            await form.close()
        return await self._answer(data, name, name, options)

    async def _body(self, request: Request) -> bytes:
        """The body, up to the limit that an upload has, in base64."""
        most = self._limit * 4 // 3 + 64 * 1024
        data = bytearray()
        async for chunk in request.stream():
            data += chunk
            if len(data) > most:
                raise too_large(self._limit)
        return bytes(data)

    async def _answer(self, source: str | bytes, name: str | None, shown: str, options: ConvertOptions) -> Response:
        started = time.monotonic()
        converted = await run_in_threadpool(
            octavo.convert,
            source,
            name=name,
            timeout=options.document_timeout,
            runtime=self._library.context.runtime,
        )
        result = converted.result
        is_failed = result.ingestion_status == "hard_failed"
        errors = [
            ErrorItem(
                component_type="converter",
                module_name=receipt.plugin or "octavo",
                error_message=public_text(f"{receipt.details} [{receipt.reason_code.value}]"),
            )
            for receipt in result.failure_receipts
        ]
        missing = [form for form in options.to_formats if form not in FORMS]
        errors += [
            ErrorItem(
                component_type="exporter", module_name="octavo", error_message=f"the format {form[:40]!r} is not made"
            )
            for form in missing
        ]
        wanted = () if is_failed else options.to_formats
        answer = ConvertResponse(
            document=ExportedDocument(
                filename=shown,
                md_content=converted.markdown if "md" in wanted else None,
                text_content=converted.render("text") if "text" in wanted else None,
                html_content=converted.render("html") if "html" in wanted else None,
            ),
            status="failure" if is_failed else "partial_success" if missing else "success",
            errors=errors,
            processing_time=round(time.monotonic() - started, 3),
        )
        return Response(answer.model_dump_json(), media_type="application/json")


def _check_asker(request: Request) -> None:
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


def _invalid(error: ValidationError) -> Refused:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])[:80]
    return Refused(
        422, f"The request is invalid at {place or 'its beginning'}: {first['msg']}", reason="invalid_request"
    )
