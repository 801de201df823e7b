"""Screens and changes of one document: difference, export, deletion, annotations, recognition (UI-1, UI-7)."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from octavo import Settings
from octavo.settings.ocr import OcrSettings
from octavo_dashboard import Access, DashboardOptions
from octavo_library import Library
from starlette.testclient import TestClient
from web_clients import BROWSER, SAMPLES, csrf_of, open_client

SAME = {"sec-fetch-site": "same-origin", "accept": "text/html"}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("documents")
    settings = Settings(sampling=False, workers=1, ocr=OcrSettings(automatic=False))
    with Library.open(folder / "library", settings=settings) as opened:
        yield opened


@pytest.fixture
def program(own: Library) -> Iterator[TestClient]:
    with open_client(own) as client:
        yield client


def ended(client: TestClient, task_id: str) -> dict[str, Any]:
    """Wait for a task."""
    for _ in range(900):
        task: dict[str, Any] = next(one for one in client.get("/activity.json").json()["tasks"] if one["id"] == task_id)
        if not task["is_open"]:
            return task
        time.sleep(0.1)
    raise AssertionError("the task did not end")


@pytest.mark.parametrize("read_only", [False, True])
def test_opening_a_document_recognises_its_unread_pages(read_only: bool, own: Library, tmp_path: Path) -> None:
    """OCR-7: once, in the background; a server that may change nothing leaves them."""
    pytest.importorskip("octavo_tesseract")
    if which("tesseract") is None:
        pytest.skip("the program tesseract is not installed: apt-get install tesseract-ocr")
    with Library.open(tmp_path / "library", settings=own.context.runtime.settings) as library:
        scan = library.ingest(SAMPLES / "logbook-scan.pdf").document
    with Library.open(tmp_path / "library", settings=Settings(sampling=False, workers=1)) as library:
        with open_client(library, DashboardOptions(read_only=read_only)) as client:
            for _ in range(2):
                assert client.get(f"/documents/{scan.id}.json").status_code == 200
            tasks = [one for one in client.get("/activity.json").json()["tasks"] if one["kind"] == "recognise"]
            assert len(tasks) == (0 if read_only else 1)
            for task in tasks:
                assert ended(client, task["id"])["state"] == "finished"
        assert ("LOGBOOK" in library.document(scan.id).canonical_text) is not read_only


def test_two_versions_are_compared_line_by_line_and_page_by_page(program: TestClient, own: Library) -> None:
    """UI-1."""
    report = own.ingest(SAMPLES / "annual-report.pdf", plugin="pdfium").document
    report.reconvert(plugin="pypdf", activate=False)
    view = program.get(f"/documents/{report.id}/difference.json").json()
    assert (view["left"], view["right"], view["left_tool"], view["right_tool"]) == (1, 2, "pdfium", "pypdf")
    assert view["by_page"]
    first, second = own.document(report.id, version=1), own.document(report.id, version=2)
    differing = [n for n in (1, 2, 3) if first.page(n).markdown != second.page(n).markdown]
    assert view["differing"] == differing
    shown = program.get(f"/documents/{report.id}/difference.json?left=1&right=2&page={differing[0]}").json()
    lines = {line.strip() for line in first.page(differing[0]).markdown.splitlines()}
    assert {row["left"].strip() for row in shown["rows"] if row["left"]} <= lines
    same = program.get(f"/documents/{report.id}/difference.json?left=1&right=1").json()
    assert (same["differing"], [row for row in same["rows"] if not row["same"]]) == ([], [])
    for query in ("left=1&right=9", "left=1&right=2&page=99"):
        assert program.get(f"/documents/{report.id}/difference.json?{query}").status_code == 404


def test_an_older_version_of_a_page_is_read_at_its_own_address(program: TestClient, own: Library) -> None:
    note = own.ingest(b"# Tide\n\nHigh water at noon.\n", name="older.md").document
    note.reconvert()
    active = own.document(note.id).active_version
    url = f"/documents/{note.id}/pages/1.json"
    assert [program.get(url + query).json()["is_active"] for query in ("", "?version=1")] == [True, active == 1]
    assert program.get(f"{url}?version=1").json()["version"] == 1
    assert program.get(f"{url}?version=9").status_code == 404


def test_an_export_is_the_archive_of_the_library(program: TestClient, own: Library) -> None:
    """UI-1."""
    note = own.ingest(b"# Springs & neaps\n\nTwice a month.\n", name="neaps.md").document
    answer = program.get(f"/documents/{note.id}/export.zip")
    assert answer.content == own.document(note.id).archive()
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''Springs%20_%20neaps.zip"
    manifest = json.loads(zipfile.ZipFile(io.BytesIO(answer.content)).read("manifest.json"))
    assert manifest["document_id"] == note.id
    text = program.get(f"/documents/{note.id}/export.md")
    assert (text.text, text.headers["content-type"]) == (note.markdown, "text/markdown; charset=utf-8")
    failed = own.ingest(b"", name="empty.txt").document
    assert program.get(f"/documents/{failed.id}/export.zip").status_code == 404


def test_a_deletion_shows_what_it_removes_and_needs_exactly_that_confirmation(
    program: TestClient, own: Library, tmp_path
) -> None:
    """UI-1, STO-12: the user's own file stays."""
    path = tmp_path / "leaving.txt"
    path.write_text("This one leaves.")
    document = own.ingest(path, corpus="harbour").document
    url = f"/documents/{document.id}/delete"
    view = program.get(f"{url}.json").json()
    assert (view["corpora"], view["kept_files"], view["versions"]) == (["harbour"], ["leaving.txt"], 1)
    assert view["bytes"] == own.maintenance.purge_preview(document).bytes > 0
    for confirm in ("", document.id, "0" * 32):
        assert program.post(url, data={"confirm": confirm}).status_code == 400
    document.annotations.add("note", text="one more row")
    assert program.post(url, data={"confirm": view["confirm"]}).status_code == 400
    with open_client(own, **BROWSER) as user:
        page = user.get(url).text
        confirm = program.get(f"{url}.json").json()["confirm"]
        assert user.post(url, data={"confirm": confirm}, headers=SAME).status_code == 403
        sent = user.post(url, data={"confirm": confirm, "csrf": csrf_of(page)}, headers=SAME)
        assert (sent.status_code, sent.headers["location"]) == (303, "/documents")
    assert program.get(f"/documents/{document.id}.json").status_code == 404
    assert path.read_text() == "This one leaves."


