"""Nobody who asks under one policy context is told of a document that came in under others only (STO-5, STO-10)."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from octavo import Settings
from octavo.runtime import Runtime
from octavo_contracts import UsageError, file_ref
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.ingestion.location_types import SURFACES
from octavo_library.storage import PolicyContext

CORPORA = {
    "open": CorpusSettings(),
    "shared": CorpusSettings(visibility="cloud_allowed"),
    "sealed": CorpusSettings(visibility="firewalled"),
    "counsel": CorpusSettings(sensitivity="privileged"),
}
WAYS = (None, *CORPORA)
COMMON = " ".join(f"harbour tide number {n} came and went;" for n in range(40))
TEXTS = [f"# Report {name}\n\n{COMMON} {name} {name}.\n" for name in ("alder", "birch", "cedar", "damson")]


def policy_of(way: str | None) -> PolicyContext:
    return CORPORA[way].policy if way else PolicyContext()


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime(Settings(workers=1)) as made:
        yield made


class Shelf:
    """A library and a model of it: who put which text in, from which path."""

    def __init__(self, folder: Path, runtime: Runtime) -> None:
        self.folder = folder
        self.library = Library.open(folder / "library", runtime=runtime)
        for name, chosen in CORPORA.items():
            self.library.corpora.create(name, chosen)
        self.seen: list[tuple[str, PolicyContext, Path]] = []

    def put(self, number: int, way: str | None, surface: str) -> None:
        place = self.folder / (way or "loose") / surface
        place.mkdir(parents=True, exist_ok=True)
        path = place / f"{number}.md"
        path.write_text(TEXTS[number])
        (done,) = self.library.ingest_many([path], corpus=way, surface=surface)
        assert done.document_id is not None
        known = done.already_known
        before = {policy for document, policy, _ in self.seen if document == done.document_id}
        # Who names no corpus is told of everything that is not firewalled, as in a search (STO-13).
        is_told = policy_of(way) in before if way else any(one.visibility != "firewalled" for one in before)
        assert (done.reused, known is not None) == (is_told, is_told)
        self.seen.append((done.document_id, policy_of(way), path))

    def visible(self, policy: PolicyContext) -> set[str]:
        return {document for document, its, _ in self.seen if its == policy}

    def paths(self, policy: PolicyContext) -> set[str]:
        return {file_ref(str(path)) for _, its, path in self.seen if its == policy}


def check(shelf: Shelf, policy: PolicyContext) -> None:
    library, visible = shelf.library, shelf.visible(policy)
    everything = {document for document, _, _ in shelf.seen}
    hidden_paths = {file_ref(str(path)) for _, _, path in shelf.seen} - shelf.paths(policy)
    listed = library.documents(policy=policy)
    assert {one.id for one in listed} == visible
    assert {hit.document_id for hit in library.search("harbour tide", policy=policy, limit=1000)} == visible
    assert library.status(policy=policy).documents == len(visible)
    assert sum(library.context.index.documents.status_counts(policy=policy).values()) == len(visible)
    for document in everything - visible:
        raw_hash = library.document(document).raw_hash
        for ref in (document, document[:8], raw_hash, raw_hash[:10]):
            with pytest.raises(UsageError, match="no document matches"):
                library.document(ref, policy=policy)
        assert library.context.index.documents.already_known(raw_hash, policy=policy) is None
    for path in hidden_paths:
        with pytest.raises(UsageError, match="no document matches"):
            library.document(path, policy=policy)
    for one in listed:
        shown = library.document(one.id, policy=policy)
        assert set(shown.paths) <= shelf.paths(policy)
        assert {like.document_id for like in shown.similar(threshold=0.0)} <= visible
        assert {end for link in shown.links for end in (link.document_id, link.other_id)} <= visible
        assert shown.result.original_artifact_ref not in hidden_paths
        assert shown.result.quality_report.source_ref not in hidden_paths
        target = shelf.folder / "out.zip"
        shown.export(target)
        with zipfile.ZipFile(target) as archive:
            content = "\n".join(archive.read(name).decode() for name in archive.namelist())
        assert [path for path in hidden_paths if path in content] == []


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    ways=st.lists(
        st.tuples(st.integers(0, len(TEXTS) - 1), st.sampled_from(WAYS), st.sampled_from(SURFACES)),
        min_size=1,
        max_size=6,
    ),
    changes=st.lists(st.sampled_from(["open", "sealed"]), max_size=1),
)
def test_no_query_tells_of_what_is_known_under_another_policy_only(tmp_path_factory, runtime, ways, changes):
    """List, search, show by any name, similar, links, export and counts, against a model of who put what in."""
    shelf = Shelf(tmp_path_factory.mktemp("shelf"), runtime)
    with shelf.library as library:
        for number, way, surface in ways:
            shelf.put(number, way, surface)
        documents = sorted({document for document, _, _ in shelf.seen})
        for document in documents[1:]:
            library.document(document).links.add(documents[0])
        for policy in {policy_of(way) for way in WAYS}:
            check(shelf, policy)
        members = {name: {document for document, its, _ in shelf.seen if its == policy_of(name)} for name in CORPORA}
        for name in CORPORA:
            assert {one.id for one in library.documents(corpus=name)} == members[name]
            assert library.status(corpus=name).documents == len(members[name])
            hits = library.search("harbour tide", corpus=name, limit=1000)
            assert {hit.document_id for hit in hits} == members[name]
        for name in changes:  # a corpus that is closed takes what it alone knew out of the others' sight
            library.corpora.update(name, CorpusSettings(visibility="firewalled", sensitivity="local_only"))
            closed = library.corpora.get(name).settings.policy
            old = policy_of(name)
            shelf.seen = [(one, closed if its == old else its, path) for one, its, path in shelf.seen]
            check(shelf, old)
            check(shelf, closed)


@pytest.fixture
def shelf(tmp_path: Path, runtime: Runtime) -> Iterator[Shelf]:
    made = Shelf(tmp_path, runtime)
    with made.library:
        yield made


@pytest.mark.parametrize("surface", SURFACES)
def test_every_surface_is_recorded_and_leads_to_one_document(shelf: Shelf, surface: str):
    """The same bytes by another way in are no new work (STO-10)."""
    shelf.put(0, "open", "corpus")
    shelf.put(0, "open", surface)
    (document,) = shelf.library.documents()
    assert len(document.paths) == len({path for _, _, path in shelf.seen})
    assert len(document.versions) == 1
    assert len(shelf.library.context.index.documents.instances(document.id)) == len({"corpus", surface})


def test_an_unknown_surface_is_refused(shelf: Shelf):
    with pytest.raises(UsageError, match="unknown surface 'pigeon'"):
        shelf.library.ingest(b"tide", name="a.txt", surface="pigeon")


def test_already_in_your_system_names_the_corpora_and_the_first_day(shelf: Shelf):
    shelf.put(0, "open", "corpus")
    shelf.put(0, "open", "chat_attachment")
    path = shelf.folder / "again.md"
    path.write_text(TEXTS[0])
    (again,) = shelf.library.ingest_many([path], corpus="open")
    assert again.already_known is not None
    assert again.already_known.corpora == ("open",)
    (elsewhere,) = shelf.library.ingest_many([path], corpus="sealed")
    assert (elsewhere.reused, elsewhere.already_known) == (False, None)
    assert len(elsewhere.document.versions) == 1


def test_a_corpus_that_asks_has_its_own_policy(shelf: Shelf):
    shelf.put(0, "open", "corpus")
    (document,) = shelf.library.documents(corpus="open")
    for ask in (shelf.library.documents, shelf.library.status):
        with pytest.raises(UsageError, match="one of corpus and policy"):
            ask(corpus="open", policy=PolicyContext())
    with pytest.raises(UsageError, match="differs from that of the document object"):
        document.similar(corpus="sealed")
    assert document.similar(corpus="open") == []
    assert shelf.library.status().documents == 0
