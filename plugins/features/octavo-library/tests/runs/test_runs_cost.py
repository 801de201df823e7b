"""Pages that a paid service reads cost money: the cost is recorded, and a run above its corpus's limit stops (ENG-24)."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from octavo.settings.ocr import OcrOptions, OcrSettings
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_contracts import ExitCode, HardFailReason, PolicyRefused, UsageError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.facade.recognition.on_request import recognise_document
from PIL import Image

CONVERTER = """\
from octavo_contracts import Conversion, Page, hookimpl

@hookimpl
def convert(source):
    return Conversion(pages=(Page(number=1, markdown="", text="", width=100, height=100),), paginated=True)
"""
SERVICE = """\
from datetime import datetime, timezone
from octavo_contracts import BoundingBox, OCRResult, OCRWord

class Far:
    def recognise(self, image, request, *, base_url, key, fetcher, pause):
        word = OCRWord(text="tide", box=BoundingBox(left=1, top=1, right=2, bottom=2), confidence=0.95)
        return OCRResult(
            page_number=1, page_fingerprint="0" * 64, extracted_text="tide", words=(word,), confidence=0.95,
            method="far", processed_at=datetime.now(timezone.utc), tool_version="1",
        )

def make():
    return Far()
"""
MANIFEST = """\
[plugin]
name = "far"
contract = "1.0"
description = "A plugin of the tests."
capabilities = ["network"]
[plugin.engine]
licence = "Apache-2.0"
[plugin.services]
remote_recogniser = "octavo_far.plugin:make"
"""


@pytest.fixture
def scans(tmp_path: Path, make_plugin) -> Path:
    """Eight pictures that only a service across the network can read."""
    make_plugin("picture", CONVERTER, media_types=["image/png"])
    make_plugin("far", SERVICE, manifest=MANIFEST)
    folder = tmp_path / "scans"
    folder.mkdir()
    for number in range(8):
        picture = Image.new("L", (60, 60), 255)
        picture.paste(0, (10, 10, 30 + number, 30))
        out = io.BytesIO()
        picture.save(out, "PNG")
        (folder / f"{number}.png").write_bytes(out.getvalue())
    return folder


def settings(**ocr: object) -> Settings:
    known = {"engines": ("far",), "cloud": True, "service": "http://localhost:9", "service_key": "k"}
    return Settings(workers=1, ocr=OcrSettings(**{**known, "service_price": 0.25, **ocr}))


def test_the_cost_of_a_page_is_in_the_log_and_in_the_band_of_the_run(scans, tmp_path):
    """ENG-16, ENG-27: the log of a document has the cost of its paid calls; a known document costs nothing."""
    with Library.open(tmp_path / "lib", settings=settings()) as library:
        library.corpora.create("scans", CorpusSettings(cloud=True))
        [first] = library.ingest_many([scans / "0.png"], corpus="scans", plugin="picture")
        assert first.document.canonical_text.strip() == "tide"
        run = library.runs.get("last")
        assert (run.cost.low, run.cost.high) == (0.25, 0.25)
        list(library.ingest_many([scans / "0.png"], corpus="scans", plugin="picture"))
        again = library.runs.get("last")
        assert (again.cost.low, again.cost.high) == (0.0, 0.0)
    [log] = (tmp_path / "lib" / "by_hash").glob("*/processing_log.json")
    steps = [step for step in json.loads(log.read_text())["jobs"][0]["entries"] if step.get("cost") is not None]
    assert [step["cost"] for step in steps] == [0.25]


def test_a_run_is_estimated_before_its_first_document(scans, tmp_path):
    """ENG-24: eight pages of 0.25 USD are more than 1.60 USD; nothing is sent, and the rate of an earlier run tells the time."""
    with Library.open(tmp_path / "lib", settings=settings()) as library:
        library.corpora.create("scans", CorpusSettings(cloud=True, cost_limit=1.6))
        done = []
        run = library.ingest_many(scans, corpus="scans", plugin="picture", progress=lambda so_far: done.append(so_far))
        with pytest.raises(PolicyRefused) as caught:
            list(run)
        assert (done, library.documents(), library.runs.list()) == ([], [], [])
        assert caught.value.message == (
            "the run of 8 new documents has not begun: it is estimated to cost 2.00 to 2.00 USD, and to take 1 to 80 s; "
            "corpus scans allows 1.60 USD for a run"
        )
        assert "--confirm-cost" in caught.value.remedy
        five = sorted(scans.iterdir())[:5]
        assert len(list(library.ingest_many(five, corpus="scans", plugin="picture"))) == 5, "1.25 USD"
        assert len(list(library.ingest_many(scans, corpus="scans", plugin="picture"))) == 8, "five are known"
        assert len(library.documents()) == 8


def test_the_scanned_pages_of_pdfs_are_counted_before_the_run(tmp_path, scans):
    """ENG-24: the inspection finds seven pages without text."""
    scan = Image.new("L", (600, 800), 200)
    scan.paste(0, (100, 200, 300, 400))
    folder = tmp_path / "pdfs"
    folder.mkdir()
    scan.save(folder / "scan.pdf", save_all=True, append_images=[scan] * 6)
    with Library.open(tmp_path / "lib", settings=settings()) as library:
        library.corpora.create("scans", CorpusSettings(cloud=True, cost_limit=1.7))
        with pytest.raises(
            PolicyRefused, match=r"of 1 new documents has not begun: it is estimated to cost 1\.75 to 1\.75 USD"
        ):
            list(library.ingest_many(folder, corpus="scans"))


def test_a_run_whose_cost_is_unknown_beforehand_stops_with_both_bands(scans, tmp_path):
    """ENG-24: sources that are iterated once are estimated while the run goes on. Eight pages of 0.25 USD are 2 USD; after the fifth it is certain that 1.60 USD are not enough."""
    with Library.open(tmp_path / "lib", settings=settings()) as library:
        library.corpora.create("scans", CorpusSettings(cloud=True, cost_limit=1.6))
        done = []
        run = library.ingest_many(
            iter(sorted(scans.iterdir())),
            corpus="scans",
            plugin="picture",
            progress=lambda so_far: done.append(so_far.done),
            total=8,
        )
        with pytest.raises(PolicyRefused) as caught:
            list(run)
        assert done == [1, 2, 3, 4, 5]
        error = caught.value
        assert error.reason is HardFailReason.POLICY_REFUSED
        assert error.message.startswith("after 5 of 8 documents the run cost 1.25 USD and would go above the limit")
        assert "Estimate of the whole run: 2.00 to 2.00 USD, and " in error.message
        assert "--confirm-cost" in error.remedy
        confirmed = library.ingest_many(scans, corpus="scans", plugin="picture", confirm_cost=True)
        assert {one.result.ingestion_status for one in confirmed} <= {"complete", "degraded_complete"}
        assert len(library.documents()) == 8


def test_a_run_that_cost_more_than_the_limit_stops_at_once(scans, tmp_path):
    """ENG-24: the measured cost alone is enough, before there are documents for an estimate."""
    with Library.open(tmp_path / "lib", settings=settings()) as library:
        library.corpora.create("scans", CorpusSettings(cloud=True, cost_limit=0.3))
        with pytest.raises(
            PolicyRefused, match=r"after 2 of 8 documents the run cost 0\.50 USD; corpus scans allows 0\.30"
        ):
            list(library.ingest_many(iter(sorted(scans.iterdir())), corpus="scans", plugin="picture", total=8))


def test_without_a_price_the_limit_says_that_it_has_no_effect(tmp_path, make_plugin):
    """A limit that cannot hold must not look as if it did."""
    make_plugin("far", SERVICE, manifest=MANIFEST)
    with Library.open(tmp_path / "lib", settings=settings(service_price=None)) as library:
        made = library.corpora.create("scans", CorpusSettings(cost_limit=1))
        told = library.corpora.unsupported(made.settings)
        assert told == ("the price of a page is unknown, so the cost limit has no effect: set ocr.service_price",)
        with pytest.raises(UsageError, match="cost_limit must be a number of US dollars, got -1"):
            library.corpora.create("other", CorpusSettings(cost_limit=-1))


def test_the_command_stops_and_goes_on_when_it_is_confirmed(scans, tmp_path, capfd, monkeypatch):
    """ENG-24: both bands; with --confirm-cost, the same command ingests the rest."""
    from octavo_cli import main

    monkeypatch.chdir(tmp_path)
    for name, value in {
        "ENGINES": "far",
        "CLOUD": "true",
        "SERVICE": "http://localhost:9",
        "SERVICE_KEY": "k",
        "SERVICE_PRICE": "0.25",
    }.items():
        monkeypatch.setenv(f"OCTAVO_OCR__{name}", value)
    assert (
        main(["corpus", "create", "scans", "--cloud", "on", "--cost-limit", "1.6", "--library", "lib"]) == ExitCode.OK
    )
    command = ["ingest", "scans", "--corpus", "scans", "--with", "picture", "--library", "lib"]
    assert main(command) == ExitCode.POLICY_REFUSED
    told = capfd.readouterr()
    assert (
        "the run of 8 new documents has not begun: it is estimated to cost 2.00 to 2.00 USD, and to take " in told.err
    )
    assert "[policy_refused]" in told.err
    assert main([*command, "--confirm-cost"]) == ExitCode.OK
    capfd.readouterr()
    assert main(["corpus", "set", "scans", "--cost-limit", "none", "--library", "lib", "--json"]) == ExitCode.OK
    assert json.loads(capfd.readouterr().out)["corpus"]["settings"]["cost_limit"] is None


def test_recognition_on_request_is_held_by_the_limit_before_its_first_page(scans, tmp_path):
    """ENG-24: the cost of requested recognition is estimated before a page is sent, and goes on where it is confirmed."""
    unread = settings(automatic=False)
    with Library.open(tmp_path / "lib", settings=unread) as library:
        library.corpora.create("scans", CorpusSettings(cloud=True, cost_limit=0.6))
        list(library.ingest_many(sorted(scans.iterdir())[:4], corpus="scans", plugin="picture"))

        done = list(library.recognition.run(options=OcrOptions(engine="far")))

        read = [one for one in done if one.error is None]
        assert len(read) == 2
        refused = [one.error for one in done if one.error is not None]
        assert {error.reason for error in refused} == {HardFailReason.POLICY_REFUSED}
        assert "cost 0.50 USD so far, and up to 0.25 USD for the 1 pages" in refused[0].message
        library.corpora.update("scans", CorpusSettings(cloud=True, cost_limit=0.2))
        [document] = [library.document(one.document_id) for one in done[2:3]]
        with pytest.raises(PolicyRefused, match=r"corpus scans allows 0\.20 USD"):
            recognise_document(document, OcrOptions(engine="far"))
        rest = list(library.recognition.run(options=OcrOptions(engine="far"), confirm_cost=True))
        assert [one.error for one in rest] == [None, None]


def test_the_command_stops_before_a_document_above_the_limit(scans, tmp_path, monkeypatch, capsys):
    """ENG-24: `octavo ocr` says what it would cost, and goes on with --confirm-cost."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "octavo.toml").write_text(
        'library = "lib"\n[ocr]\nautomatic = false\ncloud = true\nservice = "http://localhost:9"\nservice_key = "k"\n'
        "service_price = 0.25\n"
    )
    with Library.open(tmp_path / "lib", settings=settings(automatic=False)) as library:
        library.corpora.create("scans", CorpusSettings(cloud=True, cost_limit=0.1))
        [one] = library.ingest_many([scans / "0.png"], corpus="scans", plugin="picture")

    assert main(["ocr", one.document_id, "--engine", "far"]) == ExitCode.POLICY_REFUSED
    assert "--confirm-cost" in capsys.readouterr().err
    assert main(["ocr", one.document_id, "--engine", "far", "--confirm-cost"]) == ExitCode.OK
    assert "tide" in capsys.readouterr().out
