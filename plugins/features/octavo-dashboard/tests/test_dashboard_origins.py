"""Memberships, places and ways in on the page of a document, and the list by corpus (UI-1, STO-5)."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from octavo import Settings
from octavo_context import ContextManager
from octavo_dashboard import Access, DashboardOptions
from octavo_library import Library
from starlette.testclient import TestClient
from web_clients import BROWSER, open_client

TOKENS = {"harbour": "h" * 40, "gauges": "g" * 40}
"""Two corpora of one policy context: what one may see, the policy alone would let the other see as well."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Two corpora that share one document; the second one has another document too, and one is in no corpus."""
    folder = tmp_path_factory.mktemp("origins")
    with Library.open(folder / "library", settings=Settings(sampling=False, workers=1)) as library:
        for corpus in TOKENS:
            library.corpora.create(corpus)
            place = folder / f"{corpus}-folder"
            place.mkdir()
            (place / f"{corpus}-tide.md").write_text("# Tide\n\nHigh water at noon.\n")
            library.ingest(place / f"{corpus}-tide.md", corpus=corpus)
        library.ingest(b"# Gauge\n\nLow water.\n", name="gauge.md", corpus="gauges")
        library.ingest(b"# Stray\n\nNo water.\n", name="stray.md")
        (folder / "harbour-folder" / "harbour-tide.md").unlink()
        library.maintenance.check_paths()
        yield library


def _id(library: Library, name: str) -> str:
    return next(one.id for one in library.documents() if one.title == name)


def _client(library: Library) -> TestClient:
    access = Access.of_tokens([(token, corpus) for corpus, token in TOKENS.items()])
    return open_client(library, DashboardOptions(access=access))


def test_a_document_page_shows_corpora_places_ways_in_and_last_use(shared: Library) -> None:
    """UI-1: memberships, paths, instances and last access; a vanished path is said to be gone."""
    tide = _id(shared, "Tide")
    manager = ContextManager(shared)
    block = manager.prepare_document_context(shared.document(tide), "chat", "claude-sonnet-4-5", "When?")
    manager.record_document_send(shared.document(tide), "chat", block.tier, block.token_estimate, False, block=block)
    client = open_client(shared)
    origins = client.get(f"/documents/{tide}.json").json()["origins"]
    assert [one["corpus"] for one in origins["memberships"]] == ["harbour", "gauges"]
    assert [(Path(one["place"]).name, one["kind"], one["is_gone"]) for one in origins["locations"]] == [
        ("harbour-tide.md", "local", True),
        ("gauges-tide.md", "local", False),
    ]
    assert [Path(one["place"]).parent for one in origins["locations"]] == [
        Path("…/harbour-folder"),
        Path("…/gauges-folder"),
    ]
    assert [(one["surface"], one["corpus"]) for one in origins["instances"]] == [
        ("direct_upload", "harbour"),
        ("direct_upload", "gauges"),
    ]
    assert origins["last_accessed_at"]
    page = unescape(client.get(f"/documents/{tide}", headers=BROWSER).text)
    for shown in (
        'href="/documents?corpus=harbour"',
        "harbour-folder/harbour-tide.md",
        "into gauges",
        "Last sent to a model",
    ):
        assert shown in page
    stray = client.get(f"/documents/{_id(shared, 'Stray')}.json").json()["origins"]
    assert (stray["memberships"], stray["last_accessed_at"]) == ([], None)
    assert [(one["place"], one["kind"]) for one in stray["locations"]] == [("stray.md", "direct_upload")]
    assert [one["corpus"] for one in stray["instances"]] == [None]


@pytest.mark.parametrize("corpus", list(TOKENS))
def test_a_user_of_a_corpus_sees_its_own_membership_alone(shared: Library, corpus: str) -> None:
    """STO-5: not even a corpus of the same policy is named, nor a folder of the machine."""
    other = {"harbour": "gauges", "gauges": "harbour"}[corpus]
    tide = _id(shared, "Tide")
    headers = {"authorization": f"Bearer {TOKENS[corpus]}"}
    client = _client(shared)
    origins = client.get(f"/documents/{tide}.json", headers=headers).json()["origins"]
    assert [one["corpus"] for one in origins["memberships"]] == [corpus]
    assert [one["corpus"] for one in origins["instances"]] == [corpus]
    for url in (f"/documents/{tide}.json", f"/documents/{tide}"):
        told = client.get(url, headers={**BROWSER, **headers}).text
        assert f"{corpus}-folder" not in told
        assert f"into {other}" not in told


def test_the_list_is_filtered_by_corpus(shared: Library) -> None:
    """UI-1: the owner chooses a corpus; the counts are those of the corpus, and the cursor keeps it."""
    client = open_client(shared)

    def listed(query: str) -> list[str]:
        return [one["name"] for one in client.get(f"/documents.json?order=oldest&{query}").json()["documents"]]

    assert listed("corpus=harbour") == ["Tide"]
    assert listed("corpus=gauges") == ["Tide", "Gauge"]
    assert listed("") == ["Tide", "Gauge", "Stray"]
    view = client.get("/documents.json?corpus=gauges&limit=1").json()
    assert (view["total"], view["found"], sorted(view["corpora"])) == (2, 2, ["gauges", "harbour"])
    page = unescape(client.get("/documents?corpus=gauges&limit=1", headers=BROWSER).text)
    assert "<option selected>gauges</option>" in page
    assert "?corpus=gauges&limit=1&cursor=" in page
    assert client.get("/documents.json?corpus=nothing").status_code == 404


def test_a_user_of_a_corpus_cannot_ask_for_another_one(shared: Library) -> None:
    """STO-5: the name of an existing corpus and an invented one have the same answer; the own one is allowed."""
    headers = {"authorization": f"Bearer {TOKENS['harbour']}"}
    client = _client(shared)
    answers = [client.get(f"/documents.json?corpus={name}", headers=headers) for name in ("gauges", "nothing")]
    assert [one.status_code for one in answers] == [404, 404]
    assert answers[0].json() == answers[1].json()
    own = client.get("/documents.json?corpus=harbour", headers=headers).json()
    assert [one["name"] for one in own["documents"]] == ["Tide"]
    assert own["corpora"] == []
