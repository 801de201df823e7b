"""A double of Azure Document Intelligence on loopback: real HTTP, answers made after the documentation of the API.

No answer in it was recorded from a resource of Microsoft's; `analysis` has the form of `AnalyzeResult` of 2024-11-30 as
https://learn.microsoft.com/rest/api/aiservices/document-models describes it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from octavo_conformance import loopback

RESULT = "/documentintelligence/documentModels/prebuilt-read/analyzeResults/3b31320d?api-version=2024-11-30"
KEY = "2f1c9a7be0d84c55"


@dataclass
class Reply:
    """One answer: `None` in `body` is an empty one."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Request:
    """One request as it came."""

    method: str
    path: str
    key: str | None
    body: bytes


def word(content: str, *corners: float, confidence: float = 0.99, offset: int = 0) -> dict[str, Any]:
    left, top, right, bottom = corners
    return {
        "content": content,
        "polygon": [left, top, right, top, right, bottom, left, bottom],
        "confidence": confidence,
        "span": {"offset": offset, "length": len(content)},
    }


def analysis(**page: Any) -> dict[str, Any]:
    """A page of two lines, in pixels of a picture of 850 by 1100."""
    words = [
        word("Harbour", 100, 100, 300, 160, confidence=0.98),
        word("book", 320, 100, 600, 160, confidence=0.9, offset=8),
        word("Café", 100, 220, 500, 280, confidence=0.7, offset=13),
    ]
    lines = [{"content": "Harbour book", "polygon": [], "spans": []}, {"content": "Café", "polygon": [], "spans": []}]
    seen = {
        "pageNumber": 1,
        "angle": 0.2,
        "width": 850,
        "height": 1100,
        "unit": "pixel",
        "words": words,
        "lines": lines,
    }
    return {
        "apiVersion": "2024-11-30",
        "modelId": "prebuilt-read",
        "stringIndexType": "unicodeCodePoint",
        "content": "Harbour book\nCafé",
        "pages": [seen | page],
        "paragraphs": [],
        "styles": [],
        "contentFormat": "text",
        "languages": [
            {"locale": "fr", "confidence": 0.8, "spans": [{"offset": 13, "length": 4}]},
            {"locale": "en", "confidence": 0.9, "spans": [{"offset": 0, "length": 12}]},
        ],
    }


def succeeded(result: dict[str, Any] | None = None) -> Reply:
    return Reply(200, {"status": "succeeded", "analyzeResult": result if result is not None else analysis()})


RUNNING = Reply(200, {"status": "running"}, {"Retry-After": "0"})


class AzureDouble:
    """Keeps what it was asked. `begins` and `polls` are given out in their order, the last one for ever."""

    def __init__(self) -> None:
        self.port = 0
        self.asked: list[Request] = []
        self.begins: list[Reply] = []
        self.polls: list[Reply] = [RUNNING, succeeded()]
        self.deleted = Reply(204)
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def methods(self) -> list[str]:
        return [request.method for request in self.asked]

    def answer(self, request: Request) -> Reply:
        with self._lock:
            self.asked.append(request)
            if request.method == "DELETE":
                return self.deleted
            if request.method == "GET":
                return self.polls.pop(0) if len(self.polls) > 1 else self.polls[0]
            if not request.path.startswith("/documentintelligence/documentModels/prebuilt-read:analyze?"):
                return Reply(404, {"error": {"code": "404", "message": "Resource not found"}})
            if self.begins:
                return self.begins.pop(0)
            return Reply(202, None, {"Operation-Location": self.url + RESULT, "Retry-After": "0"})


@contextmanager
def serving() -> Iterator[AzureDouble]:
    """Answers on a port of loopback."""
    double = AzureDouble()

    def answer(asked: loopback.Asked) -> loopback.Reply:
        reply = double.answer(
            Request(asked.method, asked.path, asked.headers.get("ocp-apim-subscription-key"), asked.body)
        )
        body = reply.body if isinstance(reply.body, bytes) else b"" if reply.body is None else _json(reply.body)
        headers = {"Content-Type": "application/json", **reply.headers}
        return loopback.Reply(status=reply.status, body=body, headers=headers)

    with loopback.serving(answer) as double.port:
        yield double


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
