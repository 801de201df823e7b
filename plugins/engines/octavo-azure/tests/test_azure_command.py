"""Azure and the cloud gate (CNV-15) at the command line: files, files whose bytes a library holds, and what is written down."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from azure_double import KEY, AzureDouble
from octavo.settings.ocr import OcrSettings
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_contracts import ExitCode
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings

CLOUD = CorpusSettings(visibility="cloud_allowed", cloud=True)
UNREAD = Settings(workers=1, ocr=OcrSettings(automatic=False))
"""Of a library in which no local recogniser reads first what comes in: its model takes seconds to load."""


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
