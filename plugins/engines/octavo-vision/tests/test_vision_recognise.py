"""What the plugin asks of a server and makes of its answers: real HTTP to a double on loopback (OCR-8)."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from octavo_contracts import (
    ContentTooLarge,
    Fetcher,
    HookContext,
    OcrFailed,
    OCRRequest,
    OCRResult,
    OctavoError,
    PageImage,
    ToolUnavailable,
)
from octavo_sandbox.egress import own_fetcher, parse_target
from octavo_vision.plugin import ocr
from vision_server_double import VisionServerDouble

Ask = Callable[..., OCRResult]


@pytest.fixture
def ask(server: VisionServerDouble, image: PageImage, tmp_path: Path) -> Ask:
    """`ask(purpose="text", **options)`: the result for the page."""

    def call(request: OCRRequest | None = None, picture: PageImage = image, **options: Any) -> OCRResult:
        way: Fetcher = own_fetcher(parse_target(server.base_url, ports={server.port}))
        given = {"base_url": server.base_url, "model": "qwen2.5vl:3b"} | options
        context = HookContext(work_dir=tmp_path, deadline=time.monotonic() + 30, fetch=way, options=given)
        return ocr(image=picture, request=request or OCRRequest(), context=context)

    return call


def test_a_page_comes_back_with_its_text_and_the_probability_of_its_tokens(ask: Ask, image: PageImage) -> None:
    """OCR-8: the text is the model's; its confidence is what the server says of the tokens."""
    result = ask()

    assert result.extracted_text == "Harbour book\nCafé"
    assert result.words == ()
    assert result.confidence == 0.95
    assert (result.method, result.tool_version) == ("vision", "qwen2.5vl:3b")
    assert (result.page_number, result.page_fingerprint) == (7, image.page_fingerprint)


def test_a_server_without_probabilities_gives_the_assumed_confidence(ask: Ask, server: VisionServerDouble) -> None:
    server.probability = None

    assert ask().confidence == 0.75
    assert ask(assumed_confidence=0.4).confidence == 0.4


def test_a_picture_is_sent_with_at_most_1024_pixels(ask: Ask, server: VisionServerDouble) -> None:
    """CNV-10: 850 by 1100 pixels become 791 by 1024; the limit is an option."""
    ask()
    ask(longest_side=256)

    assert server.picture(0).size == (791, 1024)
    assert server.picture(1).size == (198, 256)
    assert (server.question()["model"], server.question()["temperature"]) == ("qwen2.5vl:3b", 0)
    assert server.asked[0].path == "/v1/chat/completions"


def test_a_small_picture_is_sent_unchanged(ask: Ask, server: VisionServerDouble) -> None:
    ask(longest_side=4096)

    assert server.picture().size == (850, 1100)


def test_a_description_is_asked_for_in_other_words(ask: Ask, server: VisionServerDouble) -> None:
    """CNV-10."""
    server.description = "  A grey square\n on a white ground. "

    result = ask(OCRRequest(purpose="description"))

    assert result.extracted_text == "A grey square on a white ground."
    assert server.instruction().startswith("Describe")


def test_a_long_description_is_cut_at_a_word(ask: Ask, server: VisionServerDouble) -> None:
    server.description = "word " * 1000

    assert len(ask(OCRRequest(purpose="description")).extracted_text) <= 2002


@pytest.mark.parametrize("said", ["NO_TEXT", " NO_TEXT.\n", "`NO_TEXT`", "```\nNO_TEXT\n```", ""])
def test_a_page_without_text_is_empty(said: str, ask: Ask, server: VisionServerDouble) -> None:
    server.text = said

    assert (ask().extracted_text, ask().confidence) == ("", 0.0)


def test_a_fence_around_the_text_is_not_text(ask: Ask, server: VisionServerDouble) -> None:
    server.text = "```text\nHarbour book\n```"

    assert ask().extracted_text == "Harbour book"


@pytest.mark.parametrize("missing", ["base_url", "model"])
def test_nothing_is_asked_without_configuration(missing: str, ask: Ask, server: VisionServerDouble) -> None:
    """OCR-8."""
    with pytest.raises(ToolUnavailable, match=f"{missing} is not set") as caught:
        ask(**{missing: ""})

    assert "[plugins.vision]" in caught.value.remedy
    assert server.asked == []


@pytest.mark.parametrize(
    ("status", "error", "said"),
    [
        (404, ToolUnavailable, "no such model"),
        (413, ContentTooLarge, "too large"),
        (400, ToolUnavailable, "status 400"),
        (500, ToolUnavailable, "busy or failed"),
        (429, ToolUnavailable, "busy or failed"),
        (401, OctavoError, "requires a key"),
    ],
)
def test_a_refusal_is_a_typed_error_without_the_words_of_the_server(
    status: int, error: type[OctavoError], said: str, ask: Ask, server: VisionServerDouble
) -> None:
    server.status = status

    with pytest.raises(error, match=said) as caught:
        ask()

    assert caught.value.plugin == "vision"
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "body", [b"<html>", b"{}", b'{"choices": []}', b'{"choices": [{"message": {"content": null}}]}']
)
def test_an_answer_of_another_form_is_refused(body: bytes, ask: Ask, server: VisionServerDouble) -> None:
    server.body = body

    with pytest.raises(ToolUnavailable, match="does not match the API"):
        ask()


def test_an_answer_that_was_cut_off_is_no_text(ask: Ask, server: VisionServerDouble) -> None:
    server.finish_reason = "length"

    with pytest.raises(OcrFailed, match="cut off after 4096 tokens"):
        ask()


def test_bytes_that_are_no_picture_are_refused_before_anything_is_sent(
    ask: Ask, server: VisionServerDouble, image: PageImage
) -> None:
    with pytest.raises(OcrFailed, match="cannot be decoded"):
        ask(picture=image.model_copy(update={"png": b"this is no picture"}))

    assert server.asked == []


def test_importing_the_plugin_loads_no_client() -> None:
    code = (
        "import sys, octavo_vision.plugin\n"
        "assert not {'octavo_vision.chat', 'http.client', 'ssl', 'PIL', 'octavo'} & set(sys.modules), sorted(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
