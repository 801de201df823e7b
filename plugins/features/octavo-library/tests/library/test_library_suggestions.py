"""A reconversion is suggested after an upgrade of a plugin or a change of type, and made only when asked for (ENG-18)."""

from __future__ import annotations

import json
import shutil

import pytest
from octavo_cli import main
from octavo_contracts import UsageError
from octavo_library import Library

PLAIN = """\
from octavo_contracts import *
@hookimpl
def convert(source, request, context):
    return Conversion(pages=(Page(number=1, kind='whole', markdown={}),), paginated=False)
"""
BEFORE = PLAIN.format("source.read_bytes().decode()")
BETTER = PLAIN.format("'# ' + source.read_bytes().decode()")


@pytest.fixture
def two_notes(tmp_path, make_plugin):
    """A library of two notes, made by version 1.9.0 of a plugin; 1.10.0 is installed now."""
    make_plugin("plain", BEFORE, version="1.9.0")
    for name in ("first", "second"):
        (tmp_path / f"{name}.txt").write_text(f"The {name} note")
    with Library.open(tmp_path / "lib") as library:
        list(library.ingest_many(sorted(tmp_path.glob("*.txt")), plugin="plain"))
        assert library.catalogue.suggestions() == {}
    for part in ("octavo_plain", "octavo_plain-1.9.0.dist-info"):
        shutil.rmtree(tmp_path / "site" / part)
    make_plugin("plain", BETTER, version="1.10.0")
    return tmp_path / "lib"


def test_documents_of_an_older_plugin_are_named(two_notes):
    """ENG-18: nothing is converted by itself; 1.10 is newer than 1.9, although it sorts before it."""
    with Library.open(two_notes) as library:
        hints = library.catalogue.suggestions()
        documents = library.documents()
        assert sorted(hints) == sorted(document.id for document in documents)
        hint = documents[0].versions.suggestion
        assert hint == hints[documents[0].id]
        assert (hint.cause, hint.version) == ("newer_plugin", 1)
        assert hint.message == "version 1 was made by plain 1.9.0, and 1.10.0 is installed"

        documents[0].reconvert(plugin="plain")
        assert library.document(documents[0].id).versions.suggestion is None
        assert list(library.catalogue.suggestions()) == [documents[1].id]


def test_a_type_that_was_changed_suggests_a_reconversion(tmp_path, make_plugin):
    """ENG-18: the suggestion ends with a version that was made since, and with the change being taken back."""
    make_plugin("plain", BEFORE)
    (tmp_path / "a.txt").write_text("A note about the tides")
    with Library.open(tmp_path / "lib") as library:
        document = library.ingest(tmp_path / "a.txt", plugin="plain").document
        assert document.versions.suggestion is None
        document.set_type("contract")
        hint = document.versions.suggestion
        assert hint is not None
        assert (hint.cause, hint.message) == ("changed_type", "its type was set to contract after version 1 was made")
        document.set_type(None)
        assert document.versions.suggestion is None
        document.set_type("contract")
        document.reconvert(plugin="plain")
        assert library.document(document.id).versions.suggestion is None


def test_a_type_that_another_policy_context_set_suggests_nothing(tmp_path, make_plugin):
    """STO-5: what one context set is not told in another."""
    make_plugin("plain", BEFORE)
    (tmp_path / "a.txt").write_text("A note about the tides")
    with Library.open(tmp_path / "lib") as library:
        from octavo_library.facade.corpora import CorpusSettings

        library.corpora.create("secret", CorpusSettings(visibility="firewalled"))
        library.ingest(tmp_path / "a.txt", corpus="open", plugin="plain")
        library.ingest(tmp_path / "a.txt", corpus="secret", plugin="plain").document.set_type("contract")
        assert len(library.catalogue.suggestions(corpus="secret")) == 1
        assert library.catalogue.suggestions(corpus="open") == {}
        with pytest.raises(UsageError, match="there is no corpus"):
            library.catalogue.suggestions(corpus="none")


@pytest.fixture
def octavo(capfd):
    def run(*arguments: str) -> str:
        code = main([*arguments])
        told = capfd.readouterr()
        assert code == 0, told.err
        return told.out

    return run


def test_the_command_line_lists_what_is_outdated_and_converts_it_again(two_notes, octavo):
    """ENG-18: `show` says it in one line, `list --outdated` names the documents, `reconvert --outdated` converts them."""
    where = ("--library", str(two_notes))
    [one, other] = json.loads(octavo("list", "--outdated", "--json", *where))["documents"]
    assert one["suggested"] == "version 1 was made by plain 1.9.0, and 1.10.0 is installed"
    assert "Suggested    octavo reconvert" in octavo("show", one["id"], *where)
    assert "To convert them again: octavo reconvert --outdated" in octavo("list", "--outdated", *where)

    [done] = json.loads(octavo("reconvert", one["id"], "--outdated", "--json", *where))["documents"]
    assert (done["document_id"], done["version"]["version"], done["error"]) == (one["id"], 2, None)
    assert "version 2 by plain 1.10.0" in octavo("reconvert", "--outdated", *where)
    assert octavo("list", "--outdated", *where).startswith("No documents that fit")
    [after] = [row for row in json.loads(octavo("list", "--json", *where))["documents"] if row["id"] == other["id"]]
    assert after["active_version"] == 2
    assert json.loads(octavo("show", other["id"], "--json", *where))["document"]["plugin"] is None
    assert octavo("reconvert", "--outdated", *where) == "No document is outdated\n"
    assert octavo("show", other["id"], "--markdown", *where).startswith("# The ")
