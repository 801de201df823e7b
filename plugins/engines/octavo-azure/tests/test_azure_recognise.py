"""What the plugin asks of Document Intelligence and makes of its answers: real HTTP to a double on loopback."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from typing import Any

import pytest
from azure_double import KEY, RESULT, RUNNING, AzureDouble, Reply, analysis, succeeded, word
from octavo_azure.client import BUSY_TRIES
from octavo_azure.plugin import make_recogniser
from octavo_contracts import (
    AuthUnavailable,
    ContentTooLarge,
    Fetcher,
    OcrFailed,
    OCRRequest,
    OCRResult,
    OctavoError,
    PageImage,
    PolicyRefused,
    RemoteRecogniser,
    Retry,
    ToolUnavailable,
    UsageError,
)
from octavo_sandbox.egress import EgressPolicy, GuardedFetcher, own_fetcher, parse_target


class Asker:
    """Has the page recognised; the pauses that were asked for are kept, and not waited."""

    def __init__(self, azure: AzureDouble) -> None:
        self.azure = azure
        self.pauses: list[float] = []

    def __call__(self, image: PageImage, request: OCRRequest | None = None, **more: Any) -> OCRResult:
        way: Fetcher = own_fetcher(parse_target(self.azure.url, ports={self.azure.port}))
        given = {"base_url": f"{self.azure.url}/", "key": KEY, "fetcher": way, "pause": self.pauses.append} | more
        return make_recogniser().recognise(image, request or OCRRequest(), **given)


@pytest.fixture
def ask(azure: AzureDouble) -> Asker:
    return Asker(azure)


def refusal(code: str, inner: str | None = None) -> dict[str, Any]:
    error: dict[str, Any] = {"code": code, "message": "The secret sentence of the page."}
    return {"error": error | ({"innererror": {"code": inner, "message": "Likewise."}} if inner else {})}


def test_the_service_is_a_remote_recogniser() -> None:
    assert isinstance(make_recogniser(), RemoteRecogniser)


def test_a_page_comes_back_with_its_words_in_points(ask: Asker, image: PageImage) -> None:
    """100 dots an inch: a pixel is 0.72 points."""
    result = ask(image, OCRRequest(document_id="d"))

    assert result.extracted_text == "Harbour book\nCafé"
    assert [found.text for found in result.words] == ["Harbour", "book", "Café"]
    box = result.words[0].box
    assert (box.left, box.top, box.right, box.bottom) == (72.0, 72.0, 216.0, 115.2)
    assert [found.confidence for found in result.words] == [0.98, 0.9, 0.7]
    assert result.confidence == 0.86
    assert (result.method, result.tool_version, result.language) == ("azure", "2024-11-30 prebuilt-read", "en")
    assert (result.document_id, result.page_number, result.page_fingerprint) == ("d", 7, image.page_fingerprint)


def test_one_page_is_sent_asked_about_until_it_is_done_and_deleted(
    ask: Asker, azure: AzureDouble, image: PageImage
) -> None:
    ask(image)

    assert azure.methods() == ["POST", "GET", "GET", "DELETE"]
    assert {request.key for request in azure.asked} == {KEY}
    assert {request.path for request in azure.asked[1:]} == {RESULT}
    sent = json.loads(azure.asked[0].body)
    assert base64.b64decode(sent.pop("base64Source")) == image.png
    assert sent == {}
    assert "api-version=2024-11-30" in azure.asked[0].path
    assert "stringIndexType=unicodeCodePoint" in azure.asked[0].path


@pytest.mark.parametrize("unit", [{"unit": "inch", "width": 8.5, "height": 11}, {"width": 425, "height": 550}])
def test_places_do_not_depend_on_the_unit(
    unit: dict[str, Any], ask: Asker, azure: AzureDouble, image: PageImage
) -> None:
    """Inches, and the pixels of a picture that the service made smaller."""
    scale = unit["width"] / 850
    azure.polls = [succeeded(analysis(**unit, words=[word("Harbour", *(scale * n for n in (100, 100, 300, 160)))]))]

    box = ask(image).words[0].box

    assert (box.left, box.top, box.right, box.bottom) == pytest.approx((72.0, 72.0, 216.0, 115.2), abs=0.01)


def test_a_turned_word_has_the_upright_box_around_it_within_the_page(
    ask: Asker, azure: AzureDouble, image: PageImage
) -> None:
    turned = word("aslant", 0, 0, 0, 0) | {"polygon": [-10, 50, 200, 20, 210, 80, 5, 1200]}
    azure.polls = [succeeded(analysis(words=[turned]))]

    box = ask(image).words[0].box

    assert (box.left, box.top, box.right, box.bottom) == (0.0, 14.4, 151.2, 792.0)


def test_a_blank_page_holds_nothing(ask: Asker, azure: AzureDouble, image: PageImage) -> None:
    blank = analysis(words=[], lines=[]) | {"languages": [], "content": ""}
    azure.polls = [succeeded(blank)]

    result = ask(image, OCRRequest(languages=("de", "en")))

    assert (result.extracted_text, result.words, result.confidence, result.language) == ("", (), 0.0, "de")


def test_words_without_lines_are_text_and_blank_ones_are_none(ask: Asker, azure: AzureDouble, image: PageImage) -> None:
    words = [word("Only", 1, 1, 2, 2), word(" ", 3, 1, 4, 2), word("words", 5, 1, 6, 2)]
    azure.polls = [succeeded(analysis(words=words, lines=[]))]

    assert ask(image).extracted_text == "Only\nwords"


def test_the_service_says_when_to_ask_again(ask: Asker, azure: AzureDouble, image: PageImage) -> None:
    """Within reason: never at once, never later than in a minute; what is no number of seconds is one second."""
    azure.polls = [
        Reply(200, {"status": "notStarted"}, {"Retry-After": "3"}),
        Reply(200, {"status": "running"}, {"Retry-After": "4000"}),
        Reply(200, {"status": "running"}, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}),
        Reply(200, {"status": "running"}),
        succeeded(),
    ]

    ask(image)

    assert ask.pauses == [0.1, 3.0, 60.0, 1.0, 1.0]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_service_is_asked_again(status: int, ask: Asker, azure: AzureDouble, image: PageImage) -> None:
    azure.begins = [Reply(status, refusal("TooManyRequests"), {"Retry-After": "7"})]
    azure.polls = [Reply(status, None, {"Retry-After": "2"}), succeeded()]

    assert ask(image).extracted_text == "Harbour book\nCafé"
    assert ask.pauses == [7.0, 0.1, 2.0]


def test_a_service_that_stays_busy_is_unavailable_and_says_how_long(
    ask: Asker, azure: AzureDouble, image: PageImage
) -> None:
    azure.begins = [Reply(429, None, {"Retry-After": "9"})] * BUSY_TRIES

    with pytest.raises(ToolUnavailable, match="busy \\(status 429\\)") as caught:
        ask(image)

    assert caught.value.retry is Retry.AUTOMATIC
    assert "9 seconds" in caught.value.remedy
    assert azure.methods() == ["POST"] * BUSY_TRIES


@pytest.mark.parametrize(
    ("reply", "error", "said"),
    [
        (Reply(401, refusal("401")), AuthUnavailable, "rejected the API key"),
        (Reply(403, refusal("Forbidden")), AuthUnavailable, "rejected the API key"),
        (Reply(404, refusal("404")), ToolUnavailable, "no Document Intelligence at this address"),
        (Reply(400, refusal("InvalidRequest", "InvalidContent")), OcrFailed, "cannot read.*InvalidContent"),
        (Reply(400, refusal("InvalidRequest", "InvalidContentLength")), ContentTooLarge, "too large"),
        (Reply(400, refusal("InvalidRequest", "InvalidContentDimensions")), ContentTooLarge, "too large"),
        (Reply(413), ContentTooLarge, "too large"),
        (Reply(400, refusal("InvalidArgument")), ToolUnavailable, "status 400: InvalidArgument"),
        (Reply(400, refusal("a sentence, no code")), ToolUnavailable, "status 400\\)"),
        (Reply(200, {}), ToolUnavailable, "status 200"),
        (Reply(418, b"<html>a proxy</html>"), ToolUnavailable, "status 418"),
        (Reply(202), ToolUnavailable, "no URL of the result"),
    ],
)
def test_a_refusal_is_a_typed_error(
    reply: Reply, error: type[OctavoError], said: str, ask: Asker, azure: AzureDouble, image: PageImage
) -> None:
    """Messages contain only error codes of the service: its sentences may quote the page."""
    azure.begins = [reply]

    with pytest.raises(error, match=said) as caught:
        ask(image)

    assert type(caught.value) is error
    assert caught.value.plugin == "azure"
    assert "secret sentence" not in str(caught.value)
    assert KEY not in f"{caught.value!r} {caught.value} {caught.value.__cause__}"
    assert azure.methods() == ["POST"]


def test_a_rejected_key_names_the_settings(ask: Asker, azure: AzureDouble, image: PageImage) -> None:
    azure.begins = [Reply(401)]

    with pytest.raises(AuthUnavailable) as caught:
        ask(image)

    assert "ocr.service_key" in caught.value.remedy


@pytest.mark.parametrize(
    ("poll", "error", "said"),
    [
        (Reply(200, {"status": "failed", "error": {"code": "InternalServerError"}}), ToolUnavailable, "InternalServer"),
        (Reply(200, {"status": "canceled"}), ToolUnavailable, "canceled"),
        (
            Reply(200, {"status": "failed", "error": {"code": "X", "details": [{"code": "InvalidContent"}]}}),
            OcrFailed,
            "X, InvalidContent",
        ),
        (Reply(200, {"status": "succeeded"}), ToolUnavailable, "without a result"),
        (Reply(200, {"status": "asleep"}), ToolUnavailable, "does not match the API: status"),
        (Reply(200, b"[" * 100_000), ToolUnavailable, "does not match the API: the whole"),
        (Reply(200, b"\xff"), ToolUnavailable, "does not match the API"),
        (Reply(404), ToolUnavailable, "status 404"),
        (succeeded(analysis() | {"pages": []}), ToolUnavailable, "returned 0 pages"),
        (succeeded(analysis(words=[{"content": "x"}])), ToolUnavailable, "pages.0.words.0"),
        (succeeded(analysis(words=[word("x", 1, 1, 2, 2, confidence=1.5)])), ToolUnavailable, "confidence"),
        (succeeded(analysis(width=0)), ToolUnavailable, "width"),
        (succeeded(analysis(words=[word("x", 1, 1, float("inf"), 2)])), ToolUnavailable, "does not match the API"),
    ],
)
def test_work_that_fails_is_a_typed_error_and_leaves_nothing_there(
    poll: Reply, error: type[OctavoError], said: str, ask: Asker, azure: AzureDouble, image: PageImage
) -> None:
    azure.polls = [poll]

    with pytest.raises(error, match=said) as caught:
        ask(image)

    assert type(caught.value) is error
    assert azure.methods() == ["POST", "GET", "DELETE"]


@pytest.mark.parametrize(
    "place",
    [
        "https://elsewhere.example/documentintelligence/x",
        "http://127.0.0.2:{port}/x",
        "http://127.0.0.1:1/x",
        "https://127.0.0.1:{port}/x",
        "//127.0.0.1:{port}/x",
        "/documentintelligence/x",
        "http://127.0.0.1:{port}:9/x",
        "http://[::1/x",
    ],
)
def test_a_result_elsewhere_is_not_asked_for(place: str, ask: Asker, azure: AzureDouble, image: PageImage) -> None:
    """The key would go there."""
    azure.begins = [Reply(202, None, {"Operation-Location": place.format(port=azure.port)})]

    with pytest.raises(PolicyRefused, match="another host"):
        ask(image)

    assert azure.methods() == ["POST"]


def test_an_answer_that_is_too_long_is_not_read(ask: Asker, azure: AzureDouble, image: PageImage) -> None:
    azure.begins = [Reply(400, b"x" * 1_000_001)]

    with pytest.raises(ContentTooLarge):
        ask(image)


def test_a_picture_that_is_too_large_is_not_sent(ask: Asker, azure: AzureDouble, image: PageImage) -> None:
    with pytest.raises(ContentTooLarge, match="50,000,001 bytes"):
        ask(image.model_copy(update={"png": b"x" * 50_000_001}))

    assert azure.asked == []


def test_an_option_that_does_not_exist_is_refused(ask: Asker, azure: AzureDouble, image: PageImage) -> None:
    with pytest.raises(UsageError, match="no option 'model'"):
        ask(image, OCRRequest(options={"model": "prebuilt-layout"}))

    assert azure.asked == []


def test_a_result_that_can_not_be_deleted_is_a_result(ask: Asker, azure: AzureDouble, image: PageImage) -> None:
    azure.deleted = Reply(403)

    assert ask(image).extracted_text == "Harbour book\nCafé"


def test_a_way_that_is_not_allowed_is_said(ask: Asker, azure: AzureDouble, image: PageImage) -> None:
    with pytest.raises(PolicyRefused):
        ask(image, fetcher=GuardedFetcher(EgressPolicy()))

    assert azure.asked == []


def test_waiting_ends_when_the_host_says_so(ask: Asker, azure: AzureDouble, image: PageImage) -> None:
    """What the host raises from a pause goes through, and the result is deleted as far as the host lets it."""
    azure.polls = [RUNNING]

    def pause(seconds: float) -> None:
        if len(azure.asked) > 3:
            raise OctavoError("enough")

    with pytest.raises(OctavoError, match="enough"):
        ask(image, pause=pause)

    assert azure.methods()[-1] == "DELETE"


def test_importing_the_plugin_loads_no_client() -> None:
    code = (
        "import sys, octavo_azure.plugin\n"
        "assert not {'octavo_azure.client', 'http.client', 'ssl', 'octavo'} & set(sys.modules), sorted(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
