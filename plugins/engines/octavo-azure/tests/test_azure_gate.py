"""Azure and the cloud gate (CNV-15), through the library, the command line and the cascade."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from azure_double import KEY, RUNNING, AzureDouble, Reply
from octavo import convert
from octavo.conversion.ocr.remote import PageCall, RemoteEngine
from octavo.documents.source import Source
from octavo.plugins import load_catalogue
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrOptions, OcrSettings
from octavo.settings.settings import Settings
from octavo_contracts import (
    ConversionTimeout,
    OCRRequest,
    PageImage,
    PolicyRefused,
    ToolUnavailable,
    UsageError,
)
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.facade.recognition.on_request import recognise_document, recognise_source
from octavo_library.facade.recognition.recognised import RecognitionResult
from octavo_sandbox import Cancelled

AZURE = OcrOptions(engine="azure")
CLOUD = CorpusSettings(visibility="cloud_allowed", cloud=True)


@pytest.fixture
def made() -> Iterator[Callable[..., Runtime]]:
    """`made(azure, cloud=False)`: a runtime that knows the double, with settings of recognition that differ."""
    runtimes: list[Runtime] = []

    def make(azure: AzureDouble, **ocr: Any) -> Runtime:
        known = {"cloud": True, "service": azure.url, "service_key": KEY, "dpi": 100} | ocr
        runtime = Runtime(Settings(workers=1, ocr=OcrSettings(**known)))
        runtimes.append(runtime)
        return runtime

    yield make
    for runtime in runtimes:
        runtime.close()


def read_file(runtime: Runtime, path: Path, options: OcrOptions = AZURE) -> RecognitionResult:
    with Source.from_path(path) as source:
        return recognise_source(runtime, source, options)


# -- a file of no library ------------------------------------------------------------------------------------------


def test_a_file_that_is_named_with_the_engine_is_read(azure: AzureDouble, made: Any, letter: Path) -> None:
    done = read_file(made(azure), letter)

    assert [result.extracted_text for result in done.results] == ["Harbour book\nCafé"]
    assert [(attempt.plugin, attempt.hook, attempt.outcome) for attempt in done.recognition.attempts] == [
        ("azure", "ocr", "ok")
    ]
    assert [request.key for request in azure.asked] == [KEY] * 4


def test_as_shipped_nothing_is_sent_and_the_refusal_is_logged(
    azure: AzureDouble, made: Any, letter: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="octavo.egress"), pytest.raises(PolicyRefused) as caught:
        read_file(made(azure, cloud=False), letter)

    assert "cloud services are disabled" in caught.value.message
    assert "ocr.cloud" in caught.value.remedy
    assert caught.value.plugin == "azure"
    assert "egress.refused service=the recogniser azure reason=cloud services are disabled" in caplog.text
    assert azure.asked == []


def test_nobody_is_asked_by_default(azure: AzureDouble, made: Any, letter: Path) -> None:
    """OCR-1: installed, allowed and configured, it is still taken by those alone who name it."""
    runtime = made(azure)
    with Source.from_path(letter) as source:
        recognise_source(runtime, source, OcrOptions())
    convert(letter, runtime=runtime)

    assert azure.asked == []


def test_a_file_is_not_shown_for_standing_in_the_order(azure: AzureDouble, made: Any, letter: Path) -> None:
    """Nobody named the engine for this file."""
    done = read_file(made(azure, engines=("azure",)), letter, OcrOptions())
    converted = convert(letter, runtime=made(azure, engines=("azure",)))

    (attempt,) = done.recognition.attempts
    assert (attempt.outcome, attempt.reason_code) == ("failed", "policy_refused")
    assert "its source does not allow cloud services" in attempt.details
    assert done.recognition.unread == {1: f"azure: {attempt.details}"}
    assert [one.reason_code for one in converted.result.attempts if one.plugin == "azure"] == ["policy_refused"]
    assert azure.asked == []


# -- a document of a library ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("corpora", "heard"),
    [
        ((CLOUD,), True),
        ((CorpusSettings(cloud=True),), True),
        ((CLOUD, CorpusSettings(cloud=True)), True),
        ((), False),
        ((CorpusSettings(),), False),
        ((CorpusSettings(visibility="cloud_allowed"),), False),
        ((CorpusSettings(visibility="firewalled"),), False),
        ((CorpusSettings(sensitivity="privileged"),), False),
        ((CorpusSettings(sensitivity="local_only"),), False),
        ((CLOUD, CorpusSettings(sensitivity="privileged")), False),
        ((CLOUD, CorpusSettings()), False),
    ],
)
def test_every_corpus_of_a_document_has_to_allow_it(
    corpora: tuple[CorpusSettings, ...], heard: bool, azure: AzureDouble, made: Any, letter: Path, tmp_path: Path
) -> None:
    """The truth table itself is tested beside the gate; here stands who is asked for a document."""
    with Library.open(tmp_path / "library", runtime=made(azure, automatic=False)) as library:
        for number, settings in enumerate(corpora):
            library.corpora.create(f"corpus {number}", settings)
        names = [f"corpus {number}" for number in range(len(corpora))] or [None]
        ids = [library.ingest(letter, corpus=name).document_id for name in names]
        document = library.document(ids[0])
        if not heard:
            with pytest.raises(PolicyRefused):
                recognise_document(document, AZURE)
            with pytest.raises(PolicyRefused):
                document.reconvert(ocr=AZURE)
            assert azure.asked == []
            assert document.markdown == library.document(ids[0]).markdown
            return
        done = recognise_document(document, AZURE)
        assert done.version is not None
        assert "Harbour book" in library.document(ids[0]).canonical_text
        assert azure.methods() == ["POST", "GET", "GET", "DELETE"]


def test_a_page_is_sent_once(azure: AzureDouble, made: Any, letter: Path, tmp_path: Path) -> None:
    """OCR-3: what was read is kept; only who asks again has it read again."""
    with Library.open(tmp_path / "library", runtime=made(azure, automatic=False)) as library:
        library.corpora.create("cloud", CLOUD)
        document = library.document(library.ingest(letter, corpus="cloud").document_id)
        recognise_document(document, AZURE)
        recognise_document(document, AZURE)
        assert azure.methods().count("POST") == 1

        recognise_document(document, OcrOptions(engine="azure", again=True))
        assert azure.methods().count("POST") == 2


@pytest.mark.parametrize(("corpus", "heard"), [("cloud", True), ("files", False), (None, False)])
def test_in_the_order_of_the_settings_it_reads_what_comes_in_where_the_corpus_allows_it(
    corpus: str | None, heard: bool, azure: AzureDouble, made: Any, letter: Path, tmp_path: Path
) -> None:
    with Library.open(tmp_path / "library", runtime=made(azure, engines=("azure",))) as library:
        library.corpora.create("cloud", CLOUD)
        library.corpora.create("files", CorpusSettings())
        done = library.ingest(letter, corpus=corpus)

        assert ("Harbour book" in library.document(done.document_id).canonical_text) is heard
        assert ("ocr_needed" in done.result.quality_report.degraded_flags) is not heard
    assert bool(azure.asked) is heard


def test_a_document_that_joins_a_second_corpus_is_still_its_first_ones(
    azure: AzureDouble, made: Any, letter: Path, tmp_path: Path
) -> None:
    """What is converted again for a corpus that allows it is not sent while another corpus does not."""
    with Library.open(tmp_path / "library", runtime=made(azure, engines=("azure",))) as library:
        library.corpora.create("sealed", CorpusSettings(sensitivity="privileged"))
        library.corpora.create("cloud", CLOUD)
        library.ingest(letter, corpus="sealed")
        library.ingest(letter, corpus="cloud")
        (document,) = library.documents()
        document.reconvert()

    assert azure.asked == []


def test_sealing_a_corpus_applies_to_a_running_run(azure: AzureDouble, made: Any, letter: Path, tmp_path: Path) -> None:
    """A watched folder is processed for days with the request of its start."""
    with Library.open(tmp_path / "library", runtime=made(azure, engines=("azure",))) as library:
        library.corpora.create("cloud", CLOUD)

        def paths() -> Iterator[Path]:
            library.corpora.update("cloud", CorpusSettings(sensitivity="privileged"))
            yield letter

        (done,) = library.ingest_many(paths(), corpus="cloud")
        assert done.document_id is not None

    assert azure.asked == []


# -- what is missing, late or cancelled ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"service": None}, ToolUnavailable, "ocr.service"),
        ({"service_key": None}, ToolUnavailable, "OCTAVO_OCR__SERVICE_KEY"),
        ({"service_key": "  "}, ToolUnavailable, "OCTAVO_OCR__SERVICE_KEY"),
        ({"service_key": f"{KEY}\r\nX: y"}, UsageError, "ocr.service_key is not a key"),
        ({"service": "http://name.cognitiveservices.azure.com"}, UsageError, "unencrypted"),
        ({"service": "ftp://name.example"}, UsageError, "not the URL of a server"),
        ({"service": "https://name.example:x"}, UsageError, "not the URL of a server"),
        ({"service": "name.cognitiveservices.azure.com"}, UsageError, "not the URL of a server"),
    ],
)
def test_a_setting_that_is_missing_or_wrong_is_named(
    settings: dict[str, Any], error: type[Exception], said: str, azure: AzureDouble, made: Any, letter: Path
) -> None:
    with pytest.raises(error) as caught:
        read_file(made(azure, **settings), letter)

    assert said in str(caught.value)
    assert KEY not in f"{caught.value} {caught.value!r}"
    assert azure.asked == []


def engine(azure: AzureDouble, **settings: Any) -> RemoteEngine:
    known = OcrSettings(cloud=True, service=azure.url, service_key=KEY, **settings)  # type: ignore[arg-type]  # wrapped when it is made
    return RemoteEngine(load_catalogue().get("azure"), known)


def test_the_pages_time_ends_the_waiting(azure: AzureDouble, image: PageImage) -> None:
    """The service says that it needs a minute; the page has a second."""
    azure.polls = [Reply(200, {"status": "running"}, {"Retry-After": "60"})]
    attempts: list[Any] = []

    with pytest.raises(ConversionTimeout, match="within 1 s"):
        engine(azure).read(PageCall(image=image, request=OCRRequest(), seconds=1.0), attempts)

    assert [(attempt.plugin, attempt.reason_code) for attempt in attempts] == [("azure", "conversion_timeout")]


def test_a_service_that_never_ends_is_not_waited_for(azure: AzureDouble, image: PageImage) -> None:
    azure.polls = [RUNNING]

    with pytest.raises(ConversionTimeout, match=r"within 0\.5 s"):
        engine(azure).read(PageCall(image=image, request=OCRRequest(), seconds=0.5), [])
    assert azure.methods()[-1] == "DELETE"


def test_a_caller_who_cancels_is_heard_while_the_service_works(azure: AzureDouble, image: PageImage) -> None:
    azure.polls = [Reply(200, {"status": "running"}, {"Retry-After": "30"})]
    cancel = threading.Event()

    def cancel_once_it_works() -> None:
        while len(azure.methods()) < 2:  # the page was sent, and asked for
            time.sleep(0.05)
        cancel.set()

    caller = threading.Thread(target=cancel_once_it_works)
    caller.start()

    with pytest.raises(Cancelled):
        engine(azure).read(PageCall(image=image, request=OCRRequest(), seconds=60.0, cancel=cancel), [])

    caller.join()
    assert azure.methods()[-1] == "DELETE"


def test_a_page_that_may_not_go_out_says_so_and_not_that_nobody_reads(
    azure: AzureDouble, made: Any, tmp_path: Path
) -> None:
    """Where the order names no other, too."""
    from PIL import Image

    path = tmp_path / "one.png"
    Image.new("L", (400, 300), 200).save(path)
    done = read_file(made(azure, cloud=False, engines=("azure",)), path, OcrOptions())
    assert "cloud services are disabled" in done.recognition.unread[1]
    assert azure.asked == []


def test_a_page_that_fails_is_unread_and_the_others_are_read(azure: AzureDouble, made: Any, tmp_path: Path) -> None:
    from PIL import Image

    path = tmp_path / "two.tif"
    sheets = [Image.new("L", (400, 300), shade) for shade in (200, 220)]
    for sheet in sheets:
        sheet.paste(0, (50, 50, 200, 90))
    sheets[0].save(path, save_all=True, append_images=sheets[1:])
    azure.begins = [Reply(400, {"error": {"code": "InvalidRequest", "innererror": {"code": "InvalidContent"}}})]

    done = read_file(made(azure, at_once=1), path)

    assert list(done.recognition.unread) == [1]
    assert "InvalidContent" in done.recognition.unread[1]
    assert list(done.recognition.with_text) == [2]
    assert [attempt.reason_code for attempt in done.recognition.attempts] == ["ocr_failed", None]


# -- the key -------------------------------------------------------------------------------------------------------


def test_the_key_is_nowhere_to_be_read(
    azure: AzureDouble, made: Any, letter: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, octavo: Any
) -> None:
    """Not in settings as they are shown, nor in anything that a library writes down, nor in a log."""
    runtime = made(azure)
    with caplog.at_level(logging.DEBUG), Library.open(tmp_path / "library", runtime=runtime) as library:
        library.corpora.create("cloud", CLOUD)
        document = library.document(library.ingest(letter, corpus="cloud").document_id)
        recognise_document(document, AZURE)
        azure.begins = [Reply(401)]
        failed = recognise_document(document, OcrOptions(engine="azure", again=True))

    assert failed.recognition.unread
    assert KEY not in f"{runtime.settings!r} {failed!r} {caplog.text}"
    written = [path for path in (tmp_path / "library").rglob("*") if path.is_file()]
    assert len(written) > 5
    assert not [path.name for path in written if KEY.encode() in path.read_bytes()]
