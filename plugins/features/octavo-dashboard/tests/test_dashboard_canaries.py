"""Two corpora with different policies: no page, twin, picture or error of one has a word of the other (STO-5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo import Settings
from octavo_dashboard import Access, DashboardOptions
from octavo_dashboard.access import Grant
from octavo_dashboard.application import SCREENS
from octavo_dashboard.background_work import BackgroundWork
from octavo_dashboard.described_changes import DESCRIBED_CHANGES
from octavo_dashboard.live_updates import LiveUpdates
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from starlette.testclient import TestClient
from web_clients import BROWSER, open_client

SHARED = b"# Harbour notes\n\nThe tide turned at noon, and the boats came in with it.\n"
TOKENS = {"canary": "c" * 40, "sparrow": "s" * 40}
KINDS = {"firewalled": CorpusSettings(visibility="firewalled"), "ambient": CorpusSettings()}


def own(mark: str) -> dict[str, bytes]:
    """Documents of one side only; every word contains the side's mark."""
    message = (
        f"From: {mark}sender@example.org\nTo: {mark}reader@example.org\nSubject: {mark}subject\n"
        f'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain\n\n{mark}body of the tide\n'
        f'--b\nContent-Type: text/plain; name="{mark}attached.txt"\nContent-Disposition: attachment; '
        f'filename="{mark}attached.txt"\n\n{mark}attachment of the tide\n--b--\n'
    )
    return {
        f"{mark}name.md": f"# {mark}heading\n\nThe tide is {mark}word at {mark}place.\n".encode(),
        f"{mark}blank.txt": b"",
        f"{mark}message.eml": message.replace("\n", "\r\n").encode(),
    }


