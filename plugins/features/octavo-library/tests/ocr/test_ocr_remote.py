"""Recognisers across the network: who is asked for a document, and what a service is given; plugins written on the spot."""

from __future__ import annotations

import io
import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from octavo.conversion.ocr.engines import engines_for
from octavo.conversion.ocr.remote import check_owners
from octavo.documents.source import Source
from octavo.plugins import load_catalogue
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrOptions, OcrSettings
from octavo.settings.settings import Settings
from octavo_contracts import ContractViolation, OctavoError, PolicyRefused, UsageError
from octavo_library.facade.recognition.on_request import recognise_source
from octavo_library.facade.recognition.recognised import RecognitionResult
from octavo_sandbox import Cancelled
from octavo_sandbox.egress import CloudRequest, cloud_refusal
from PIL import Image

RESULT = """\
from datetime import datetime, timezone
from octavo_contracts import BoundingBox, OCRResult, OCRWord, UsageError, hookimpl

def result(text, name):
    word = OCRWord(text=text, box=BoundingBox(left=1, top=1, right=2, bottom=2), confidence={confidence})
    return OCRResult(
        page_number=9, page_fingerprint="0" * 64, extracted_text=text, words=(word,), confidence={confidence},
        method=name, processed_at=datetime.now(timezone.utc), tool_version="1",
    )
"""
NEAR = """
@hookimpl
def ocr(image):
    return result("nearby", "nearby")
"""
FAR = """
class Far:
    def recognise(self, image, request, *, base_url, key, fetcher, pause):
        pause(0)
        return {answer}

def make():
    return Far()
"""
CONVERTER = """\
from octavo_contracts import Conversion, Page, hookimpl

@hookimpl
def convert(source):
    return Conversion(pages=(Page(number=1, markdown="", text="", width=100, height=100),), paginated=True)
"""
MANIFEST = """\
[plugin]
name = "{name}"
contract = "1.0"
description = "A plugin of the tests."
capabilities = ["network"]
[plugin.engine]
licence = "Apache-2.0"
[plugin.services]
remote_recogniser = "octavo_{name}.plugin:make"
"""
RAISED = ("KeyError('lost')", "OSError('gone')", "UsageError('no page')", "SystemExit(3)")
FILE = (CloudRequest(user_enabled=True, source_outbound=True),)


@pytest.fixture(scope="module", autouse=True)
def _plugins(make_lasting_plugin: Any) -> None:
    """`nearby` is unsure and recognises here; `far` is sure, and `odd` answers with what is no result."""
    make_lasting_plugin("picture", CONVERTER, media_types=["image/png"])
    make_lasting_plugin("nearby", RESULT.format(confidence=0.5) + NEAR, hooks=["ocr"])
    for number, raised in enumerate(RAISED):
        code = f"from octavo_contracts import *\n\n@hookimpl\ndef ocr(image):\n    raise {raised}\n"
        make_lasting_plugin(f"breaks{number}", code, hooks=["ocr"])
    answers = {
        "far": 'result("fromafar", "far")',
        "odd": "{}",
        "broken": "{}['the key']",
        "wrong": "(_ for _ in ()).throw(UsageError('a page is no page'))",
        "waiting": "fetcher.fetch(base_url, timeout=60.0)",
        "full": "open('/no/such/place/at/all')",
    }
    for name, answer in answers.items():
        code = RESULT.format(confidence=0.95) + FAR.replace("{answer}", answer)
        make_lasting_plugin(name, code, manifest=MANIFEST.format(name=name))


@pytest.fixture
def read() -> Iterator[Callable[..., RecognitionResult]]:
    """`read(FILE, "nearby", "far")`: recognise a picture, whose owners say this, by the engines in this order."""
    picture = Image.new("L", (60, 60), 255)
    picture.paste(0, (10, 10, 30, 30))
    out = io.BytesIO()
    picture.save(out, "PNG")
    made: list[Runtime] = []

    def run(owners: tuple[CloudRequest, ...], *engines: str, named: str | None = None, **ocr: Any) -> RecognitionResult:
        known = {"engines": engines or None, "cloud": True, "service": "http://localhost:9", "service_key": "k"} | ocr
        made.append(Runtime(Settings(workers=1, ocr=OcrSettings(**known))))
        with Source.from_bytes(out.getvalue(), name="page.png") as source:
            return recognise_source(made[-1], source, OcrOptions(engine=named), owners=lambda: owners)

    yield run
    for runtime in made:
        runtime.close()


@pytest.mark.parametrize("deployment", [False, True])
def test_everybody_who_is_asked_has_to_let_it_out(deployment: bool) -> None:
    """CNV-15: the gate's own table, for two owners, and with the switch of the deployment before it."""
    cases = [
        CloudRequest(user_enabled=enabled, visibility=visibility, corpus_tags=(tag,), source_outbound=outbound)
        for enabled, outbound, visibility, tag in itertools.product(
            (False, True), (False, True), ("ambient", "cloud_allowed", "firewalled"), ("normal", "privileged")
        )
    ]
    settings = OcrSettings(cloud=deployment)
    let_out = 0

    for owners in itertools.product(cases, repeat=2):
        allowed = deployment and all(cloud_refusal(owner) is None for owner in owners)
        try:
            check_owners(lambda owners=owners: owners, settings, service="far")  # type: ignore[misc]  # bound now
        except PolicyRefused:
            assert not allowed, owners
        else:
            assert allowed, owners
            let_out += 1

    assert let_out == (4 if deployment else 0)


