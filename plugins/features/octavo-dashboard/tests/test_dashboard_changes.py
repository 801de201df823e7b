"""What changes something: uploads, reconversion, activation, retries; each only where it was asked for by its own page."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo import Settings
from octavo_dashboard import Access, DashboardOptions
from octavo_dashboard.uploads import safe_name
from octavo_library import Library
from starlette.testclient import TestClient
from web_clients import BROWSER, csrf_of, open_client

LIMIT = 2_000_000
SAME = {"sec-fetch-site": "same-origin", "accept": "text/html"}
TOKENS = {"canary": "c" * 40, "sparrow": "s" * 40}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("changes")
    with Library.open(folder / "library", settings=Settings(sampling=False, workers=1)) as opened:
        (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing else")
        (folder / "good.txt").write_text("The tide turned at noon.")
        for _ in opened.ingest_many([folder / "broken.pdf", folder / "good.txt"]):
            pass
        yield opened


@pytest.fixture
def program(own: Library) -> Iterator[TestClient]:
    with open_client(own, DashboardOptions(upload_limit=LIMIT)) as client:
        yield client


def ended(client: TestClient, task_id: str, **headers: str) -> dict[str, Any]:
    """Wait for a task."""
    for _ in range(600):
        tasks = client.get("/activity.json", headers=headers).json()["tasks"]
        task: dict[str, Any] = next(one for one in tasks if one["id"] == task_id)
        if not task["is_open"]:
            return task
        time.sleep(0.1)
    raise AssertionError("the task did not end")


def upload(client: TestClient, data: bytes, name: str = "tide.txt", **headers: str) -> str:
    answer = client.post("/upload", files={"files": (name, data)}, headers=headers)
    assert answer.status_code == 202, answer.text
    task_id: str = answer.json()["tasks"][0]["id"]
    return task_id


def test_an_uploaded_file_becomes_a_document(program: TestClient, own: Library) -> None:
    task = ended(program, upload(program, b"High water at the pier.", "../../etc/high water.txt"))
    assert (task["state"], task["name"]) == ("finished", "high water.txt")
    document = own.document(task["url"].rpartition("/")[2])
    assert document.canonical_text.strip() == "High water at the pier."
    again = ended(program, upload(program, b"High water at the pier."))
    assert again["url"] == task["url"]


def test_an_upload_declares_metadata_and_a_differing_one_pauses(program: TestClient, own: Library) -> None:
    """ENG-21: the form declares title, date and source; the page of the document ends the pause."""

    def send(**fields: str) -> dict[str, Any]:
        answer = program.post("/upload", files={"files": ("deed.txt", b"A deed of 1901.")}, data=fields)
        assert answer.status_code == 202, answer.text
        return ended(program, answer.json()["tasks"][0]["id"])

    first = send(title="Deed", date="1901", source="Attic", **{"metadata.box": "4"})
    shown = program.get(f"{first['url']}.json").json()
    assert (shown["declared"]["title"], shown["declared"]["further"], shown["disputes"]) == ("Deed", {"box": "4"}, [])
    paused = send(title="Letter")
    assert (paused["state"], "another title" in paused["message"]) == ("failed", True)
    dispute = program.get(f"{first['url']}.json").json()["disputes"][0]
    with open_client(own, **BROWSER) as user:
        assert "Its ingestion is paused" in user.get(first["url"]).text
    place = f"{first['url']}/metadata"
    assert program.post(place, data={"dispute": dispute["id"], "decision": "burn"}).status_code == 400
    assert program.post(place, data={"dispute": "0" * 32, "decision": "keep"}).status_code == 404
    assert program.post(place, data={"dispute": dispute["id"], "decision": "replace"}).json()["decision"] == "replace"
    after = program.get(f"{first['url']}.json").json()
    assert (after["declared"]["title"], after["declared"]["source"], after["disputes"]) == ("Letter", None, [])
    for bad in ({"date": "03/04/1901"}, {"known_metadata": "burn"}):
        assert program.post("/upload", files={"files": ("deed.txt", b"x")}, data=bad).status_code == 400
    two = [("files", ("a.txt", b"a")), ("files", ("b.txt", b"b"))]
    assert program.post("/upload", files=two, data={"title": "Both"}).status_code == 400


def test_pages_are_marked_and_marks_are_removed(program: TestClient, own: Library) -> None:
    """CNV-3."""
    document = next(one for one in own.documents() if one.active_version is not None)
    place = f"/documents/{document.id}"
    sent = program.post(f"{place}/marks", data={"pages": "1", "kind": "visually_important", "by": "anna"})
    assert sent.json() == {
        "document_id": document.id,
        "pages": [1],
        "kind": "visually_important",
        "state": "marked",
    }
    (mark,) = program.get(f"{place}.json").json()["page_marks"]
    assert (mark["page"], mark["marked_by"]) == (1, "anna")
    with open_client(own, **BROWSER) as user:
        assert "Marks on pages" in user.get(place).text
    for bad in ({"pages": "1", "kind": "odd"}, {"kind": "needs_ocr"}, {"pages": "99", "kind": "needs_ocr"}):
        assert program.post(f"{place}/marks", data=bad).status_code == 400
    removed = program.post(f"{place}/marks", data={"pages": "1", "kind": "visually_important", "remove": "1"})
    assert removed.json()["state"] == "cleared"
    assert list(own.document(document.id).page_marks) == []


def test_a_file_that_cannot_be_converted_says_why(program: TestClient) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * 60_000_000)
        archive.writestr("[Content_Types].xml", b"<Types/>")
    task = ended(program, upload(program, bomb.getvalue(), "bomb.docx"))
    assert task["state"] == "failed"
    assert task["message"]
    assert ended(program, upload(program, b"", "empty.txt"))["state"] == "failed"


def test_an_upload_beyond_the_limit_is_refused_while_it_arrives(program: TestClient) -> None:
    declared = program.post("/upload", files={"files": ("big.txt", b"x" * (LIMIT + 100_000))})
    assert (declared.status_code, declared.json()["reason"]) == (413, "content_too_large")
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n'
        while sent < 40 * LIMIT:
            sent += 100_000
            yield b"x" * 100_000

    answer = program.post("/upload", content=endless(), headers={"content-type": "multipart/form-data; boundary=b"})
    assert answer.status_code == 413


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{}", "application/json", 415),
        (b"--b--", "multipart/form-data", 400),
        (b"nonsense", "multipart/form-data; boundary=b", 400),
        (
            b'--b\r\nContent-Disposition: form-data; name="other"\r\n\r\nx\r\n--b--\r\n',
            "multipart/form-data; boundary=b",
            400,
        ),
    ],
)
def test_bad_uploads_are_refused(program: TestClient, content: bytes, kind: str, status: int) -> None:
    assert program.post("/upload", content=content, headers={"content-type": kind}).status_code == status


def test_a_browser_needs_the_token_of_its_session_for_each_change(own: Library) -> None:
    document = own.documents()[0]
    run = own.runs.list()[0][0].run_id
    paths = (f"/documents/{document.id}/reconvert", f"/documents/{document.id}/activate", f"/runs/{run}/retry")
    with open_client(own, **BROWSER) as user:
        page = user.get("/documents").text
        for path in (*paths, "/activity/abcdefghijkl/cancel"):
            for csrf in ("", "0" * 64):
                assert user.post(path, data={"csrf": csrf}, headers=SAME).status_code == 403
        for csrf in ("", "0" * 64):
            sent = user.post("/upload", data={"csrf": csrf}, files={"files": ("a.txt", b"a")}, headers=SAME)
            assert sent.status_code == 403
        sent = user.post("/upload", data={"csrf": csrf_of(page)}, files={"files": ("a.txt", b"a b c")}, headers=SAME)
        assert (sent.status_code, sent.headers["location"]) == (303, "/activity")
    with open_client(own, **SAME) as stranger:
        assert stranger.post(paths[0], data={"csrf": csrf_of(page)}).status_code == 403


def test_reconversion_makes_a_version_and_activation_goes_back(program: TestClient, own: Library) -> None:
    document = next(one for one in own.documents() if one.active_version is not None)
    view = program.get(f"/documents/{document.id}.json").json()
    plugin = view["converters"][0]
    before = len(document.versions)
    answer = program.post(f"/documents/{document.id}/reconvert", data={"plugin": plugin})
    assert answer.status_code == 202, answer.text
    task = ended(program, answer.json()["tasks"][0]["id"])
    assert task["state"] == "finished", task
    assert len(document.versions) == before + 1
    answer = program.post(f"/documents/{document.id}/activate", data={"version": "1"})
    assert answer.status_code == 200
    assert program.get(f"/documents/{document.id}.json").json()["version"] == 1
    for data, status in (({"version": "99"}, 400), ({"version": "x"}, 400), ({}, 400)):
        assert program.post(f"/documents/{document.id}/activate", data=data).status_code == status
    assert program.post(f"/documents/{document.id}/reconvert", data={"plugin": "gliner"}).status_code == 400


def test_a_document_is_accepted_and_the_mark_is_removed(program: TestClient, own: Library) -> None:
    """ENG-25: who, when, why and which version; a browser needs the token of its session."""
    document = own.ingest(b"flag me", name="accept.txt").document
    url = f"/documents/{document.id}"
    answer = program.post(f"{url}/accept", data={"note": "compared with the paper", "by": "anna"})
    assert answer.json() == {"document_id": document.id, "version": 1, "state": "accepted"}
    accepted = program.get(f"{url}.json").json()["accepted"]
    assert (accepted["version"], accepted["note"], accepted["accepted_by"]) == (1, "compared with the paper", "anna")
    listed = program.get("/documents.json?accepted=yes").json()
    assert ([one["id"] for one in listed["documents"]], listed["accepted"]) == ([document.id], 1)
    assert document.id not in {one["id"] for one in program.get("/documents.json?accepted=no").json()["documents"]}
    assert program.post(f"{url}/accept", data={"note": "x" * 2_001}).status_code == 400
    with open_client(own, **BROWSER) as user:
        page = user.get(url).text
        assert user.post(f"{url}/accept", data={"remove": "1"}, headers=SAME).status_code == 403
        sent = user.post(f"{url}/accept", data={"remove": "1", "csrf": csrf_of(page)}, headers=SAME)
        assert (sent.status_code, sent.headers["location"]) == (303, url)
    assert program.get(f"{url}.json").json()["accepted"] is None
    failed = next(one for one in own.documents() if one.active_version is None)
    assert program.post(f"/documents/{failed.id}/accept").status_code == 400


def test_a_lighter_and_a_heavier_reconversion_choose_by_profile(program: TestClient, own: Library) -> None:
    """ENG-25."""
    document = own.ingest(b"once more", name="weights.txt").document
    for number, weight in ((2, "lighter"), (3, "heavier")):
        answer = program.post(f"/documents/{document.id}/reconvert", data={"weight": weight})
        assert answer.status_code == 202, answer.text
        assert ended(program, answer.json()["tasks"][0]["id"])["state"] == "finished"
        assert len(own.document(document.id).versions) == number
    for data in ({"weight": "heaviest"}, {"weight": "lighter", "plugin": "plaintext"}):
        assert program.post(f"/documents/{document.id}/reconvert", data=data).status_code == 400


def test_a_run_shows_its_failures_and_retries_them_with_one_click(program: TestClient, own: Library) -> None:
    """UI-2."""
    listed = program.get("/runs.json").json()["runs"]
    run = next(one for one in listed if one["failed"])
    view = program.get(f"{run['url']}.json").json()
    assert view["condition"] == "finished"
    assert sum(view["failures"].values()) == len(view["cases"]) == 1
    assert view["cases"][0]["name"] == "broken.pdf"
    with open_client(own, **BROWSER) as user:
        assert f'name="reason" value="{view["cases"][0]["reason"]}"' in user.get(run["url"]).text
    (reason,) = view["failures"]
    answer = program.post(f"{run['url']}/retry", data={"reason": reason})
    assert answer.status_code == 202, answer.text
    task = ended(program, answer.json()["tasks"][0]["id"])
    assert (task["kind"], task["message"]) == ("retry", "0 of 1 sources converted")
    assert len(program.get("/runs.json").json()["runs"]) == len(listed) + 1
    assert program.post(f"{run['url']}/retry", data={"reason": "source_empty"}).status_code == 400
    assert program.get("/runs/00000000-0000.json").status_code == 404


def test_a_read_only_server_refuses_every_change(own: Library) -> None:
    document = own.documents()[0]
    with open_client(own, DashboardOptions(read_only=True)) as program:
        for path in ("/upload", *(f"/documents/{document.id}/{name}" for name in ("reconvert", "activate", "accept"))):
            answer = program.post(path)
            assert (answer.status_code, answer.json()["reason"]) == (403, "read_only")
        page = program.get("/documents", headers=BROWSER).text
        assert 'action="/upload"' not in page


def test_a_corpus_sees_its_own_tasks_and_no_run(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", settings=Settings(sampling=False, workers=1)) as opened:
        for mark in TOKENS:
            opened.corpora.create(f"{mark}corpus")
        (tmp_path / "canary.txt").write_text("canary text")
        hidden = opened.ingest(tmp_path / "canary.txt", corpus="canarycorpus").document
        run = opened.runs.list()
        access = Access.of_tokens([(token, f"{mark}corpus") for mark, token in TOKENS.items()])
        with open_client(opened, DashboardOptions(access=access)) as client:
            mine = {"authorization": f"Bearer {TOKENS['sparrow']}"}
            other = {"authorization": f"Bearer {TOKENS['canary']}"}
            task_id = upload(client, b"canary upload", "canary-upload.txt", **other)
            ended(client, task_id, **other)
            assert client.get("/activity.json", headers=mine).json() == {"tasks": []}
            assert client.post(f"/activity/{task_id}/cancel", headers=mine).status_code == 404
            for path in ("/runs", "/runs.json", *(f"/runs/{record.run_id}.json" for record, _, _ in run)):
                answer = client.get(path, headers=mine)
                assert answer.status_code == 403
                assert "canary" not in answer.text
            for path in ("reconvert", "activate", "accept"):
                assert client.post(f"/documents/{hidden.id}/{path}", headers=mine).status_code == 404
            uploaded = {one.name for one in opened.catalogue.page(corpus="canarycorpus").entries}
            assert "canary-upload.txt" in uploaded or len(uploaded) == 2


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("a.pdf", "a.pdf"),
        ("/etc/passwd", "passwd"),
        ("..\\..\\x.txt", "x.txt"),
        ("a\x00\nb.txt", "ab.txt"),
        ("Übung 1.txt", "Übung 1.txt"),
    ],
)
def test_names_of_uploads_have_no_folder(given: str, name: str) -> None:
    assert safe_name(given) == name


@pytest.mark.parametrize("given", ["", "..", "/", "\x00", ". ."])
def test_an_upload_without_a_name_gets_one(given: str) -> None:
    assert safe_name(given).startswith("upload-")