def test_a_corpus_removes_a_document_from_itself_alone(own: Library) -> None:
    document = own.ingest(b"in two corpora", name="two.txt", corpus="tides").document
    own.ingest(b"in two corpora", name="two.txt", corpus="winds")
    access = Access.of_tokens([("t" * 40, "tides")])
    with open_client(own, DashboardOptions(access=access), authorization=f"Bearer {'t' * 40}") as client:
        url = f"/documents/{document.id}/delete"
        view = client.get(f"{url}.json").json()
        assert (view["corpus"], view["rows"], view["corpora"]) == ("tides", {}, ["tides"])
        answer = client.post(url, data={"confirm": view["confirm"]})
        assert answer.json() == {"document_id": document.id, "corpus": "tides", "bytes": 0}
        assert client.get(f"/documents/{document.id}.json").status_code == 404
    assert [one.id for one in own.documents(corpus="winds")] == [document.id]


def test_annotations_are_made_shown_at_their_place_changed_and_removed(program: TestClient, own: Library) -> None:
    """UI-1, STO-17."""
    document = own.ingest(b"# Harbour\n\nThe ebb began at one.\n", name="annotated.md").document
    url = f"/documents/{document.id}"
    text = document.page(1).text
    start = text.index("ebb")
    data = {"kind": "highlight", "page": "1", "char": f"{start}-{start + 3}", "text": "which?", "by": "anna"}
    made = program.post(f"{url}/annotations", data=data).json()
    (view,) = program.get(f"{url}.json").json()["annotations"]
    assert (view["quote"], view["text"], view["made_by"], view["page"]) == ("ebb", "which?", "anna", None)
    place = view["url"].partition("#")[0].replace("?", ".json?")
    assert program.get(place).json()["marked"] == "ebb"
    assert [one["id"] for one in program.get(f"{url}/pages/1.json").json()["annotations"]] == [made["annotation_id"]]
    one = f"{url}/annotations/{made['annotation_id']}"
    assert program.post(one, data={"text": "this one"}).json()["state"] == "changed"
    assert own.document(document.id).annotations[0].text == "this one"
    assert program.post(one, data={"remove": "1"}).json()["state"] == "removed"
    assert program.post(one, data={"remove": "1"}).status_code == 404
    for bad in ({"kind": "stamp"}, {"kind": "highlight", "char": "9-3"}, {"kind": "highlight", "char": "0-999999"}):
        assert program.post(f"{url}/annotations", data={"page": "1"} | bad).status_code == 400
    assert list(own.document(document.id).annotations) == []


def test_a_scan_has_badges_from_waiting_to_searchable(program: TestClient, own: Library) -> None:
    """UI-7: an amber badge, and recognition of one page or of a selection."""
    if own.context.runtime.catalogue.get("tesseract").missing() is not None:
        pytest.skip("the program tesseract is not installed")
    scan = own.ingest(SAMPLES / "logbook-scan.pdf").document
    url = f"/documents/{scan.id}"
    view = program.get(f"{url}.json").json()["recognition"]
    assert (view["state"], view["can_recognise"]) == ("available", True)
    with open_client(own, **BROWSER) as user:
        assert "recognition available" in user.get(url).text
    answer = program.post(f"{url}/recognise", data={"page": "1"})
    assert answer.status_code == 202, answer.text
    assert ended(program, answer.json()["tasks"][0]["id"])["state"] in ("finished", "failed")
    view = program.get(f"{url}.json").json()["recognition"]
    assert 1 in view["recognised"]
    answer = program.post("/documents/recognise", data={f"document-{scan.id}": "1"})
    assert ended(program, answer.json()["tasks"][0]["id"])["kind"] == "recognise"
    view = program.get(f"{url}.json").json()["recognition"]
    assert view["state"] in ("searchable", "doubtful")
    assert view["waiting"] == []


def test_recognition_of_nothing_is_refused(program: TestClient, own: Library) -> None:
    document = own.ingest(b"no picture here", name="plain.txt").document
    assert program.get(f"/documents/{document.id}.json").json()["recognition"]["state"] == "none"
    for pages in ("0", "5-3", "x", "1-999999"):
        assert program.post(f"/documents/{document.id}/recognise", data={"pages": pages}).status_code == 400
    assert program.post("/documents/recognise", data={"csrf": ""}).status_code == 400
    assert program.post("/documents/recognise", data={"document-../../x": "1"}).status_code == 400
    unknown = f"{'0' * 8}-0000-0000-0000-{'0' * 12}"
    assert program.post("/documents/recognise", data={f"document-{unknown}": "1"}).status_code == 404
