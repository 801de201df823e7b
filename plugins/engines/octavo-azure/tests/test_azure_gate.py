"""Azure and the cloud gate (CNV-15), through the library, the command line and the cascade."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
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
from octavo_cli import main
from octavo_contracts import (
    ConversionTimeout,
    ExitCode,
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
UNREAD = Settings(workers=1, ocr=OcrSettings(automatic=False))
"""Of a library in which no local recogniser reads first what comes in: its model takes seconds to load."""


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


@pytest.fixture
def letter(tmp_path: Path, png: bytes) -> Path:
    path = tmp_path / "letter.png"
    path.write_bytes(png)
    return path


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


# -- the command line ----------------------------------------------------------------------------------------------


@pytest.fixture
def octavo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], letter: Path
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command line in a folder that holds a letter."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main(arguments)
        return code, *capfd.readouterr()

    return run


def test_the_command_reads_a_file_by_the_engine_that_it_names(
    azure: AzureDouble, octavo: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "octavo.toml").write_text(f'[ocr]\ncloud = true\nservice = "{azure.url}"\n')
    monkeypatch.setenv("OCTAVO_OCR__SERVICE_KEY", KEY)

    code, out, err = octavo("ocr", "letter.png", "--engine", "azure", "--allow-cloud", "--json")

    assert code == ExitCode.OK, err
    (page,) = json.loads(out)["documents"][0]["pages"]
    assert (page["method"], page["tool_version"], page["confidence"]) == ("azure", "2024-11-30 prebuilt-read", 0.86)
    assert all(left["left"] <= right["left"] for left, right in pairwise(word["box"] for word in page["words"][:2]))
    assert KEY not in out + err


def test_the_command_ends_with_the_code_of_a_policy(
    azure: AzureDouble, octavo: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCTAVO_OCR__SERVICE", azure.url)
    monkeypatch.setenv("OCTAVO_OCR__SERVICE_KEY", KEY)

    code, out, err = octavo("ocr", "letter.png", "--engine", "azure")

    assert code == ExitCode.POLICY_REFUSED
    assert out == ""
    assert "cloud services are disabled" in err
    assert azure.asked == []


def test_without_an_address_the_command_says_what_to_set(octavo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_OCR__CLOUD", "true")

    code, _, err = octavo("ocr", "letter.png", "--engine", "azure", "--allow-cloud")

    assert code == ExitCode.TOOL_UNAVAILABLE
    assert "ocr.service" in err


def test_plugins_and_doctor_show_it(octavo: Any) -> None:
    _, out, _ = octavo("plugins", "--no-check", "--json")
    shown = json.loads(out)
    _, examined, _ = octavo("doctor", "--json")

    (plugin,) = [one for one in shown["plugins"] if one["name"] == "azure"]
    assert plugin["capabilities"] == ["network", "words"]
    assert {"kind": "remote_recogniser", "name": "azure"}.items() <= shown["services"][-1].items()
    assert [one["problems"] for one in json.loads(examined)["plugins"] if one["name"] == "azure"] == [[]]


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


def test_settings_show_that_there_is_a_key_and_not_which(octavo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_OCR__SERVICE_KEY", KEY)

    code, out, err = octavo("settings")

    assert code == ExitCode.OK
    assert "ocr.service_key" in out
    assert KEY not in out + err


# -- a file whose bytes a library holds, and what is written down -----------------------------------------------------


@pytest.fixture
def environment(azure: AzureDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_OCR__CLOUD", "true")
    monkeypatch.setenv("OCTAVO_OCR__SERVICE", azure.url)
    monkeypatch.setenv("OCTAVO_OCR__SERVICE_KEY", KEY)
    monkeypatch.setenv("OCTAVO_OCR__DPI", "100")


def rows(library: Path, log: str, *kinds: str) -> list[dict[str, Any]]:
    path = library / "logs" / f"{log}.jsonl"
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []
    return [row for row in read if row.get("action", row.get("event")) in kinds]


SHUT = {
    "privileged": (CorpusSettings(sensitivity="privileged"), "the document is privileged"),
    "local_only": (CorpusSettings(sensitivity="local_only"), "the document is local_only"),
    "firewalled": (CorpusSettings(visibility="firewalled"), "its corpus is firewalled"),
    "off": (CorpusSettings(visibility="cloud_allowed"), "cloud services are disabled"),
}


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("kind", SHUT)
def test_a_path_is_refused_where_a_corpus_that_holds_its_bytes_refuses(
    kind: str, azure: AzureDouble, letter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """CNV-15: by its path, under another name, and although another corpus lets it out."""
    settings, reason = SHUT[kind]
    folder = tmp_path / "library"
    with Library.open(folder, settings=UNREAD) as library:
        library.corpora.create("open", settings=CLOUD)
        library.corpora.create("shut", settings=settings)
        library.ingest(letter, corpus="open")
        document_id = library.ingest(letter, corpus="shut").document_id
    copy = tmp_path / "another name.png"
    copy.write_bytes(letter.read_bytes())

    code = main(["ocr", str(copy), "--engine", "azure", "--library", str(folder), "--allow-cloud"])

    assert code == ExitCode.POLICY_REFUSED
    assert reason in capsys.readouterr().err
    assert azure.asked == []
    (audited,) = rows(folder, "audit", "policy_refused")
    expected = {"document_id": document_id, "surface": "ocr", "service": "the recogniser azure", "reason": reason}
    assert expected.items() <= audited.items()
    (event,) = rows(folder, "events", "cloud_decided")
    assert {**expected, "allowed": False}.items() <= event.items()
    said = "".join(path.read_text(encoding="utf-8") for path in (folder / "logs").iterdir())
    assert "Harbour" not in said
    assert "letter.png" not in said
    assert "another name" not in said


@pytest.mark.usefixtures("environment")
def test_a_path_of_a_document_in_no_corpus_stays_here(azure: AzureDouble, letter: Path, tmp_path: Path) -> None:
    folder = tmp_path / "library"
    with Library.open(folder, settings=UNREAD) as library:
        library.ingest(letter)

    assert main(["ocr", str(letter), "--engine", "azure", "--library", str(folder)]) == ExitCode.POLICY_REFUSED
    assert azure.asked == []


@pytest.mark.usefixtures("environment")
def test_a_path_whose_corpora_let_it_out_is_read_and_the_permission_is_written_down(
    azure: AzureDouble, letter: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "library"
    with Library.open(folder, settings=UNREAD) as library:
        library.corpora.create("open", settings=CLOUD)
        document_id = library.ingest(letter, corpus="open").document_id

    code = main(["ocr", str(letter), "--engine", "azure", "--library", str(folder)])

    assert (code, bool(azure.asked)) == (ExitCode.OK, True)
    (audited,) = rows(folder, "audit", "cloud_used")
    assert {"document_id": document_id, "surface": "ocr", "service": "the recogniser azure"}.items() <= audited.items()


@pytest.mark.usefixtures("environment")
def test_without_a_library_a_path_goes_out_by_leave_alone(
    azure: AzureDouble, letter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["ocr", str(letter), "--engine", "azure", "--library", str(tmp_path / "none")]

    assert main(command) == ExitCode.POLICY_REFUSED
    assert "--allow-cloud" in capsys.readouterr().err
    assert azure.asked == []
    assert main([*command, "--allow-cloud"]) == ExitCode.OK
    assert azure.asked
    assert not (tmp_path / "none").exists()


@pytest.mark.usefixtures("environment")
def test_refusals_of_an_ingestion_are_written_down(azure: AzureDouble, letter: Path, tmp_path: Path) -> None:
    ocr = OcrSettings(cloud=True, service=azure.url, service_key=KEY, dpi=100, engines=("azure",))
    folder = tmp_path / "library"
    with Library.open(folder, settings=Settings(workers=1, ocr=ocr)) as library:
        library.corpora.create("shut", settings=SHUT["privileged"][0])
        library.corpora.create("open", settings=CLOUD)
        shut = library.ingest(letter, corpus="shut").document_id

        assert azure.asked == []
        (audited,) = rows(folder, "audit", "policy_refused")
        assert (audited["document_id"], audited["surface"]) == (shut, "direct_upload")
