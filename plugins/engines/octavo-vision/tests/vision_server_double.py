"""A double of an OpenAI-compatible server with a vision model, on loopback: real HTTP, answers made after the API's documentation.

No model runs behind it. It keeps what it was asked, and answers with the text that a test sets.
"""

from __future__ import annotations

import base64
import json
import math
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from octavo_conformance import loopback
from PIL import Image


class VisionServerDouble:
    """Answers each request with `text`, or with `status` and `body` where a test sets them."""

    def __init__(self) -> None:
        self.port = 0
        self.asked: list[loopback.Asked] = []
        self.text = "Harbour book\nCafé"
        self.description = "A grey square on a white ground."
        self.probability: float | None = 0.95
        self.finish_reason = "stop"
        self.status = 200
        self.body: bytes | None = None
        self._lock = threading.Lock()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        return f"http://{self.host}/v1"

    def question(self, number: int = 0) -> Mapping[str, Any]:
        """The JSON of a request."""
        question: Mapping[str, Any] = json.loads(self.asked[number].body)
        return question

    def instruction(self, number: int = 0) -> str:
        return str(self.question(number)["messages"][0]["content"][0]["text"])

    def picture(self, number: int = 0) -> Image.Image:
        """The picture of a request."""
        url = self.question(number)["messages"][0]["content"][1]["image_url"]["url"]
        return Image.open(BytesIO(base64.b64decode(url.removeprefix("data:image/png;base64,"))))

    def answer(self, asked: loopback.Asked) -> loopback.Reply:
        with self._lock:
            self.asked.append(asked)
        if self.status != 200 or self.body is not None:
            return loopback.Reply(
                status=self.status, body=self.body or b'{"error": {"message": "The secret sentence."}}'
            )
        instruction = json.loads(asked.body)["messages"][0]["content"][0]["text"]
        said = self.description if instruction.startswith("Describe") else self.text
        tokens = {"content": [{"token": "x", "logprob": math.log(self.probability)}]} if self.probability else None
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": said},
            "finish_reason": self.finish_reason,
            "logprobs": tokens,
        }
        body = {"id": "1", "object": "chat.completion", "model": "double", "choices": [choice], "usage": {}}
        return loopback.Reply(body=json.dumps(body).encode(), headers={"Content-Type": "application/json"})


@contextmanager
def serving() -> Iterator[VisionServerDouble]:
    """Serve on a free port of loopback."""
    double = VisionServerDouble()
    with loopback.serving(double.answer) as double.port:
        yield double
