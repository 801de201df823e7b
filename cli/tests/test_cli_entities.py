"""`octavo entities` and `octavo ingest --entities`, with the JSON that others call by (ENT-1, ENT-2)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TAGGER = """\
import re
from octavo_contracts import EntityObservation, hookimpl

@hookimpl
def extract_entities(text, request, context):
    return tuple(EntityObservation(label="person", text=m.group(), start=m.start(), end=m.end(), confidence=0.9)
                 for m in re.finditer("Ada Quay|Ben Pier", text))
"""


@pytest.fixture
def tagged(octavo: Any, make_plugin: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Three documents in a corpus, tagged while they came in."""
    make_plugin("tagger", TAGGER, hooks=["extract_entities"])
    monkeypatch.setenv("OCTAVO_PLUGINS", "tagger,plaintext")
    for number, text in enumerate(["Ada Quay", "Ada Quay and Ben Pier", "again Ada Quay"]):
        Path(f"{number}.txt").write_text(text)
    ended = octavo("ingest", "0.txt", "1.txt", "2.txt", "--corpus", "case", "--entities", "--library", "lib")
    assert ended.code == 0, ended.stderr
    return octavo


def test_a_corpus_shows_its_entities_in_the_promised_form(tagged: Any) -> None:
    shown = tagged("entities", "--corpus", "case", "--library", "lib", "--json").json

    assert list(shown) == ["entities"]
    ada, ben = shown["entities"]
    assert list(ada) == ["name", "label", "status", "reason", "observations"]
    assert (ada["name"], ada["label"], ada["status"]) == ("Ada Quay", "person", "confirmed")
    assert ada["reason"].startswith("corroboration: ")
    assert (ben["status"], ben["reason"]) == ("observed", None)
    (one,) = ben["observations"]
    assert list(one) == ["document_id", "start", "end", "text", "confidence"]
    assert (one["start"], one["end"], one["text"], one["confidence"]) == (13, 21, "Ben Pier", 0.9)


def test_a_document_shows_its_own_mentions(tagged: Any) -> None:
    shown = tagged("entities", "1.txt", "--library", "lib", "--json").json["entities"]
    assert [(e["name"], len(e["observations"])) for e in shown] == [("Ada Quay", 1), ("Ben Pier", 1)]
    assert tagged("entities", "show", "1.txt", "--library", "lib", "--json").json["entities"] == shown
    assert "corroboration" in tagged("entities", "1.txt", "--library", "lib").out


def test_the_user_promotes_demotes_and_undoes(tagged: Any) -> None:
    def say(*words: str) -> Any:
        (entity,) = tagged("entities", *words, "--library", "lib", "--json").json["entities"]
        return entity["status"], entity["reason"]

    assert say("promote", "Ben Pier", "--by", "ada", "--note", "sworn") == (
        "confirmed",
        "user: confirmed by ada (sworn)",
    )
    assert say("demote", "Ada Quay") == ("observed", "user: demoted by user")
    assert say("undo", "Ben Pier") == ("observed", None)
    ended = tagged("entities", "promote", "Ada Quay", "--label", "person", "--library", "lib")
    assert ended.out == "Ada Quay, person: confirmed (user: confirmed by user)\n"


def test_documents_are_tagged_later(tagged: Any) -> None:
    Path("3.txt").write_text("Ben Pier alone")
    assert tagged("ingest", "3.txt", "--no-entities", "--library", "lib").code == 0
    before = tagged("entities", "3.txt", "--library", "lib")
    assert "no entities were extracted" in before.stderr
    (run,) = tagged("entities", "tag", "3.txt", "--labels", "person, date", "--library", "lib", "--json").json["runs"]
    assert (run["engine"], run["engine_version"], run["found"], run["kept"], run["dropped"]) == (
        "tagger",
        "1.2",
        1,
        1,
        {},
    )
    assert "1 kept of 1" in tagged("entities", "tag", "--corpus", "case", "--library", "lib").out
    assert tagged("entities", "3.txt", "--label", "date", "--library", "lib").out == "No entities were observed\n"


@pytest.mark.parametrize(
    "words", [["show"], ["tag"], ["1.txt", "--corpus", "case"], ["promote", "Nobody"], ["--corpus", "nowhere"]]
)
def test_what_can_not_be_meant_is_a_usage_error(tagged: Any, words: list[str]) -> None:
    assert tagged("entities", *words, "--library", "lib").code == 2
    assert tagged("entities", "--help").code == 0


def test_a_missing_engine_ends_with_its_exit_code(octavo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_PLUGINS", "plaintext")
    Path("a.txt").write_text("Ada Quay")
    ended = octavo("ingest", "a.txt", "--entities", "--library", "lib")
    assert ended.code == 6
    assert "octavo-spacy" in ended.stderr
