"""Words planted in one policy context appear in nothing that another one is given (STO-5).

Methods are found by introspection: one that takes a corpus or a policy, or that is a document's, and has no recipe here
fails the test until it gets one.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import pytest
from octavo import Settings
from octavo.runtime import Runtime
from octavo_brief import brief
from octavo_contracts import Model, OctavoError, Span
from octavo_library import Library
from octavo_library.facade.acceptance import Acceptance
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.facade.document import Document
from octavo_library.facade.document_annotations import Annotations
from octavo_library.facade.document_links import Links
from octavo_library.facade.document_original import Original
from octavo_library.facade.ingest_options import IngestOptions
from octavo_library.facade.namespaces import namespaces_of
from octavo_library.facade.results import IngestOutcome
from octavo_library.facade.versions import Versions
from octavo_library.storage.index.document_listing import DocumentFilter

TABLE = b"station,height\npier,3.2\nlock,1.9\n"
NOTES = b"# Harbour notes\n\nThe tide turned at noon, and the boats came in with it.\n"
BROKEN = b""

SETTINGS = {
    "firewalled": CorpusSettings(visibility="firewalled", plugin="plaintext"),
    "ambient": CorpusSettings(plugin="plaintext"),
}
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime(Settings(workers=1)) as made:
        yield made


class Side:
    """One policy context: a corpus, files in a folder of their own, and what it does with them."""

    def __init__(self, library: Library, root: Path, kind: str, mark: str) -> None:
        self.library, self.kind, self.mark = library, kind, mark
        self.corpus = f"{mark}corpus"
        self.folder = root / f"{mark}folder"
        self.folder.mkdir()
        library.corpora.create(self.corpus, SETTINGS[kind])
        self.canaries: set[str] = {mark, library.corpora.get(self.corpus).id}
        self.events: list[object] = []

    def file(self, name: str, data: bytes) -> Path:
        path = self.folder / f"{self.mark}{name}"
        path.write_bytes(data)
        return path

    def take_in(self) -> list[IngestOutcome]:
        files = [self.file("table.csv", TABLE), self.file("notes.md", NOTES), self.file("broken.txt", BROKEN)]
        leave = self.library.engine.events.subscribe(self.events.append)
        try:
            done = list(self.library.ingest_many(files, corpus=self.corpus, surface="watched_folder"))
        finally:
            leave()
        policy = self.library.corpora.get(self.corpus).settings.policy
        for one in done:
            self.canaries.update(self.library.context.index.documents.instances(str(one.document_id), policy=policy))
        return sorted(done, key=lambda one: one.source.rpartition(self.mark)[2])

    def documents(self) -> list[Document]:
        return self.library.documents(corpus=self.corpus)

    def say(self) -> None:
        """Every word that a user can say of documents."""
        readable = [one for one in self.documents() if one.active_version is not None]
        for one in readable:
            one.annotations.add("note", text=f"{self.mark} note", by=f"{self.mark} author")
            one.annotations.add(
                "highlight", text=f"{self.mark} mark", span=Span(start=0, end=7), by=f"{self.mark} author"
            )
            one.set_type("contract", by=f"{self.mark} typist")
            one.versions.acceptance.set(note=f"{self.mark} reason", by=f"{self.mark} reader")
        readable[0].links.add(readable[1], kind="related_to", by=f"{self.mark} linker")

    def work(self) -> None:
        """What is done to documents that are there already."""
        for one in [one for one in self.documents() if one.active_version is not None]:
            one.reconvert()
            copy = self.file(f"copy-{one.id}", TABLE if one.media_type == "text/csv" else NOTES)
            one.original.relink(copy)
        self.library.ingest(self.folder / f"{self.mark}notes.md", corpus=self.corpus, reingest=True)


class Pair:
    """Two contexts that have the same bytes; the first was there before."""

    def __init__(self, root: Path, runtime: Runtime, kinds: tuple[str, str]) -> None:
        self.root = root
        self.library = Library.open(root / "library", runtime=runtime)
        self.first = Side(self.library, root, kinds[0], "canary")
        self.second = Side(self.library, root, kinds[1], "sparrow")

    def other(self, side: Side) -> Side:
        return self.second if side is self.first else self.first


@pytest.fixture(params=[("firewalled", "ambient"), ("ambient", "firewalled")], ids=lambda kinds: "-".join(kinds))
def pair(request: pytest.FixtureRequest, tmp_path: Path, runtime: Runtime) -> Iterator[Pair]:
    made = Pair(tmp_path, runtime, request.param)
    with made.library:
        yield made


# -- looking for the words ----------------------------------------------------------------------------------


def text_of(value: object, depth: int = 0) -> str:
    """Everything that an answer holds, as one text."""
    if depth > 8:
        return ""
    match value:
        case None | bool() | int() | float():
            return repr(value)
        case str():
            return value
        case bytes():
            return value.decode("utf-8", "replace")
        case Model():
            return str(value.to_json())
        case OctavoError():
            return f"{value} {value.message} {value.source} {value.remedy} {value.__cause__}"
        case Document():
            return f"{value.id} {value.title} {value.paths} {value.ingested_at}"
        case Mapping():
            return " ".join(text_of(one, depth + 1) for pair in value.items() for one in pair)
    if dataclasses.is_dataclass(value):
        return " ".join(text_of(getattr(value, each.name), depth + 1) for each in dataclasses.fields(value))
    if isinstance(value, Iterable):
        return " ".join(text_of(one, depth + 1) for one in value)
    return repr(value)


def told(call: Callable[[], object]) -> str:
    """What a call gives, or says when it fails."""
    try:
        return text_of(call())
    except OctavoError as error:
        return text_of(error)


def check(what: str, text: str, *, of: Side, since: str | None = None) -> None:
    """No word of a side is in a text, and no time before another side had the bytes."""
    for word in sorted(of.canaries):
        assert word not in text, f"{what} tells {word!r}: …{text[max(0, text.find(word) - 120) :][:300]}"
    for time in _TIME.findall(text) if since is not None else ():
        assert datetime.fromisoformat(time) >= datetime.fromisoformat(str(since)), f"{what} tells the time {time}"


# -- recipes ------------------------------------------------------------------------------------------------

Recipe = Callable[["Pair", Side], object]


def _any(side: Side) -> str:
    return side.documents()[0].id


SCOPED: dict[str, Recipe] = {
    "aingest": lambda pair, side: None,  # as `ingest`, on a thread
    "asearch": lambda pair, side: None,  # as `search`, on a thread
    "catalogue.accepted": lambda pair, side: side.library.catalogue.accepted(corpus=side.corpus),
    "catalogue.extent": lambda pair, side: side.library.catalogue.extent(corpus=side.corpus),
    "catalogue.successors": lambda pair, side: [
        side.library.catalogue.successors([one.id for one in other.documents()], corpus=side.corpus)
        for other in (pair.first, pair.second)
    ],
    "catalogue.replacements": lambda pair, side: [
        side.library.catalogue.replacements([one.id for one in other.documents()], corpus=side.corpus)
        for other in (pair.first, pair.second)
    ],
    "catalogue.count": lambda pair, side: side.library.catalogue.count(DocumentFilter(), corpus=side.corpus),
    "catalogue.counts": lambda pair, side: side.library.catalogue.counts(corpus=side.corpus),
    "catalogue.find": lambda pair, side: side.library.catalogue.find(_any(side), corpus=side.corpus),
    "catalogue.suggestions": lambda pair, side: side.library.catalogue.suggestions(corpus=side.corpus),
    "catalogue.entity": lambda pair, side: [side.library.catalogue.entity(one) for one in side.documents()],
    "catalogue.follow": lambda pair, side: [
        side.library.catalogue.follow(hint, policy=side.documents()[0].policy)
        for hint in side.library.catalogue.suggestions(corpus=side.corpus).values()
    ],
    "runs.estimate": lambda pair, side: side.library.runs.estimate([side.file("once.md", NOTES)], corpus=side.corpus),
    "runs.check_disk": lambda pair, side: side.library.runs.check_disk(
        [side.file("once.md", NOTES)], corpus=side.corpus
    ),
    "runs.check_cost": lambda pair, side: side.library.runs.check_cost(
        [side.file("once.md", NOTES)], IngestOptions(corpus=side.corpus)
    ),
    "catalogue.page": lambda pair, side: side.library.catalogue.page(corpus=side.corpus),
    "find_known": lambda pair, side: side.library.find_known(TABLE, corpus=side.corpus),
    "corpora.get": lambda pair, side: side.library.corpora.get(side.corpus),
    "document": lambda pair, side: side.library.document(_any(side), corpus=side.corpus),
    "documents": lambda pair, side: side.library.documents(corpus=side.corpus),
    "documents_with_hash": lambda pair, side: [
        side.library.documents_with_hash(digest, corpus=side.corpus)
        for digest in (hashlib.sha256(TABLE).hexdigest(), *pair.other(side).canaries)
    ],
    "graph.of": lambda pair, side: [one.model_dump() for one in side.library.graph.of(_any(side), corpus=side.corpus)],
    "entities.list": lambda pair, side: side.library.entities.list(corpus=side.corpus),
    "search_index.update": lambda pair, side: side.library.search_index.update(corpus=side.corpus),
    "ingest": lambda pair, side: told_ingested(side.library.ingest(TABLE, name="again.csv", corpus=side.corpus)),
    "ingest_many": lambda pair, side: [
        told_ingested(one) for one in side.library.ingest_many([side.file("again.md", NOTES)], corpus=side.corpus)
    ],
    "runs.jobs": lambda pair, side: [side.library.runs.jobs(one.id, corpus=side.corpus) for one in side.documents()],
    "recognition.start": lambda pair, side: None,  # as `recognition.run`, on a thread
    "recognition.run": lambda pair, side: list(side.library.recognition.run([_any(side)], corpus=side.corpus)),
    "ingest again": lambda pair, side: told_ingested(
        side.library.ingest(side.file("once.md", NOTES), corpus=side.corpus, reingest=True)
    ),
    "corpora.remove_document": lambda pair, side: told(
        lambda: side.library.corpora.remove_document("absent", side.corpus)
    ),
    "search": lambda pair, side: side.library.search("harbour station", corpus=side.corpus),
    "corpora.set_retention": lambda pair, side: side.library.corpora.set_retention(side.corpus, "everything"),
    "status": lambda pair, side: side.library.status(corpus=side.corpus),
    "recognition.pending": lambda pair, side: side.library.recognition.pending(corpus=side.corpus),
    **{
        f"entities.{name}": lambda pair, side, name=name: told(  # type: ignore[misc]  # bound at once
            lambda: getattr(side.library.entities, name)(
                "Nobody", corpus=side.corpus, **({"where": "x"} if name == "record_use" else {})
            )
        )
        for name in ("promote", "demote", "record_use", "undo")
    },
    "corpora.status": lambda pair, side: side.library.corpora.status(side.corpus),
    "corpora.update": lambda pair, side: side.library.corpora.update(
        side.corpus, side.library.corpora.get(side.corpus).settings
    ),
}
"""Method of `Library` or of one of its namespaces that answers a corpus → how the test calls it."""

OF_DOCUMENT: dict[str, Callable[[Pair, Side, Document], object]] = {
    "versions.acceptance.clear": lambda pair, side, one: told(lambda: one.versions.acceptance.clear()),
    "versions.acceptance.set": lambda pair, side, one: told(lambda: one.versions.acceptance.set(note="mine")),
    "versions.acceptance.history": lambda pair, side, one: [
        one.versions.acceptance.history,
        one.versions.acceptance.current,
    ],
    "versions.activate": lambda pair, side, one: told(lambda: one.versions.activate(99)),
    "annotations.add": lambda pair, side, one: one.annotations.add("note", text="mine"),
    "archive": lambda pair, side, one: one.archive(),
    "annotations.update": lambda pair, side, one: told(lambda: one.annotations.update("absent", text="x")),
    "export": lambda pair, side, one: _exported(pair, one),
    "links.add": lambda pair, side, one: told(lambda: one.links.add("absent")),
    "original.open": lambda pair, side, one: _opened(one),
    "page": lambda pair, side, one: one.page(1),
    "reconvert": lambda pair, side, one: one.reconvert(),
    "original.page_image": lambda pair, side, one: told(lambda: one.original.page_image(1)),
    "original.relink": lambda pair, side, one: told(lambda: one.original.relink(side.folder)),
    "annotations.remove": lambda pair, side, one: told(lambda: one.annotations.remove("absent")),
    "set_type": lambda pair, side, one: one.set_type("manual"),
    "set_plugin": lambda pair, side, one: one.set_plugin(None),
    "similar": lambda pair, side, one: one.similar(threshold=0.0),
    "links.remove": lambda pair, side, one: told(lambda: one.links.remove("absent")),
}
"""Method of `Document` or of one of its collections → how the test calls it. Properties are read by their names."""


def told_ingested(one: IngestOutcome) -> str:
    """All that an answer to an ingest gives."""
    names = (name for name in dir(one) if not name.startswith("_") and name not in ("walk", "document", "attachments"))
    known = " ".join(told(lambda name=name: getattr(one, name)) for name in names)  # type: ignore[misc]  # bound at once
    return f"{known} {one!r} {text_of(vars(one.document).get('_record'))} {one.document.paths}"


def _exported(pair: Pair, one: Document) -> bytes:
    target = pair.root / "out.zip"
    one.export(target)
    return target.read_bytes()


def _opened(one: Document) -> object:
    with one.original.open() as source:
        return source


def ask_everything(pair: Pair, side: Side, *, since: str | None) -> None:
    """Call every public method as one side, and look for the words of the other."""
    of = pair.other(side)
    for name in sorted(SCOPED):
        answer = told(lambda name=name: SCOPED[name](pair, side))  # type: ignore[misc]  # bound at once
        # A corpus is older than what is in it.
        check(f"library.{name}", answer, of=of, since=None if name.startswith("corpora.") else since)
    for document in side.documents():
        # The library's own parts are no answer: whoever holds them is the owner.
        names = {name for name in dir(document) if not name.startswith("_")} - {"context"}
        for name in sorted(names | set(OF_DOCUMENT)):
            fresh = side.library.document(document.id, corpus=side.corpus)
            recipe = OF_DOCUMENT.get(name)
            answer = told(
                lambda: recipe(pair, side, fresh) if recipe is not None else getattr(fresh, name)  # noqa: B023 - at once
            )
            check(f"document.{name}", answer, of=of, since=since)
        check("brief", told(lambda: brief(fresh)), of=of, since=since)  # noqa: B023 - at once


# -- tests --------------------------------------------------------------------------------------------------


def _answers_a_corpus(member: Callable[..., object]) -> bool:
    """Whether a method asks who asks, by a parameter of its own or among the fields of its options."""
    parameters = inspect.signature(member).parameters
    annotations = {name: str(one.annotation) for name, one in parameters.items()}
    return (
        "corpus" in parameters
        or "PolicyContext" in annotations.get("policy", "")
        or "IngestFields" in annotations.get("fields", "")
    )


def _methods(kind: type) -> dict[str, Callable[..., object]]:
    return {name: one for name, one in inspect.getmembers(kind, callable) if not name.startswith("_")}


def test_every_method_that_answers_a_corpus_has_a_recipe() -> None:
    methods = dict(_methods(Library))
    for namespace, kind in namespaces_of(Library).items():
        methods |= {f"{namespace}.{name}": one for name, one in _methods(kind).items()}
    scoped = {name for name, member in methods.items() if _answers_a_corpus(member)}
    assert scoped <= set(SCOPED), "give the new method a recipe"
    assert set(SCOPED) - {"ingest again"} <= set(methods)
    of_document = {name for name, _ in inspect.getmembers(Document, inspect.isfunction) if not name.startswith("_")}
    of_document |= {f"versions.acceptance.{name}" for name in (*_methods(Acceptance), "history")}
    of_document |= {f"annotations.{name}" for name in _methods(Annotations)}
    of_document |= {f"links.{name}" for name in _methods(Links)}
    of_document |= {f"original.{name}" for name in _methods(Original)}
    of_document |= {f"versions.{name}" for name in _methods(Versions) if name not in dir(Sequence)}
    assert of_document == set(OF_DOCUMENT), "give the new method a recipe"


def test_the_first_ingest_in_a_context_answers_as_a_first_one(pair: Pair) -> None:
    """`reused`, "already in your system", the counts of the run and the events; converted work is shared all the same."""
    for side in (pair.first, pair.second):
        done = side.take_in()
        assert [(one.reused, one.already_known) for one in done] == [(False, None)] * 3
        assert [one.result.ingestion_status for one in done] == ["hard_failed", "complete", "complete"]
        counts = pair.library.runs.get("last").counts
        assert (counts.complete, counts.failed, counts.reused) == (2, 1, 0)
        assert [type(event).__name__ for event in side.events].count("JobEnded") == 3
        assert "Reused" not in {type(event).__name__ for event in side.events}
    assert [len(one.versions) for one in pair.library.documents() if one.active_version] == [1, 1]
    again = pair.second.take_in()
    assert [one.reused for one in again] == [True] * 3
    assert {one.already_known.corpora for one in again if one.already_known} == {(pair.second.corpus,)}


def test_no_answer_holds_a_word_of_another_context(pair: Pair) -> None:
    pair.first.take_in()
    pair.first.say()
    pair.first.work()
    began = pair.second.library.context.index.now()
    answers = [told_ingested(one) for one in pair.second.take_in()]
    for answer in answers:
        check("the answer to the first ingest", answer, of=pair.first, since=began)
    ask_everything(pair, pair.second, since=began)
    pair.second.say()
    pair.second.work()
    ask_everything(pair, pair.second, since=began)
    ask_everything(pair, pair.first, since=None)


def test_what_one_context_says_stays_when_the_other_speaks(pair: Pair) -> None:
    for side in (pair.first, pair.second):
        side.take_in()
        side.say()
    for side in (pair.first, pair.second):
        one = next(one for one in side.documents() if one.active_version is not None)
        assert {note.made_by for note in one.annotations} == {f"{side.mark} author"}
        assert one.document_type_by == f"{side.mark} typist"
        assert [link.made_by for link in one.links] == [f"{side.mark} linker"]
        owner = pair.library.document(one.id)
        assert {note.made_by for note in owner.annotations} == {"canary author", "sparrow author"}
    shared = next(one.id for one in pair.second.documents() if one.active_version is not None)
    pair.library.document(shared, corpus=pair.second.corpus).set_type(None)
    assert pair.library.document(shared, corpus=pair.first.corpus).document_type_by == "canary typist"


def test_nothing_is_told_after_removal_repair_and_purge(pair: Pair) -> None:
    pair.first.take_in()
    pair.first.say()
    began = pair.library.context.index.now()
    pair.second.take_in()
    readable = [one.id for one in pair.second.documents() if one.active_version is not None]
    pair.library.corpora.remove_document(readable[0], pair.first.corpus)
    pair.library.maintenance.repair()
    pair.library.maintenance.check_paths(read_contents=True)
    ask_everything(pair, pair.second, since=began)
    pair.library.maintenance.purge(readable[1], confirm=readable[1])
    check(
        "a purged document", told(lambda: pair.library.document(readable[1], corpus=pair.second.corpus)), of=pair.first
    )
    pair.second.take_in()
    ask_everything(pair, pair.second, since=began)


def test_the_original_of_another_context_is_not_opened(pair: Pair) -> None:
    """Neither its path nor that it has one: what is gone from one's own places is gone (STO-11)."""
    pair.first.take_in()
    pair.second.take_in()
    for path in pair.second.folder.iterdir():
        path.unlink()
    for one in pair.second.documents():
        for call in (one.original.open, one.reconvert):
            answer = told(call)
            assert "cannot be opened" in answer or "no path" in answer
            check("a missing original", answer, of=pair.first)
    for path in pair.first.folder.iterdir():
        path.write_bytes(b"something else")
    for one in pair.second.documents():
        assert "has other bytes" not in told(one.original.open)


