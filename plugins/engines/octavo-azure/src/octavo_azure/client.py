"""Client for the part of Document Intelligence's REST API that one page needs: analyze, poll until done, delete.

The client opens no connections itself: the host supplies a fetcher that is restricted to the address of the service.
Source of the names: https://learn.microsoft.com/rest/api/aiservices/document-models (2024-11-30).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

from octavo_contracts import (
    AuthUnavailable,
    ContentTooLarge,
    Fetcher,
    FetchResponse,
    OcrFailed,
    OCRRequest,
    OCRResult,
    OctavoError,
    PageImage,
    PolicyRefused,
    ToolUnavailable,
    UsageError,
)
from pydantic import BaseModel, ValidationError

from .answer import API_VERSION, MODEL, PLUGIN, Analysis, Operation, Refusal, to_result

ANALYZE = (
    f"/documentintelligence/documentModels/{MODEL}:analyze"
    f"?api-version={API_VERSION}&stringIndexType=unicodeCodePoint&features=languages"
)
KEY_HEADER = "Ocp-Apim-Subscription-Key"
MAX_PICTURE_BYTES = 50_000_000
"""Size limit of a page's PNG in bytes. The service accepts 500 MB, which no page needs; base64 adds a third."""
MAX_ANSWER_BYTES = 20_000_000
"""Size limit of a result in bytes. A dense page needs about two million."""
MAX_MESSAGE_BYTES = 1_000_000
"""Size limit of a status or error response in bytes."""
FIRST_SECONDS, LEAST_SECONDS, MOST_SECONDS = 1.0, 0.1, 60.0
"""Polling interval in seconds: the default, and the limits for intervals that the service requests."""
BUSY_TRIES = 4
"""Maximum attempts for one page with a busy service."""
UPLOAD_SECONDS, QUESTION_SECONDS = 60.0, 30.0
"""Timeout of one request in seconds; the host stops it earlier at the page's deadline."""

_BUSY = frozenset({408, 429, 500, 502, 503, 504})
_TOO_LARGE = frozenset({"InvalidContentLength", "InvalidContentDimensions"})
_UNREADABLE = frozenset({"InvalidContent", "UnsupportedContent", "UnsupportedMediaType", "ContentProcessingTimeout"})
_CODE = re.compile(r"[A-Za-z0-9_.]{1,60}")
CODES = (
    "InvalidRequest", "InvalidArgument", "InvalidContent", "InvalidContentLength", "InvalidContentDimensions",
    "InvalidContentSourceFormat", "ContentSourceNotAccessible", "ContentSourceTimeout", "ContentProcessingTimeout",
    "CorruptedContent", "UnsupportedContent", "InvalidParameter", "InvalidKey", "ParameterMissing", "ModelNotFound",
    "NotFound", "Forbidden", "Unauthorized", "InternalServerError", "ServiceUnavailable", "TooManyRequests",
)  # fmt: skip
"""Error codes that messages may contain. Other text of the service is omitted, because it may quote the page."""

M = TypeVar("M", bound=BaseModel)


class AzureRecogniser:
    """Recognises page images with the model `prebuilt-read`. Stateless; see `octavo_contracts.RemoteRecogniser`."""

    def recognise(
        self,
        image: PageImage,
        request: OCRRequest,
        *,
        base_url: str,
        key: str,
        fetcher: Fetcher,
        pause: Callable[[float], None],
    ) -> OCRResult:
        """Recognise one page, then ask the service to delete its stored result.

        Raises:
            UsageError: an option is unknown.
            OctavoError: as `octavo_contracts.RemoteRecogniser`.
        """
        if request.options:
            raise UsageError(f"azure has no option {min(request.options)!r}", remedy="It has none")
        if len(image.png) > MAX_PICTURE_BYTES:
            raise ContentTooLarge(
                f"the image has {len(image.png):,} bytes; at most {MAX_PICTURE_BYTES:,} are sent",
                plugin=PLUGIN,
                remedy="Recognise it at a lower resolution",
            )
        service = _Service(base_url.rstrip("/"), key, fetcher, pause)
        place, wait = service.begin(image.png)
        try:
            analysis = service.wait_for(place, wait)
        finally:
            service.forget(place)
        if len(analysis.pages) != 1:
            raise _odd(f"the service returned {len(analysis.pages)} pages for one image")
        return to_result(analysis, analysis.pages[0], image, request)


