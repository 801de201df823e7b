"""A file that was changed and ingested again: the earlier document stays, and is marked (STO-3, STO-11)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_cli import main
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings

MARK = "earlier content of its path"


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[str, str]]:
    """Runs a command on a library in a folder of its own; returns what it prints on both streams."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> tuple[str, str]:
        assert main([*words, "--library", "library"]) == 0
        return capsys.readouterr()

    return call


def line_with(text: str, part: str) -> str:
    return next(line for line in text.splitlines() if part in line)


def test_the_earlier_content_of_a_path_is_told_and_marked(run: Callable[..., tuple[str, str]], tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Gate\n\nThe gate code is 4711 today.\n")
    _, first = run("ingest", "note.md")
    earlier = json.loads(run("list", "--json")[0])["documents"][0]["id"]
    note.write_text("# Gate\n\nThe gate code is 9999 today.\n")
    _, changed = run("ingest", "note.md")
    assert "other content" not in first
    assert f"note.md had other content before, document {earlier[:8]}" in changed
    assert f"octavo purge {earlier[:8]} --library library" in changed
    assert MARK in line_with(run("list")[0], earlier[:8])
    assert run("list")[0].count(MARK) == 1
    hits = run("search", "gate code")[0]
    assert MARK in line_with(hits, earlier[:8])
    assert (hits.count(MARK), hits.count("Gate · note.md")) == (1, 2)
    listed = {one["id"]: one["superseded_by"] for one in json.loads(run("list", "--json")[0])["documents"]}
    (later,) = set(listed) - {earlier}
    assert listed == {earlier: later, later: None}
    found = {one["document_id"]: one for one in json.loads(run("search", "gate code", "--json")[0])["hits"]}
    assert (found[earlier]["superseded_by"], found[later]["superseded_by"]) == (later, None)
    assert found[later]["path"].endswith("/note.md")
    assert f"octavo show {later[:8]}" in line_with(run("show", earlier)[0], MARK)
    assert MARK not in run("show", later)[0]
    assert json.loads(run("show", earlier, "--json")[0])["document"]["superseded_by"] == later


def test_content_that_comes_back_is_told_once(run: Callable[..., tuple[str, str]], tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    for text in ("The gate code is 4711.", "The gate code is 9999.", "The gate code is 4711."):
        note.write_text(text)
        _, told = run("ingest", "note.md")
    assert "had other content before" in told
    assert "had other content before" not in run("ingest", "note.md")[1]
    assert "9999" in run("show", line_with(run("list")[0], MARK).split()[0])[0]


def test_a_document_that_stands_elsewhere_is_not_marked(run: Callable[..., tuple[str, str]], tmp_path: Path) -> None:
    for name in ("note.md", "copy.md"):
        (tmp_path / name).write_text("The gate code is 4711.")
    run("ingest", "note.md", "copy.md")
    (tmp_path / "note.md").write_text("The gate code is 9999.")
    assert "had other content before" in run("ingest", "note.md")[1]
    assert MARK not in run("list")[0]


def test_nothing_is_told_of_another_policy_context(tmp_path: Path) -> None:
    """STO-5: neither that a path had other content there, nor that it has now."""
    note = tmp_path / "note.md"
    with Library.open(tmp_path / "library") as library:
        library.corpora.create("closed", settings=CorpusSettings(visibility="firewalled"))
        note.write_text("The gate code is 4711.")
        first = library.ingest(note).document_id
        note.write_text("The gate code is 9999.")
        second = library.ingest(note, corpus="closed").document_id
        assert library.catalogue.replacements([second], corpus="closed") == ()
        assert library.catalogue.successors([first]) == {first: second}
        assert library.catalogue.successors([first], policy=library.context.index.documents.contexts(first)[0]) == {}
