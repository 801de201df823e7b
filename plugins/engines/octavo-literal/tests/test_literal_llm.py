"""A language model may quote and nothing else.

The model here is a double: a small server on loopback that speaks the public chat protocol and answers what the test
tells it to. No model of any quality is tested by it.
"""

from __future__ import annotations

import asyncio
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
from octavo_literal.llm import ModelExtractor

pytestmark = pytest.mark.skipif(
    not (find_spec("pydantic_ai") and find_spec("openai")),
    reason="pydantic-ai-slim[openai] is not installed: it is the extra `llm`, with a client of the chat protocol",
)

TEXT = "Invoice AB-12345 of 4 March 2025. Ada Quay pays 40.00 EUR. Ada Quay signs."
SCHEMA = {
    "type": "object",
    "properties": {
        "number": {"type": "string"},
        "date": {"type": "string", "format": "date"},
        "payer": {"type": "string"},
        "total": {"type": "number"},
        "holding": {"type": "string"},
    },
}


class ModelDouble:
    """Not a model: a server that answers every chat request with the values it was given."""

    def __init__(self) -> None:
        self.answer: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.status = 200
        double = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                double.asked.append(asked)
                body = json.dumps(double.reply(asked)).encode()
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

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def reply(self, asked: dict[str, Any]) -> dict[str, Any]:
        tool = asked["tools"][0]["function"]["name"]
        call = {"name": tool, "arguments": json.dumps({"response": self.answer})}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call", "type": "function", "function": call}],
        }
        return {
            "id": "answer",
            "object": "chat.completion",
            "created": 1,
            "model": "double",
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def double() -> Iterator[ModelDouble]:
    made = ModelDouble()
    yield made
    made.close()


def extractor(double: ModelDouble, **settings: Any) -> ModelExtractor:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(base_url=double.url, api_key="none", max_retries=0)
    return ModelExtractor(OpenAIChatModel("double", provider=OpenAIProvider(openai_client=client)), **settings)


def run(double: ModelDouble) -> dict[str, tuple[Any, bool]]:
    asked = Extractor(name="double", ask=extractor(double), interprets=True)
    return {name: (field.value, field.verified) for name, field in extract_fields(TEXT, SCHEMA, [asked]).fields.items()}


def test_a_model_that_invents_values_gets_none_accepted(double: ModelDouble) -> None:
    double.answer = [
        {"field": "number", "value": "ZZ-99999", "quote": "Invoice ZZ-99999"},
        {"field": "date", "value": "2024-12-24", "quote": "4 March 2025"},
        {"field": "payer", "value": "Ben Pier", "quote": "Ada Quay pays"},
        {"field": "total", "value": 4000.0, "quote": "40.00 EUR"},
        {"field": "holding", "value": "Ada Quay signs", "quote": "Ada Quay signs"},
        {"field": "unasked", "value": "x", "quote": "Invoice"},
    ]
    found = run(double)
    assert [name for name, (_, verified) in found.items() if verified] == []
    assert found["payer"] == ("Ben Pier", False)
    assert "unasked" not in found


def test_what_the_model_quotes_rightly_is_accepted(double: ModelDouble) -> None:
    double.answer = [
        {"field": "number", "value": "AB-12345", "quote": "AB-12345"},
        {"field": "date", "value": "2025-03-04", "quote": "4  March 2025"},
        {"field": "payer", "value": "Ada Quay", "quote": "Ada Quay"},
        {"field": "total", "value": 40, "quote": "40.00 EUR"},
    ]
    assert run(double) == {
        "number": ("AB-12345", True),
        "date": ("2025-03-04", True),
        "payer": ("Ada Quay", False),  # it stands twice, and nobody can say which was meant
        "total": (40, True),
        "holding": (None, False),
    }
    (asked,) = double.asked
    assert TEXT in json.dumps(asked["messages"])
    assert asked["temperature"] == 0.0


def test_a_model_that_fails_is_a_tool_that_failed(double: ModelDouble) -> None:
    double.status = 500
    with pytest.raises(RetryableToolFailure, match="double"):
        run(double)


def test_a_thread_with_an_event_loop_of_its_own_may_ask_and_again(double: ModelDouble) -> None:
    double.answer = [{"field": "number", "value": "AB-12345", "quote": "AB-12345"}]
    asked = extractor(double)

    async def ask() -> list[object]:
        return [asked.extract(TEXT, SCHEMA)["number"].value for _ in range(2)]

    assert [asyncio.run(ask()) for _ in range(2)] == [["AB-12345"] * 2] * 2
    assert len(double.asked) == 4


def test_a_text_that_is_too_long_is_not_sent(double: ModelDouble) -> None:
    with pytest.raises(ContentTooLarge, match="at most 10"):
        extractor(double, max_chars=10).extract(TEXT, SCHEMA)
    assert double.asked == []