@pytest.fixture(scope="module", params=[("firewalled", "ambient"), ("ambient", "firewalled")], ids="-".join)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Each side has its own documents, and both have one with equal bytes under different names."""
    folder = tmp_path_factory.mktemp("sides")
    with Library.open(folder / "library", settings=Settings(sampling=False, workers=1)) as opened:
        for mark, kind in zip(TOKENS, request.param, strict=True):
            opened.corpora.create(f"{mark}corpus", KINDS[kind])
            place = folder / f"{mark}folder"
            place.mkdir()
            for name, data in {**own(mark), f"{mark}shared.md": SHARED}.items():
                (place / name).write_bytes(data)
            for _ in opened.ingest_many(sorted(place.iterdir()), corpus=f"{mark}corpus"):
                pass
            for one in opened.documents(corpus=f"{mark}corpus"):
                if one.active_version is not None:
                    one.annotations.add("note", text=f"{mark} note", by=f"{mark} author")
        yield opened


def clients(library: Library) -> TestClient:
    access = Access.of_tokens([(token, f"{mark}corpus") for mark, token in TOKENS.items()])
    return open_client(library, DashboardOptions(access=access))


def every_screen(documents: list[str]) -> list[str]:
    """The address of each screen, for each document where it has one."""
    made = []
    for screen in SCREENS:
        path = screen.path.replace("{page}", "1").replace("{routing_type}", "prose")
        path = path.replace("{run_id}", "0" * 32).replace("{research_id}", "0" * 32)
        made += [path.replace("{document_id}", one) for one in documents] if "{document_id}" in path else [path]
    return made


@pytest.mark.parametrize("mark", list(TOKENS))
def test_nothing_told_to_one_corpus_is_of_the_other(library: Library, mark: str) -> None:
    other = {"canary": "sparrow", "sparrow": "canary"}[mark]
    mine = {one.id for one in library.documents() if _is_in(library, one.id, f"{mark}corpus")}
    hidden = {one.id for one in library.documents()} - mine
    assert mine
    assert hidden
    asker = clients(library)
    paths = ["/documents", "/documents?limit=1", "/documents?status=hard_failed", "/nothing"]
    paths += ["/corpora", "/activity", "/settings", "/runs", "/metrics", "/openapi.json"]
    paths += [f"/documents?q={word}" for word in ("canary", "sparrow", "harbour", "folder", "txt")]
    paths += [f"/search?q={word}" for word in ("tide", "canaryword", "sparrowword", "harbour", "body", "attachment")]
    for one in [*mine, *hidden]:
        paths += [f"/documents/{one}", f"/documents/{one}/pages/1", f"/documents/{one}/pages/1/formatted"]
        paths += [
            f"/documents/{one}/pages/1/picture.png",
            f"/documents/{one}/export.zip",
            f"/documents/{one}/export.md",
        ]
    paths += every_screen([*mine, *hidden])
    words = {other, library.corpora.get(f"{other}corpus").id, *hidden}
    for path in paths:
        place, _, query = path.partition("?")
        for url in (path, f"{place}.json?{query}" if query else f"{place}.json"):
            headers = {**BROWSER, "authorization": f"Bearer {TOKENS[mark]}"}
            answer = asker.get(url, headers=headers)
            told = answer.text.lower().replace(query.partition("=")[2], "") if query else answer.text.lower()
            asked = next((one for one in hidden if one in url), None)
            for word in words - {asked}:
                assert word not in told, f"{url} discloses {word}: {told[:300]}"
            if asked is not None:
                assert answer.status_code == 404, url


@pytest.mark.parametrize("mark", list(TOKENS))
def test_a_hidden_document_gets_the_same_answer_as_a_missing_one(library: Library, mark: str) -> None:
    hidden = next(one.id for one in library.documents() if not _is_in(library, one.id, f"{mark}corpus"))
    absent = hidden[:-1] + ("0" if hidden[-1] != "0" else "1")
    asker = clients(library)
    for tail in (".json", "", "/pages/1.json", "/pages/1/formatted", "/pages/1/picture.png", "/pages/9.json"):
        answers = [
            asker.get(f"/documents/{one}{tail}", headers={"authorization": f"Bearer {TOKENS[mark]}"})
            for one in (hidden, absent)
        ]
        assert [one.status_code for one in answers] == [404, 404]
        assert answers[0].content == answers[1].content


@pytest.mark.parametrize("mark", list(TOKENS))
def test_a_change_of_a_hidden_document_is_answered_as_that_of_a_missing_one(library: Library, mark: str) -> None:
    hidden = next(one.id for one in library.documents() if not _is_in(library, one.id, f"{mark}corpus"))
    absent = hidden[:-1] + ("0" if hidden[-1] != "0" else "1")
    asker = clients(library)
    changes = [one.path for one in DESCRIBED_CHANGES if "{document_id}" in one.path]
    assert len(changes) >= 7
    for path in changes:
        fields = {"version": "1", "document_type": "letter", "confirm": hidden, "text": "x", "kind": "note"}
        answers = [
            asker.post(
                path.replace("{document_id}", one).replace("{annotation_id}", "0" * 32),
                data=fields,
                headers={"authorization": f"Bearer {TOKENS[mark]}"},
            )
            for one in (hidden, absent)
        ]
        assert [one.status_code for one in answers] == [404, 404], path
        assert answers[0].content == answers[1].content


@pytest.mark.parametrize("mark", list(TOKENS))
def test_events_of_one_side_do_not_follow_what_happens_on_the_other(library: Library, mark: str) -> None:
    other = {"canary": "sparrow", "sparrow": "canary"}[mark]
    work = BackgroundWork(new_id=lambda: "task-of-the-other")
    mine, theirs = Grant(corpus=f"{mark}corpus"), Grant(corpus=f"{other}corpus")
    before = [LiveUpdates(library, work).state(one) for one in (mine, theirs)]
    text = f"The {other} tide of {mark} side."
    library.ingest(text.encode(), name=f"{other}late.txt", corpus=f"{other}corpus", plugin="plaintext")
    after = [LiveUpdates(library, work).state(one) for one in (mine, theirs)]
    assert (after[0] == before[0], after[1] == before[1]) == (True, False)
    work.close()


def test_counts_are_those_of_the_corpus(library: Library) -> None:
    asker = clients(library)
    for mark, token in TOKENS.items():
        view = asker.get("/documents.json", headers={"authorization": f"Bearer {token}"}).json()
        listed = len(view["documents"])
        assert view["total"] == listed == sum(view["statuses"].values())
        assert sum(view["media_types"].values()) <= listed
        assert listed == sum(_is_in(library, one.id, f"{mark}corpus") for one in library.documents())


def test_two_corpora_of_one_policy_are_two_scopes(tmp_path: Path) -> None:
    """They share what is known of a document that is in both, and nothing else."""
    with Library.open(tmp_path / "library", settings=Settings(sampling=False, workers=1)) as opened:
        for mark in TOKENS:
            opened.corpora.create(f"{mark}corpus")
            opened.ingest(own(mark)[f"{mark}name.md"], name=f"{mark}.md", corpus=f"{mark}corpus", plugin="plaintext")
        asker = clients(opened)
        (hidden,) = opened.documents(corpus="canarycorpus")
        headers = {"authorization": f"Bearer {TOKENS['sparrow']}"}
        for path in ("/documents.json", "/search.json?q=tide", f"/documents/{hidden.id}.json"):
            assert "canary" not in asker.get(path, headers=headers).text
        assert asker.get(f"/documents/{hidden.id}/pages/1.json", headers=headers).status_code == 404


def _is_in(library: Library, document_id: str, corpus: str) -> bool:
    return any(one.id == document_id for one in library.catalogue.page(corpus=corpus, limit=200).entries)


class Attack:
    """Every route of the OpenAPI description, asked with one corpus's token for what is the other's.

    Args:
        library: the library with both corpora.
        mark: the attacker's mark.
        other: the mark of the other side.
    """

    def __init__(self, library: Library, client: TestClient, mark: str, other: str) -> None:
        self._client = client
        self._headers = {"authorization": f"Bearer {TOKENS[mark]}"}
        hidden = next(
            one for one in library.documents(corpus=f"{other}corpus") if one.paths and "message" in str(one.paths)
        )
        theirs = {"authorization": f"Bearer {TOKENS[other]}"}
        text = f"The {other}task of the tide.".encode()
        task = client.post("/upload", files={"files": (f"{other}upload.txt", text)}, headers=theirs).json()["tasks"][0]
        self.values = {
            "document_id": hidden.id,
            "annotation_id": next(one.id for one in hidden.annotations),
            "run_id": library.runs.list()[0][0].run_id,
            "research_id": "0" * 32,
            "routing_type": "prose",
            "page": "1",
            "corpus": f"{other}corpus",
            "q": f"{other}word",
            "message": f"{other}word",
            "document_type": "letter",
            "confirm": hidden.id,
            "version": "1",
            "left": "1",
            "right": "1",
            "kind": "note",
            "action": "keep",
            "retention": "1",
        }
        self.values["task_id"] = task["id"]
        self.asked = 0

    def answers(self, paths: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Route → text of its answer, for each method, with the ids of the other side in every place."""
        for path, methods in paths.items():
            for method, described in methods.items():
                yield f"{method} {path}", self._ask(path, method, described, self.values)

    def _ask(self, path: str, method: str, described: dict[str, Any], values: dict[str, str]) -> str:
        url = path
        for name in re.findall(r"{(\w+)}", path):
            url = url.replace(f"{{{name}}}", values[name])
        listed = [one["name"] for one in described.get("parameters", ()) if one["in"] == "query"]
        query = {name: values[name] for name in listed if name in values}
        given: dict[str, Any] = {}
        content = described.get("requestBody", {}).get("content", {})
        if "multipart/form-data" in content:
            given["files"] = {"files": ("mine.txt", b"The tide of mine.")}
        elif "application/json" in content:
            given["json"] = {"sources": [{"kind": "file", "base64_string": "VGlkZQ==", "filename": "a.txt"}]}
        elif content:
            given["data"] = {**values, f"document-{values['document_id']}": "on"}
        self.asked += 1
        answer = self._client.request(method, url, params=query, headers=self._headers, **given)
        told = answer.text + str(answer.headers)
        for sent in [*values.values(), url]:  # an answer may quote the question
            told = told.replace(sent, "")
        return told.lower()


