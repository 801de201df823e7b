"""Words planted in one corpus appear in nothing that a command prints for another one (STO-5).

Commands are found by introspection: one that takes `--corpus` and has no recipe here fails the test until it gets one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import click
import pytest
from octavo_cli.app import cli
from octavo_contracts import ExitCode
from octavo_library import Library
from octavo_library.text.times import time_text, utc_now

TEXT = "# Harbour notes\n\nThe tide turned at noon, and the boats came in with it.\n"
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?")

RECIPES: dict[str, tuple[tuple[str, ...], ...]] = {
    "brief": (("DOC",),),
    "context": (
        ("DOC", "--model", "none-such"),
        ("DOC", "--model", "none-such", "--as", "block"),
        ("HIDDEN", "--model", "none-such"),
    ),
    "entities demote": (("Nobody",),),
    "entities promote": (("Nobody",),),
    "entities show": ((),),
    "entities tag": ((),),
    "entities undo": (("Nobody",),),
    "export": (("DOC", "-o", "out.zip"), ("HIDDEN", "-o", "out.zip")),
    "graph": (("DOC",), ("HIDDEN",)),
    "ingest": (("sparrow/sparrow.md",), ("sparrow",)),
    "list": ((),),
    "mcp": (),
    "memory add": (
        ("HIDDEN", "Nobody has it.", "--quote", "Nobody else has this one."),
        ("DOC", "The sparrow turned.", "--quote", "The tide turned at noon", "--link", "supports:MEMORY"),
    ),
    "memory cluster": (("DOC",), ("HIDDEN",)),
    "memory entity": (("person:Nobody",),),
    "memory related": (("MEMORY",),),
    "memory remove": (("MEMORY",),),
    "memory search": (("tide turned",),),
    "memory show": (("MEMORY",),),
    "memory verify": (("MEMORY",),),
    "ocr": (("--needed",),),
    "reconvert": (("--outdated",), ("DOC",), ("HIDDEN",)),
    "remove": (("absent",), ("HIDDEN",), ("canary/canary.md",)),
    "research list": ((),),
    "research start": (("Who wrote of the harbour and the tide?",),),
    "search": (("harbour",),),
    "metadata": (("DOC",), ("DOC", "--title", "Harbour"), ("DOC", "--clear")),
    "mark": (("DOC",), ("DOC", "--pages", "1", "--visually-important")),
    "accept": (("DOC",), ("DOC", "--note", "good enough"), ("DOC", "--clear")),
    "show": (
        ("DOC",),
        ("DOC", "--versions"),
        ("DOC", "--quality"),
        ("DOC", "--page", "1"),
        ("HIDDEN",),
        ("canary/canary.md",),
    ),
    "tools call": tuple(
        (name, "--args", arguments)
        for name, arguments in (
            ("list_documents", "{}"),
            ("search_documents", '{"query": "harbour"}'),
            ("retrieve_full_document", '{"document_id": "DOC"}'),
            ("retrieve_full_document", '{"document_id": "HIDDEN"}'),
            ("retrieve_document_pages", '{"document_id": "DOC", "section_query": "harbour notes"}'),
            ("retrieve_memory_source", '{"memory_id": "mem-1"}'),
        )
    ),
    "tools list": ((),),
    "watch": (),
    "web": (),
}
"""Command that takes a corpus → what else it is given.

`watch` takes in as `ingest` does, and does not end; nor do `mcp` and `web`, whose answers the tests of their
distributions search.
"""


def _commands(group: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    if isinstance(group, click.Group):
        context = click.Context(group)
        for each in group.list_commands(context):
            found = group.get_command(context, each)
            assert found is not None
            yield from _commands(found, f"{name} {each}".strip())
    if name and (not isinstance(group, click.Group) or group.invoke_without_command):
        yield name, group


def _scoped() -> dict[str, click.Command]:
    return {
        name: command for name, command in _commands(cli) if any("--corpus" in option.opts for option in command.params)
    }


def test_every_command_that_takes_a_corpus_has_a_recipe() -> None:
    assert set(_scoped()) == set(RECIPES), "give the new command a recipe"


@pytest.fixture
def planted(octavo, tmp_path: Path) -> tuple[dict[str, str], str]:
    """A library whose sealed corpus has said all that can be said; ids of a shared document, of a hidden one and of a memory, and the time."""
    for folder in ("canary", "sparrow"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.md").write_text(TEXT)
    (tmp_path / "canary" / "canary-alone.md").write_text("# Alone\n\nNobody else has this one.\n")
    octavo("corpus", "create", "canarycorpus", "--visibility", "firewalled")
    octavo("corpus", "create", "sparrowcorpus")
    octavo("ingest", "canary", "--corpus", "canarycorpus")
    with Library.open(tmp_path / "octavo-library", create=False) as library:
        for one in library.documents(corpus="canarycorpus"):
            one.annotations.add("note", text="canary note", by="canary author")
            one.set_type("contract", by="canary typist")
            one.versions.acceptance.set(note="canary acceptance", by="canary acceptor")
        ids = {Path(one.paths[0]).name: one.id for one in library.documents(corpus="canarycorpus")}
    statement = ("canary tide turned", "--quote", "The tide turned at noon", "--entity", "person:Nobody")
    written = octavo("memory", "add", ids["canary.md"], *statement, "--corpus", "canarycorpus", "--json")
    memory = re.findall(r"mem-[0-9a-f]+", written.out)[0]
    now = time_text(utc_now())
    assert octavo("ingest", "sparrow", "--corpus", "sparrowcorpus").code == 0
    return {"DOC": ids["canary.md"], "HIDDEN": ids["canary-alone.md"], "MEMORY": memory}, now


def test_no_command_prints_a_word_of_another_corpus(octavo, planted, tmp_path: Path) -> None:
    ids, since = planted
    for name, command in sorted(_scoped().items()):
        has_json = any("--json" in option.opts for option in command.params)
        for recipe in RECIPES[name]:
            for more in ((), ("--json",)) if has_json else ((),):
                given = [re.sub("DOC|HIDDEN|MEMORY", lambda found: ids[found[0]], word) for word in recipe]
                ended = octavo(*name.split(), *given, "--corpus", "sparrowcorpus", *more)
                said = f"{ended.out}\n{ended.stderr}"
                if (tmp_path / "out.zip").exists():
                    said += (tmp_path / "out.zip").read_bytes().decode("utf-8", "replace")
                    (tmp_path / "out.zip").unlink()
                line = f"octavo {name} {' '.join(recipe)} {' '.join(more)}"
                asked = "canary/canary.md" in recipe  # what was typed is repeated
                assert asked or "canary" not in said, f"{line}: {said}"
                assert not asked or ended.code == ExitCode.USAGE, f"{line}: {said}"
                times = (datetime.fromisoformat(time[:19].replace(" ", "T")) for time in _TIME.findall(said))
                assert all(time >= datetime.fromisoformat(since[:19]) for time in times), f"{line}: {said}"


def test_a_first_ingest_in_a_corpus_counts_nothing_as_known(octavo, planted, tmp_path: Path) -> None:
    (tmp_path / "late.md").write_text("# Alone\n\nNobody else has this one.\n")
    ended = octavo("ingest", "late.md", "--corpus", "sparrowcorpus", "--json")
    assert ended.json["summary"]["reused"] == 0
    assert (ended.json["documents"][0]["reused"], ended.json["documents"][0]["already_known"]) == (False, None)
    assert "known before" not in octavo("runs", "last").out or "0 known before" in octavo("runs", "last").out
    assert "1 known before" in octavo("ingest", "late.md", "--corpus", "sparrowcorpus").out
