"""Likeness that is offered and never merged (STO-9), the scenarios of STO-10, and the border of policies (STO-5)."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from octavo_contracts import UsageError
from octavo_library import Library
from octavo_library.facade.similarity import KEYS, similar_documents, similarity, sketch_text
from octavo_library.storage import PolicyContext, Provenance, ReuseEvent

WORDS = [
    "harbour",
    "tide",
    "noon",
    "boat",
    "rope",
    "anchor",
    "buoy",
    "channel",
    "pilot",
    "storm",
    "lantern",
    "quay",
    "signal",
    "ballast",
    "chart",
    "mist",
]


def prose(seed: int, length: int = 400) -> list[str]:
    chooser = random.Random(seed)
    return [f"{chooser.choice(WORDS)}{chooser.randrange(50)}" for _ in range(length)]


def test_the_same_file_again_is_no_new_work(library: Library, file: Path) -> None:
    """Scenario A: into a corpus, later into a chat."""
    first = library.ingest(file, corpus="law", plugin="pages")
    again = library.ingest(file.read_bytes(), name="notes.txt", surface="chat_attachment")
    assert (again.reused, again.document_id) == (True, first.document_id)
    assert len(again.document.versions) == 1


def test_a_second_corpus_is_a_second_membership(library: Library, file: Path) -> None:
    """Scenario B: one conversion, two memberships."""
    first, second = library.ingest(file, corpus="law", plugin="pages"), library.ingest(file, corpus="news")
    assert (second.reused, len(second.document.versions)) == (True, 1)
    assert len(library.context.index.paths.corpora_of(second.document.id)) == 2
    assert first.document_id == second.document_id


def test_three_surfaces_are_one_document_with_its_paths(library: Library, file: Path, tmp_path: Path) -> None:
    """Scenario C: the same bytes from three ways in."""
    paths = [file, tmp_path / "from-mail.txt", tmp_path / "from-web.txt"]
    for path, surface in zip(paths, ("corpus", "email_attachment", "browser_capture"), strict=True):
        path.write_bytes(file.read_bytes())
        library.ingest(path, surface=surface, plugin="pages")
    (document,) = library.documents()
    assert [os.path.basename(path) for path in document.paths] == [path.name for path in paths]
    assert len(library.context.index.documents.instances(document.id)) == 3
    assert len(document.versions) == 1


def test_a_revision_is_another_document_that_is_offered_and_linked_by_the_user(library: Library) -> None:
    """Scenario D: similar, and not the same."""
    words = prose(1)
    first = library.ingest(" ".join(words).encode(), name="v1.txt", plugin="pages").document
    words[100:104] = ["quite", "another", "clause", "stands"]
    second = library.ingest(" ".join(words).encode(), name="v2.txt", plugin="pages").document
    library.ingest(" ".join(prose(2)).encode(), name="other.txt", plugin="pages")

    (offer,) = second.similar()

    assert (offer.document_id, offer.kind, offer.title) == (first.id, "similar_text", first.title)
    assert 0.85 < offer.score < 1.0
    assert tuple(second.links) == ()
    second.links.add(offer.document_id, kind="revises")
    assert len(library.documents()) == 3
    assert second.similar(threshold=1.0) == []


def test_the_same_text_in_other_bytes_is_offered_first(library: Library) -> None:
    """Two scans of one page, recognised alike: other bytes, one text."""
    words = prose(3)
    one = library.ingest(" ".join(words).encode(), name="a.txt", plugin="pages").document
    two = library.ingest("  ".join(words).encode(), name="b.txt", plugin="pages").document
    near = library.ingest(" ".join([*words, "and", "more"]).encode(), name="c.txt", plugin="pages").document
    assert [(offer.document_id, offer.kind) for offer in one.similar()] == [
        (two.id, "same_text"),
        (near.id, "similar_text"),
    ]
    assert [offer.document_id for offer in one.similar(limit=1)] == [two.id]
    with pytest.raises(UsageError, match="there is no corpus"):
        one.similar(corpus="absent")


def test_documents_without_words_resemble_nothing(make_shelf: Callable[[], Any]) -> None:
    shelf = make_shelf()
    ids = [shelf.add(f"blank {n}", Provenance(path=None), text=" ") for n in range(3)]
    assert similar_documents(shelf.artifacts, shelf.index, ids[0], policy=PolicyContext()) == []


def test_a_sketch_follows_the_active_version(library: Library, file: Path) -> None:
    document = library.ingest(file, plugin="pages").document
    assert library.maintenance.update_similarity() == 1
    assert library.maintenance.update_similarity() == 0
    document.reconvert(plugin="headed")
    assert library.maintenance.update_similarity() == 1
    sketch = library.context.index.sketches.get(document.id)
    assert sketch is not None
    assert sketch.hashes == sketch_text(library.document(document.id).canonical_text)


def test_a_text_that_can_not_be_read_stops_nobody(library: Library, file: Path) -> None:
    document = library.ingest(file, plugin="pages").document
    (library.path / "by_hash" / document.raw_hash / "conversions" / "v1" / "canonical.txt").unlink()
    assert document.similar() == []


def jaccard(one: list[str], other: list[str]) -> float:
    runs = [{tuple(words[i : i + 4]) for i in range(len(words) - 3)} for words in (one, other)]
    return len(runs[0] & runs[1]) / len(runs[0] | runs[1])


@pytest.mark.parametrize("changed", [0, 5, 20, 60, 150, 400])
def test_the_estimate_is_near_the_true_similarity(changed: int) -> None:
    """Five standard errors of a sketch of 256; and what is alike by half shares a key."""
    words = prose(4, 2000)
    other = list(words)
    for place in random.Random(changed).sample(range(2000), changed):
        other[place] = f"new{place}"
    one, two = sketch_text(" ".join(words)), sketch_text(" ".join(other))
    true = jaccard(words, other)
    assert abs(similarity(one, two) - true) <= 5 * (max(true * (1 - true), 0.001) / 256) ** 0.5
    assert true < 0.5 or set(one[:KEYS]) & set(two[:KEYS])


def test_scripts_without_blanks_are_cut_by_sign() -> None:
    one = sketch_text("潮が正午に満ちて船が港を出た。灯台の光が霧の中で見えた。")
    two = sketch_text("潮が正午に満ちて船が港を出た。灯台の光が霧の中で消えた。")
    assert 0.5 < similarity(one, two) < 1.0
    assert sketch_text("") == ()
    assert similarity((), ()) == 0.0


POLICIES = [PolicyContext(), PolicyContext(visibility="firewalled"), PolicyContext(sensitivity="privileged")]
PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=10)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(came=PAIRS, purged=st.sets(st.integers(0, 5), max_size=1))
def test_no_query_under_one_policy_returns_what_is_known_under_another_alone(
    make_shelf: Callable[[], Any], came: list[tuple[int, int]], purged: set[int]
) -> None:
    """Six documents with much the same text come in, in any order, under any of three policies; one may be purged."""
    shelf = make_shelf()
    index, artifacts = shelf.index, shelf.artifacts
    known: dict[int, set[int]] = {number: set() for number in range(len(POLICIES))}
    ids: dict[int, str] = {}
    text = " ".join(prose(5, 60))
    for number, policy in came:
        sighting = Provenance(path=f"file:///shelf/{number}", policy=POLICIES[policy])
        if number not in ids:
            ids[number] = shelf.add(f"document {number}", sighting, text=text + " end" * (number % 2))
        else:
            index.jobs.record_reuse([ReuseEvent(document_id=ids[number], sighting=sighting)])
        known[policy].add(number)
    for number in purged & ids.keys():
        index.purges.begin_document(ids.pop(number), size=0, stored=0, ocr_pages={}, held_by=[], by="test")
        for numbers in known.values():
            numbers.discard(number)

    for policy, numbers in known.items():
        mine = {ids[number] for number in numbers}
        context = POLICIES[policy]
        assert {one.document_id for one in index.documents.page(policy=context)} == mine
        assert sum(index.documents.status_counts(policy=context).values()) == len(mine)
        same = {number: hashlib.sha256((text + " end" * (number % 2)).encode()).hexdigest() for number in ids}
        for number, document_id in ids.items():
            raw_hash = hashlib.sha256(f"document {number}".encode()).hexdigest()
            told = index.documents.already_known(raw_hash, policy=context)
            assert (told is not None) == (number in numbers)
            assert set(index.documents.with_hash("text", same[number], policy=context)) <= mine
            page = hashlib.sha256(b"page" + (text + " end" * (number % 2)).encode()).hexdigest()
            assert set(index.documents.with_hash("page", page, policy=context)) <= mine
            offers = similar_documents(artifacts, index, document_id, policy=context)
            assert {offer.document_id for offer in offers} == mine - {document_id}
            for ref in (document_id, raw_hash, f"file:///shelf/{number}"):
                if number in numbers:
                    assert index.documents.resolve(ref, policy=context) == document_id
                else:
                    with pytest.raises(UsageError, match="no document matches"):
                        index.documents.resolve(ref, policy=context)