@pytest.mark.parametrize("mark", list(TOKENS))
def test_no_route_of_the_api_tells_one_corpus_of_the_other(library: Library, mark: str) -> None:
    """An attacker who knows every id of the other side learns nothing by any route, and changes nothing (STO-5)."""
    other = {"canary": "sparrow", "sparrow": "canary"}[mark]
    before = [
        (one.id, one.active_version, one.document_type, len(list(one.annotations))) for one in library.documents()
    ]
    settings = library.corpora.get(f"{other}corpus").settings
    with clients(library) as client:
        paths = client.get("/openapi.json", headers={"authorization": f"Bearer {TOKENS[mark]}"}).json()["paths"]
        attack = Attack(library, client, mark, other)
        for route, told in attack.answers(paths):
            assert other not in told, f"{route} discloses {other}: {told[:300]}"
        assert attack.asked >= len(paths) > 40
        # The same questions are answered to the other side: the ids are right.
        theirs = {"authorization": f"Bearer {TOKENS[other]}"}
        assert f"{other}subject" in client.get(f"/documents/{attack.values['document_id']}.json", headers=theirs).text
    after = {
        one.id: (one.id, one.active_version, one.document_type, len(list(one.annotations)))
        for one in library.documents()
    }
    assert [after.get(row[0]) for row in before] == before
    assert library.corpora.get(f"{other}corpus").settings == settings
