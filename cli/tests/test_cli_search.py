"""`octavo search` and `octavo corpus`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from octavo_contracts import ExitCode, resolve_locator

FAKE_VECTORS = Path(__file__).parents[2] / "plugins/features/octavo-library/tests/search/fake_vectors.py"
OFFERS = """
[plugin.services]
embedder = "octavo_near.plugin:make_embedder"
vector_index = "octavo_near.plugin:make_vector_index"
"""


@pytest.fixture
def words_alone(monkeypatch):
    """What plugins of the environment make of meanings is not what these tests are about."""
    monkeypatch.setenv("OCTAVO_SEARCH__VECTORS", "false")


@pytest.fixture
def library(octavo, documents, words_alone):
    assert octavo("ingest", documents / "tides.md", documents / "letters", "--corpus", "coast").code == 0
    return octavo


def test_search_prints_passages_with_their_place(library):
    shown = library("search", "noon", "buoy").out
    assert "char:0-" in shown
    assert "High water at noon. Ebb: 潮" in shown
    assert shown.count("score") == 2
    assert "Tides" in shown
    assert "anna.txt" in shown


def test_a_word_behind_a_minus_sign_excludes_passages_wherever_it_stands(library):
    def found(*arguments: str) -> list[str]:
        return [hit["title"] for hit in library("search", *arguments, "--json").json["hits"]]

    everything = found("noon", "buoy")
    assert len(everything) == 2
    for excluding in (
        ("noon", "buoy", "-ebb"),
        ("-ebb", "noon", "buoy"),
        ("noon", "-ebb", "-q", "buoy"),
        ("noon buoy -ebb",),
    ):
        assert found(*excluding) == [title for title in everything if title != "Tides"]
    assert found("noon", "-quay", "--limit", "1") == ["Tides"], "the q is not taken for --quiet"
    for mistake in ("-limit", "-x", "--ebb"):
        assert library("search", "noon", mistake).code == ExitCode.USAGE
    assert "to exclude a word, write it in one text" in library("search", "noon", "-limit").stderr
    assert "the query has no word" in library("search", '""').stderr


def test_search_as_json_can_be_verified(library):
    found = library("search", "潮", "--json", "--limit", "1").json
    assert (found["query"], found["corpus"], found["pending"]) == ("潮", None, 0)
    (hit,) = found["hits"]
    assert (found["method"], found["reason"], found["without_vectors"]) == ("fts", "vectors were not requested", 0)
    keys = "document_id title version chunk_id page locator snippet score markdown_span embedding_id path superseded_by"
    assert list(hit) == keys.split()
    text = library("show", hit["document_id"], "--json").json["canonical_text"]
    assert resolve_locator(text, hit["locator"]) == hit["snippet"]


def test_a_query_may_exclude_and_hold_phrases(library):
    assert len(library("search", "--json", "noon buoy -buoy").json["hits"]) == 1
    assert len(library("search", "--json", '"at noon"').json["hits"]) == 1
    assert library("search", '"noon at"').out == 'Nothing found for "noon at"\n'


def test_search_in_a_corpus(library, documents):
    assert len(library("search", "noon", "--corpus", "coast", "--json").json["hits"]) == 1
    assert library("search", "noon", "--corpus", "inland").code == ExitCode.USAGE
    assert library("corpus", "set", "coast", "--visibility", "firewalled").code == 0
    assert library("search", "noon", "--json").json["hits"] == []


def test_passages_with_all_words_come_first_and_a_line_says_where_they_end(octavo, documents):
    """A passage with the rarer word alone scores higher than a long one with both words."""
    (documents / "rare.md").write_text("Moored. Moored. Moored.\n")
    (documents / "both.md").write_text(f"The ferry is moored. {'The tide is high at noon. ' * 20}\n")
    for number in range(8):
        (documents / f"common-{number}.md").write_text(f"The ferry came at {number}.\n")
    octavo("ingest", "papers")
    lines = octavo("search", "moored ferry").out.splitlines()
    assert lines[0].startswith("1. papers/both.md") or " both.md " in lines[0]
    parted = lines.index("The passages below have only some of the words")
    assert lines[parted + 1].startswith("2. ")
    hits = octavo("search", "moored ferry", "--limit", "1", "--json").json["hits"]
    assert [hit["path"].endswith("both.md") for hit in hits] == [True]
    assert octavo("search", "moored lighthouse").out.startswith("No passage has all of the words\n1. ")
    assert "of the words" not in octavo("search", "moored").out


def test_search_says_what_could_not_be_searched_and_wait_makes_it_good(library, tmp_path):
    (manifest, *_) = (tmp_path / "octavo-library").rglob("chunks/*/manifest.json")
    manifest.unlink()
    ended = library("search", "noon")
    assert (ended.code, "could not be searched: 1; --wait indexes" in ended.stderr) == (0, True)
    ended = library("search", "noon", "--wait")
    assert (ended.code, ended.stderr) == (0, "")


def test_wait_does_not_hide_what_can_not_be_searched_at_all(library, tmp_path):
    (text, *_) = (tmp_path / "octavo-library").rglob("canonical.txt")
    text.write_text("altered")
    assert "could not be searched: 1; `octavo verify-store`" in library("search", "noon", "--wait").stderr


def test_meanings_are_compared_where_plugins_can_and_words_alone_where_they_are_told_to(octavo, documents, install):
    site = install("near", tail=OFFERS)
    shutil.copy(FAKE_VECTORS, site / "octavo_near" / "plugin.py")
    octavo("ingest", documents / "letters")
    found = octavo("search", "boat", "--json").json
    assert (found["method"], found["reason"], found["without_vectors"]) == ("hybrid", None, 0)
    assert all(hit["embedding_id"] for hit in found["hits"])
    assert octavo("search", "boat", "--no-vectors", "--json").json["method"] == "fts"
    ended = octavo("search", '"at noon"', "--vectors")
    assert "compared by words alone: a phrase in quotation marks" in ended.stderr


def test_meanings_that_are_demanded_and_can_not_be_compared_are_an_error(library, monkeypatch):
    monkeypatch.setenv("OCTAVO_BLOCK", "vectors")
    ended = library("search", "noon", "--vectors")
    assert ended.code == ExitCode.TOOL_UNAVAILABLE
    assert "[vectors]" in ended.stderr


@pytest.mark.parametrize("broken", ["def make_vector_index(", "def make_embedder("])
def test_meanings_that_are_demanded_of_a_plugin_that_cannot_compare_them_are_an_error(
    broken, octavo, documents, install
):
    """STO-15: a vector index that cannot be opened, or an embedder that fails, is named."""
    site = install("near", tail=OFFERS)
    code = FAKE_VECTORS.read_text(encoding="utf-8")
    failing = f"{broken[:-1]}_away("
    assert code.count(broken) == 1
    code = (
        code.replace(broken, failing)
        + f"\n\n{broken}settings=None):\n    raise ToolUnavailable('the reef is closed')\n"
    )
    code = code.replace("from octavo_contracts import ", "from octavo_contracts import ToolUnavailable, ", 1)
    (site / "octavo_near" / "plugin.py").write_text(code, encoding="utf-8")
    octavo("ingest", documents / "letters")

    demanded = octavo("search", "boat", "--vectors")

    assert demanded.code == ExitCode.TOOL_UNAVAILABLE
    assert "the reef is closed" in demanded.stderr
    assert octavo("search", "boat").code == 0


def test_search_without_a_library_is_a_usage_error(octavo):
    assert octavo("search", "noon").code == ExitCode.USAGE


def test_a_corpus_is_created_shown_changed_and_listed(octavo):
    made = octavo("corpus", "create", "cases", "--sensitivity", "privileged", "--retention", "30", "--json")
    assert made.code == 0
    assert made.json["corpus"]["settings"] == {
        "visibility": "ambient",
        "sensitivity": "privileged",
        "profile": None,
        "chunking": None,
        "retention": 30,
        "entities": None,
        "entity_types": [],
        "briefs": None,
        "cloud": False,
        "plugin": None,
        "limits": {},
        "cost_limit": None,
    }
    shown = octavo("corpus", "show", "cases", "--json").json
    assert shown["corpus"] == made.json["corpus"]
    assert (shown["status"]["documents"], shown["status"]["standing"]) == (0, {})
    changed = octavo("corpus", "set", "cases", "--entities", "on", "--profile", "fast", "--json").json["corpus"]
    assert (changed["settings"]["entities"], changed["settings"]["profile"]) == (True, "fast")
    assert changed["settings"]["sensitivity"] == "privileged"
    taken_back = octavo("corpus", "set", "cases", "--entities", "default", "--profile", "none", "--json").json
    assert taken_back == made.json
    assert octavo("corpus", "list", "--json").json == {"corpora": [made.json["corpus"]]}
    assert "privileged" in octavo("corpus", "list").out
    assert "as routing chooses" in octavo("corpus", "show", "cases").out


def test_what_does_not_fit_is_a_usage_error(octavo):
    assert octavo("corpus", "create", "cases", "--visibility", "hidden").code == ExitCode.USAGE
    assert octavo("corpus", "list").code == ExitCode.USAGE
    assert octavo("corpus", "create", "cases", "--cloud", "on", "--visibility", "firewalled").code == ExitCode.USAGE
    assert octavo("corpus", "create", "cases").code == 0
    assert octavo("corpus", "create", "cases").code == ExitCode.USAGE
    assert octavo("corpus", "show", "papers").code == ExitCode.USAGE
    assert octavo("corpus").code == ExitCode.USAGE


def test_an_empty_library_has_no_corpora(library, documents, octavo):
    assert octavo("ingest", documents / "tides.md", "--library", "plain").code == 0
    assert octavo("corpus", "list", "--library", "plain").out == "No corpora in plain\n"