def test_bytes_that_are_handed_over_are_kept_for_their_own_context(pair: Pair) -> None:
    """Without a path of its own, a context does not live on another one's file (STO-1)."""
    pair.first.take_in()
    one = pair.library.ingest(NOTES, name="handed.md", corpus=pair.second.corpus)
    os.unlink(pair.first.folder / "canarynotes.md")
    with one.document.original.open() as source:
        assert os.pread(source.fd, 100, 0) == NOTES
        check("the original", text_of(source), of=pair.first)


def test_a_document_that_may_not_be_seen_is_as_unknown_as_one_that_is_not_there(pair: Pair) -> None:
    """No answer tells the two apart: neither by its words nor by its kind."""
    hidden = next(one for one in pair.first.take_in() if one.result.ingestion_status == "complete")
    own = pair.library.ingest(b"# Mine\n\nAlone.\n", name="own.md", corpus=pair.second.corpus).document
    absent = "00000000-0000-5000-8000-000000000000"
    library, corpus = pair.library, pair.second.corpus

    def answers(ref: str) -> list[str]:
        calls: list[Callable[[], object]] = [
            lambda: library.document(ref, corpus=corpus),
            lambda: library.runs.jobs(ref, corpus=corpus),
            lambda: library.corpora.remove_document(ref, corpus),
            lambda: own.links.add(ref),
            lambda: own.links.remove(ref),
            lambda: list(library.recognition.run([ref], corpus=corpus)),
        ]
        return [told(call).replace(ref, "REF") for call in calls]

    assert answers(str(hidden.document_id)) == answers(absent)