@dataclass(frozen=True)
class _Service:
    """A session with the service for one page.

    Attributes:
        base: URL of the service.
        key: API key; never shown.
        fetcher: restricted fetcher from the host.
        pause: sleeps for the given number of seconds.
    """

    base: str
    key: str
    fetcher: Fetcher
    pause: Callable[[float], None]

    def begin(self, png: bytes) -> tuple[str, float]:
        """Submit the image; returns the result URL and the seconds until the first poll."""
        body = json.dumps({"base64Source": base64.b64encode(png).decode()}).encode()
        answer = self._asked(self.base + ANALYZE, method="POST", body=body, seconds=UPLOAD_SECONDS)
        if answer.status != 202:
            raise _refused(answer)
        place = answer.headers.get("operation-location", "")
        if not place:
            raise _odd("the response has no URL of the result")
        if not _same_place(place, self.base):
            raise PolicyRefused(
                "the result URL is on another host and is not requested",
                plugin=PLUGIN,
                remedy="Set ocr.service to the address that the service uses in its URLs",
            )
        return place, _seconds(answer)

    def wait_for(self, place: str, wait: float) -> Analysis:
        """Poll until the page is recognised."""
        while True:
            self.pause(wait)
            answer = self._asked(place, max_bytes=MAX_ANSWER_BYTES)
            if answer.status != 200:
                raise _refused(answer)
            operation = _read(Operation, answer)
            if operation.status in ("notStarted", "running"):
                wait = _seconds(answer)
                continue
            if operation.status != "succeeded":
                raise _failed(operation.error.codes() if operation.error else [], operation.status)
            if operation.analysis is None:
                raise _odd("the operation succeeded without a result")
            return operation.analysis

    def forget(self, place: str) -> None:
        """Delete the result, which the service otherwise keeps for a day. A failed deletion is ignored."""
        with suppress(OctavoError):
            self.fetcher.fetch(
                place, method="DELETE", headers=self._headers(), max_bytes=MAX_MESSAGE_BYTES, timeout=QUESTION_SECONDS
            )

    def _asked(
        self,
        url: str,
        *,
        method: str = "GET",
        body: bytes | None = None,
        max_bytes: int = MAX_MESSAGE_BYTES,
        seconds: float = QUESTION_SECONDS,
    ) -> FetchResponse:
        """Send a request; retry while the service is busy, after the delay that it requests."""
        for attempt in range(1, BUSY_TRIES + 1):
            try:
                answer = self.fetcher.fetch(
                    url, method=method, body=body, headers=self._headers(), max_bytes=max_bytes, timeout=seconds
                )
            except AuthUnavailable as error:
                raise AuthUnavailable(
                    "the service rejected the API key, or the key lacks permission",
                    plugin=PLUGIN,
                    remedy="Check the settings ocr.service and ocr.service_key: the key belongs to one resource",
                ) from error
            if answer.status not in _BUSY:
                return answer
            wait = _seconds(answer)
            if attempt < BUSY_TRIES:
                self.pause(wait)
        raise ToolUnavailable(
            f"the service is busy (status {answer.status}) after {BUSY_TRIES} attempts",
            plugin=PLUGIN,
            remedy=f"Try again in {wait:g} seconds or later, or reduce ocr.at_once",
        )

    def _headers(self) -> Mapping[str, str]:
        return {KEY_HEADER: self.key, "Content-Type": "application/json", "Accept": "application/json"}


def _same_place(url: str, base: str) -> bool:
    """Whether two URLs have the same scheme, host and port."""
    try:
        one, other = urlsplit(url), urlsplit(base)
        return (one.scheme, one.hostname, one.port or _PORTS.get(one.scheme)) == (
            other.scheme,
            other.hostname,
            other.port or _PORTS.get(other.scheme),
        )
    except ValueError:
        return False


_PORTS = {"http": 80, "https": 443}


def _seconds(answer: FetchResponse) -> float:
    """Return the retry delay that the service requests, within limits."""
    said = answer.headers.get("retry-after", "")
    wanted = float(said) if re.fullmatch(r"[0-9]{1,6}", said) else FIRST_SECONDS
    return min(max(wanted, LEAST_SECONDS), MOST_SECONDS)


def _read(model: type[M], answer: FetchResponse) -> M:
    try:
        return model.model_validate_json(answer.body)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors(include_input=False)[0]["loc"]) or "the whole"
        raise _odd(f"the response does not match the API: {place[:200]}") from None


def _refused(answer: FetchResponse) -> OctavoError:
    """The error of a response with an error status."""
    try:
        codes = Refusal.model_validate_json(answer.body).error.codes()
    except ValidationError:
        codes = []
    if answer.status == 404:
        return ToolUnavailable(
            "no Document Intelligence at this address (status 404)",
            plugin=PLUGIN,
            remedy="Check the setting ocr.service",
        )
    if answer.status == 413:
        codes = ["InvalidContentLength"]
    return _failed(codes, f"status {answer.status}")


def _failed(codes: list[str], how: str) -> OctavoError:
    """Convert an error of the service. Only its codes are disclosed: its messages may quote the page."""
    known = [code for code in codes if _CODE.fullmatch(code)]
    said = f"{how}: {', '.join(known[:5])}" if known else how
    if _TOO_LARGE & set(known):
        return ContentTooLarge(
            f"the image is too large for the service ({said})", plugin=PLUGIN, remedy="Set a lower ocr.dpi"
        )
    if _UNREADABLE & set(known):
        return OcrFailed(f"the service cannot read the page image ({said})", plugin=PLUGIN)
    return ToolUnavailable(
        f"the service did not recognise the page ({said})",
        plugin=PLUGIN,
        remedy="Check quota, region and network rules of the resource in the Azure portal",
    )


def _odd(message: str) -> ToolUnavailable:
    return ToolUnavailable(
        message,
        plugin=PLUGIN,
        remedy=f"Check that ocr.service is a Document Intelligence resource with API {API_VERSION}",
    )
