"""Which entity types are extracted: those of the run, the type of the document, the corpora, or the settings (ENT-1)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from octavo.profiles.profile import load_profile
from octavo.settings.entities import EntitySettings
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_contracts import UsageError
from octavo_library import Library
from octavo_library.entities.opt_in import labels_for
from octavo_library.facade.corpora import CorpusSettings

TAGGER = """\
import re
from octavo_contracts import EntityObservation, hookimpl

WORDS = {"Ada Quay": "person", "Lisbon": "location", "Exhibit 4": "exhibit", "Sea Rose": "vessel"}

@hookimpl
def extract_entities(text, request, context):
    return tuple(
        EntityObservation(label=label, text=word, start=found.start(), end=found.end(), confidence=0.9)
        for word, label in WORDS.items() if label in request.labels for found in re.finditer(word, text)
    )
"""
TEXT = "Ada Quay came to Lisbon on the Sea Rose, as Exhibit 4 shows.\n"


@pytest.fixture
def tagger(make_plugin: Callable[..., Path]) -> None:
    make_plugin("tagger", TAGGER, hooks=["extract_entities"])


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    path = tmp_path / "letter.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture
def library(tmp_path: Path, tagger: None) -> Iterator[Library]:
    settings = Settings(workers=1, entities=EntitySettings(engine="tagger"))
    with Library.open(tmp_path / "library", settings=settings) as opened:
        yield opened


def labels(library: Library, **where: str) -> list[str]:
    return sorted(entity.label for entity in library.entities.list(**where))


def test_a_corpus_has_its_own_types_and_a_run_overrides_them(library: Library, letter: Path) -> None:
    """ENT-1: the list of the corpus instead of that of the settings, and the list of the run instead of both."""
    library.corpora.create("fleet", CorpusSettings(entities=True, entity_types=("vessel",)))
    library.ingest(letter, corpus="fleet")
    assert labels(library, corpus="fleet") == ["vessel"]

    library.ingest(letter, corpus="fleet", entity_types=("person", "vessel"))
    assert labels(library, corpus="fleet") == ["person", "vessel"]
    assert library.corpora.get("fleet").settings.entity_types == ("vessel",)


def test_a_document_of_two_corpora_has_the_types_of_both(library: Library, letter: Path) -> None:
    """ENT-1: neither corpus undoes what the other one asked for."""
    library.corpora.create("fleet", CorpusSettings(entities=True, entity_types=("vessel",)))
    library.corpora.create("case", CorpusSettings(entities=True, entity_types=("exhibit",)))
    library.ingest(letter, corpus="fleet")
    library.ingest(letter, corpus="case")

    assert labels(library, corpus="case") == ["exhibit", "vessel"]
    library.ingest(letter, corpus="fleet")
    assert labels(library, corpus="fleet") == ["exhibit", "vessel"]


def test_the_types_of_a_firewalled_corpus_are_told_to_no_other_one(library: Library, letter: Path) -> None:
    """STO-5: what a firewalled corpus asks for is not seen by others with the same document."""
    library.corpora.create("wall", CorpusSettings(visibility="firewalled", entities=True, entity_types=("exhibit",)))
    library.corpora.create("open", CorpusSettings(entities=True, entity_types=("vessel",)))
    library.ingest(letter, corpus="wall")
    library.ingest(letter, corpus="open")

    assert "exhibit" not in labels(library, corpus="open")
    assert "exhibit" not in labels(library)
    assert "exhibit" in labels(library, corpus="wall")


def test_a_type_of_document_has_its_own_types() -> None:
    """ENT-1: the type of the document is more specific than the corpus, and the run more than both."""
    known = {
        "by_document_type": {"deposition": ("exhibit",)},
        "corpora": [("vessel",), ("person",)],
        "default": ("date",),
    }

    assert labels_for(run=None, document_type="deposition", **known) == ("exhibit",)
    assert labels_for(run=None, document_type="contract", **known) == ("vessel", "person")
    assert labels_for(run=("place",), document_type="deposition", **known) == ("place",)
    assert labels_for(run=None, document_type=None, **{**known, "corpora": []}) == ("date",)


@pytest.mark.parametrize("profile", ["research", "legal", "transcript", "case-file"])
def test_the_profiles_of_people_and_places_ship(profile: str, library: Library, letter: Path) -> None:
    """ENT-1: a corpus with one of these profiles is extracted from without another setting."""
    library.corpora.create("files", CorpusSettings(profile=profile))
    library.ingest(letter, corpus="files")

    assert labels(library, corpus="files") == ["location", "person"]
    assert load_profile(profile).routes == load_profile("measured").routes


@pytest.mark.parametrize("wrong", [("",), ("Person",), ("x" * 61,), (" person",)])
def test_an_invalid_type_is_refused(wrong: tuple[str, ...], library: Library, letter: Path) -> None:
    with pytest.raises(UsageError, match="entity type"):
        library.corpora.create("files", CorpusSettings(entity_types=wrong))
    with pytest.raises(UsageError, match="entity type"):
        library.ingest(letter, entity_types=wrong)


def test_the_commands_set_and_show_the_types(
    tagger: None, letter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """ENT-1: by the command line and a settings file, where the types of a document type are a table."""
    monkeypatch.chdir(tmp_path)
    Path("octavo.toml").write_text(
        '[entities]\nengine = "tagger"\n[entities.by_document_type]\nmanual = false\n'
        '[entities.labels_by_document_type]\ndeposition = ["exhibit"]\n'
    )

    assert main(["corpus", "create", "fleet", "--entities", "on", "--entity-types", "vessel, person"]) == 0
    assert "vessel, person" in capsys.readouterr().out
    assert main(["ingest", str(letter), "--corpus", "fleet"]) == 0
    capsys.readouterr()
    assert main(["entities", "--corpus", "fleet", "--json"]) == 0
    assert sorted(one["label"] for one in json.loads(capsys.readouterr().out)["entities"]) == ["person", "vessel"]
    assert main(["ingest", str(letter), "--corpus", "fleet", "--entity-types", "location"]) == 0
    capsys.readouterr()
    main(["entities", "--corpus", "fleet", "--json"])
    assert [one["label"] for one in json.loads(capsys.readouterr().out)["entities"]] == ["location"]
    assert main(["corpus", "set", "fleet", "--entity-types", "none", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["corpus"]["settings"]["entity_types"] == []