@pytest.mark.parametrize("owners", [None, lambda: ()])
def test_where_nobody_is_asked_nothing_goes_out(owners: Any) -> None:
    with pytest.raises(PolicyRefused, match="its source does not allow cloud services"):
        check_owners(owners, OcrSettings(cloud=True), service="far")


def test_without_an_order_only_those_of_this_machine_are_asked() -> None:
    catalogue = load_catalogue()

    by_default = {plugin.name for plugin in engines_for(catalogue, OcrSettings(), OcrOptions())}
    in_order = engines_for(catalogue, OcrSettings(engines=("far", "nearby", "missing")), OcrOptions())

    assert "nearby" in by_default
    assert not {"far", "odd", "broken"} & by_default
    assert [plugin.name for plugin in in_order] == ["far", "nearby"]
    with pytest.raises(UsageError, match="does not recognise") as caught:
        engines_for(catalogue, OcrSettings(), OcrOptions(engine="picture"))
    assert "far" in caught.value.remedy


def test_it_is_asked_where_the_first_engine_is_unsure(read: Callable[..., RecognitionResult]) -> None:
    done = read(FILE, "nearby", "far")

    (result,) = done.results
    assert (result.extracted_text, result.page_number) == ("fromafar", 1)
    assert result.page_fingerprint != "0" * 64
    assert [(attempt.plugin, attempt.outcome) for attempt in done.recognition.attempts] == [
        ("nearby", "ok"),
        ("far", "ok"),
    ]


def test_where_it_is_refused_the_others_read_and_the_report_says_why(read: Callable[..., RecognitionResult]) -> None:
    done = read((CloudRequest(),), "far", "nearby")

    assert [result.extracted_text for result in done.results] == ["nearby"]
    assert [(attempt.plugin, attempt.reason_code) for attempt in done.recognition.attempts] == [
        ("far", "policy_refused"),
        ("nearby", None),
    ]


def test_where_it_is_not_configured_the_others_read(read: Callable[..., RecognitionResult]) -> None:
    done = read(FILE, "far", "nearby", service_key=None)

    assert [result.extracted_text for result in done.results] == ["nearby"]
    assert done.recognition.attempts[0].reason_code == "tool_unavailable"


def test_an_answer_that_is_no_result_is_the_plugins_fault(read: Callable[..., RecognitionResult]) -> None:
    done = read(FILE, named="odd")

    assert done.recognition.unread == {1: "odd: the remote_recogniser returned a dict; expected OCRResult"}
    assert done.recognition.attempts[0].reason_code == ContractViolation.reason


@pytest.mark.parametrize(
    ("engine", "reason", "said"),
    [
        ("broken", "converter_crashed", "broken: remote_recogniser raised KeyError: 'the key'"),
        ("full", "converter_crashed", "full: remote_recogniser raised FileNotFoundError"),
        ("wrong", "doc25_contract_violation", "wrong: the remote_recogniser raised UsageError: a page is no page"),
    ],
)
def test_whatever_a_remote_recogniser_raises_is_a_failure_of_its_page(
    read: Callable[..., RecognitionResult], engine: str, reason: str, said: str
) -> None:
    """It runs in the host: an error that nobody expects would end the run of thousands of documents."""
    alone = read(FILE, named=engine)
    followed = read(FILE, engine, "nearby")

    assert alone.recognition.unread[1].startswith(said)
    assert [(one.plugin, one.outcome, one.reason_code) for one in alone.recognition.attempts] == [
        (engine, "failed", reason)
    ]
    assert [result.extracted_text for result in followed.results] == ["nearby"]
    assert [one.plugin for one in followed.recognition.attempts] == [engine, "nearby"]


@pytest.mark.parametrize("number", range(len(RAISED)), ids=RAISED)
def test_whatever_a_recogniser_of_this_machine_raises_is_a_failure_of_its_page(
    read: Callable[..., RecognitionResult], number: int
) -> None:
    engine = f"breaks{number}"

    done = read(FILE, engine, "nearby")

    assert [result.extracted_text for result in done.results] == ["nearby"]
    assert {one.plugin for one in done.recognition.attempts if one.outcome == "failed" and one.reason_code} == {engine}


@pytest.mark.parametrize("how", ["runtime", "caller"])
def test_a_service_that_does_not_answer_is_left_when_nobody_waits_for_it(how: str) -> None:
    """A page may take minutes; whoever cancels or closes is done within a moment."""
    picture = io.BytesIO()
    shape = Image.new("L", (60, 60), 255)
    shape.paste(0, (10, 10, 30, 30))
    shape.save(picture, "PNG")
    cancel = threading.Event()
    ended: list[BaseException] = []
    with socket.create_server(("127.0.0.1", 0)) as server, Source.from_bytes(picture.getvalue(), name="a.png") as page:
        address = f"http://localhost:{server.getsockname()[1]}"
        settings = OcrSettings(engines=("waiting",), cloud=True, service=address, service_key="k")
        runtime = Runtime(Settings(workers=1, ocr=settings))

        def recognise() -> None:
            try:
                recognise_source(runtime, page, OcrOptions(), cancel=cancel, owners=lambda: FILE)
            except OctavoError as error:
                ended.append(error)

        thread = threading.Thread(target=recognise, daemon=True)
        thread.start()
        server.settimeout(60)
        asked, _ = server.accept()
        with asked:
            started = time.monotonic()
            if how == "caller":
                cancel.set()
            else:
                runtime.close()
            thread.join(20)
            assert time.monotonic() - started < 5.0
        runtime.close()
    assert [type(error) for error in ended] == [Cancelled]