def test_a_corpus_takes_its_words_with_it_when_its_policy_changes(pair: Pair) -> None:
    pair.first.take_in()
    pair.first.say()
    pair.second.take_in()
    closed = CorpusSettings(visibility="firewalled", sensitivity="privileged")
    pair.library.corpora.update(pair.first.corpus, closed)
    one = next(one for one in pair.first.documents() if one.active_version is not None)
    assert {note.made_by for note in one.annotations} == {"canary author"}
    assert one.document_type_by == "canary typist"
    assert len(one.links) == 1
    assert not next(one for one in pair.second.documents() if one.active_version is not None).annotations


def test_who_names_no_corpus_is_told_of_what_is_not_firewalled(tmp_path: Path, runtime: Runtime) -> None:
    """A file of a corpus that comes again by a chat is known there, with corpus and date (STO-13, scenario A)."""
    with Library.open(tmp_path / "library", runtime=runtime) as library:
        library.corpora.create("open")
        library.corpora.create("sealed", SETTINGS["firewalled"])
        library.ingest(NOTES, name="a.md", corpus="open")
        library.ingest(TABLE, name="a.csv", corpus="sealed")
        again = library.ingest(NOTES, name="b.md", surface="chat_attachment")
        assert again.reused
        assert again.already_known is not None
        assert (again.already_known.corpora, again.already_known.first_seen_at[:2]) == (("open",), "20")
        sealed = library.ingest(TABLE, name="b.csv", surface="chat_attachment")
        assert (sealed.reused, sealed.already_known) == (False, None)
        assert library.find_known(NOTES) is not None


def test_logs_hold_no_word_of_any_context(pair: Pair) -> None:
    """Logs and metrics are the library owner's; what documents are called is in none of them all the same."""
    for side in (pair.first, pair.second):
        side.take_in()
        side.say()
    logs = "".join(path.read_text() for path in (pair.library.path / "logs").glob("*.jsonl"))
    assert [json.loads(line) for line in logs.splitlines()]
    assert "canary" not in logs
    assert "sparrow" not in logs
