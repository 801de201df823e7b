"""A search after a change looks at the documents that changed, and finds what a search over all of them would find."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace

import pytest
from octavo_contracts import UsageError
from octavo_library import Library
from octavo_library.search import library_tables
from octavo_library.search.library_tables import AttachedTables
from octavo_library.storage import PolicyContext

pytestmark = pytest.mark.sqlite_files  # an index on a server has no log of changes
WORDS = ("wind", "tide", "gauge")
Told = list[tuple[object, ...]]


def told(library: Library) -> Told:
    """What searches in each scope find, and how many documents they leave out."""
    scopes = [{}, {"policy": PolicyContext()}, *({"corpus": one.name} for one in library.corpora.list())]
    found = []
    for scope in scopes:
        for word in WORDS:
            hits = library.search(word, limit=100, **scope)
            found.append((scope, word, {(hit.document_id, hit.version, hit.snippet) for hit in hits}, hits.pending))
    return found


class Passes:
    """Counts the searches that looked at all documents, and those that looked at the changed ones alone."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.whole = self.partial = 0
        real = AttachedTables.changed

        def counted(tables, connection, since):
            changed = real(tables, connection, since)
            self.whole += changed is None
            self.partial += changed is not None
            return changed

        monkeypatch.setattr(AttachedTables, "changed", counted)


@pytest.mark.parametrize("seed", range(4))
def test_any_sequence_of_changes_is_found_as_by_a_fresh_search(library, add, seed):
    """Some steps are followed by searches, others not; a reopened chunk index looks at everything again."""
    choose = random.Random(seed)
    library.corpora.create("a")
    library.corpora.create("b")
    for step in range(14):
        documents = library.documents()
        one = choose.choice(documents) if documents else None
        what = choose.choice(["add", "add", "add", "shout", "first", "leave", "seal", "purge"])
        if what == "add" or one is None:
            add(f"Note{choose.randrange(6)} of {choose.choice(WORDS)}", corpus=choose.choice([None, "a", "b"]))
        elif what == "shout":
            one.reconvert(plugin="shouting")
        elif what == "first":
            one.versions.activate(1)
        elif what == "leave":
            with suppress(UsageError):  # it is not a member
                library.corpora.remove_document(one, choose.choice("ab"))
        elif what == "seal":
            kept = library.corpora.get("b").settings
            visibility = "ambient" if kept.visibility == "firewalled" else "firewalled"
            library.corpora.update("b", replace(kept, visibility=visibility))
        else:
            library.maintenance.purge(one, confirm=one.id)
        if choose.random() < 0.6:
            followed = told(library)
            library.context.chunk_index.close()
            assert told(library) == followed, (step, what)


def test_after_an_ingest_only_the_new_document_is_looked_at(library, add, monkeypatch):
    for number in range(3):
        add(f"Note{number} of wind")
    assert len(library.search("wind")) == 3
    passes = Passes(monkeypatch)
    add("Another of wind")
    assert len(library.search("wind")) == 4
    assert (passes.whole, passes.partial) == (0, 2)


def test_what_another_opening_changes_is_looked_at_alone(library, add, root, monkeypatch):
    document = add("One of wind")
    assert len(library.search("wind")) == 1
    passes = Passes(monkeypatch)
    with Library.open(root, runtime=library.context.runtime) as other:
        add("Two of wind", into=other)
        other.document(document).reconvert(plugin="shouting")
    assert {hit.version for hit in library.search("wind")} == {1, 2}
    assert passes.whole == 0


def test_many_changes_or_a_deletion_are_one_pass_over_all(library, add, monkeypatch):
    monkeypatch.setattr(library_tables, "MOST_CHANGES", 2)
    documents = [add("Note0 of wind")]
    assert len(library.search("wind")) == 1
    passes = Passes(monkeypatch)
    documents += [add(f"Note{number} of wind") for number in (1, 2, 3)]
    assert len(library.search("wind")) == 4
    assert (passes.whole, passes.partial) == (2, 0)
    library.maintenance.purge(library.document(documents[0]), confirm=documents[0])
    assert len(library.search("wind")) == 3
    assert (passes.whole, passes.partial) == (4, 0)


def test_unreadable_chunks_are_tried_again_after_any_change(library, add):
    add("One of wind")
    (manifest,) = library.path.glob("by_hash/*/conversions/v1/chunks/*/manifest.json")
    intact = manifest.read_bytes()
    manifest.write_bytes(b"{}")
    assert (len(library.search("wind")), library.search("wind").pending) == (0, 1)
    manifest.write_bytes(intact)
    add("Two of wind")
    found = library.search("wind")
    assert (len(found), found.pending) == (2, 0)
