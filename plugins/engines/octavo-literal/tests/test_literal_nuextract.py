"""NuExtract copies into a template, and what it copies is held to the text.

No weights are to be had here: the server is a double on loopback that speaks the public protocol and answers what the test says.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec
from typing import Any

import pytest
from octavo_contracts import ContentTooLarge, RetryableToolFailure
from octavo_fields import extract_fields
from octavo_fields.extracting import Extractor
from octavo_literal.nuextract import NuExtractor, template

pytestmark = pytest.mark.skipif(
    not (find_spec("pydantic_ai") and find_spec("openai")),
    reason="pydantic-ai-slim[openai] is not installed: it is the extra `llm`, with a client of the chat protocol",
)

TEXT = "Invoice AB-12345 of 4 March 2025, for 3 pumps. Ada Quay pays 40.00 EUR. Ada Quay signs."
SCHEMA = {
    "type": "object",
    "properties": {
        "number": {"type": "string"},
        "date": {"type": "string", "format": "date"},
        "payer": {"type": "string"},
        "total": {"type": "number", "x-octavo": {"kind": "amount"}},
        "pumps": {"type": "integer"},
    },
}


class NuExtractDouble:
    """Not NuExtract: a server that answers every chat request with the text it was given."""

    def __init__(self) -> None:
        self.answer = "{}"
        self.status = 200
        self.asked: list[dict[str, Any]] = []
        double = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                double.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                message = {"role": "assistant", "content": double.answer}
                reply = {
                    "id": "answer",
                    "object": "chat.completion",
                    "created": 1,
                    "model": "nuextract",
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                }
                body = json.dumps(reply).encode()
                self.send_response(double.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words: object) -> None:
                """Quiet."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def double() -> Iterator[NuExtractDouble]:
    made = NuExtractDouble()
    yield made
    made.close()


def extractor(double: NuExtractDouble, **settings: Any) -> NuExtractor:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    url = f"http://127.0.0.1:{double.server.server_address[1]}/v1"
    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    return NuExtractor(OpenAIChatModel("nuextract", provider=OpenAIProvider(openai_client=client)), **settings)


def run(double: NuExtractDouble, text: str = TEXT) -> dict[str, tuple[Any, bool]]:
    asked = Extractor(name="nuextract", ask=extractor(double))
    return {name: (field.value, field.verified) for name, field in extract_fields(text, SCHEMA, [asked]).fields.items()}


def test_every_value_is_asked_for_verbatim(double: NuExtractDouble) -> None:
    run(double)

    (asked,) = double.asked
    assert json.loads(asked["chat_template_kwargs"]["template"]) == dict.fromkeys(
        SCHEMA["properties"], "verbatim-string"
    )
    assert asked["temperature"] == 0.0
    assert [(one["role"], one["content"]) for one in asked["messages"]] == [("user", TEXT)]


def test_what_is_copied_rightly_is_accepted(double: NuExtractDouble) -> None:
    copied = {"number": "AB-12345", "date": "4 March 2025", "payer": "Ada Quay", "total": "40.00 EUR", "pumps": "3"}
    double.answer = json.dumps(copied)

    assert run(double) == {
        "number": ("AB-12345", True),
        "date": ("2025-03-04", True),
        "payer": ("Ada Quay", False),  # it stands twice, and nobody can say which was meant
        "total": (40, True),
        "pumps": (3, True),  # a 3 that is no part of another number stands once
    }


@pytest.mark.parametrize(
    "answer",
    [
        {"number": "ZZ-99999", "date": "5 March 2025", "total": "41.00 EUR"},
        {"number": None, "date": "", "payer": [], "total": {"a": 1}, "pumps": 3},
        {"date": "03/04/2025", "unasked": "AB-12345"},
    ],
)
def test_what_is_not_in_the_text_is_not_accepted(double: NuExtractDouble, answer: dict[str, Any]) -> None:
    double.answer = json.dumps(answer)

    found = run(double)

    assert [name for name, (_, verified) in found.items() if verified] == []
    assert set(found) == set(SCHEMA["properties"])


@pytest.mark.parametrize("answer", ["", "I found nothing.", "[]", '{"number": "AB-1'])
def test_an_answer_that_is_no_template_is_a_tool_that_failed(double: NuExtractDouble, answer: str) -> None:
    double.answer = answer

    with pytest.raises(RetryableToolFailure):
        extractor(double).extract(TEXT, SCHEMA)


def test_a_server_that_fails_is_a_tool_that_failed(double: NuExtractDouble) -> None:
    double.status = 500

    with pytest.raises(RetryableToolFailure, match="nuextract"):
        extractor(double).extract(TEXT, SCHEMA)


def test_a_text_that_is_too_long_is_not_sent(double: NuExtractDouble) -> None:
    with pytest.raises(ContentTooLarge, match="at most 10"):
        extractor(double, max_chars=10).extract(TEXT, SCHEMA)
    assert double.asked == []


def test_a_schema_without_fields_asks_for_nothing() -> None:
    assert template({"type": "object"}) == {}
