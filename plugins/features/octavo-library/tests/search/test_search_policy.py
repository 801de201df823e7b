"""A search sees what its corpus and policy may see, and nothing else (STO-5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from octavo_contracts import UsageError
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.storage import PolicyContext


def ids(found):
    return {hit.document_id for hit in found}


def test_a_corpus_gives_its_own_documents_only(library, add):
    first, second, shared = add("One of wind", corpus="a"), add("Two of wind", corpus="b"), add("Both of wind")
    add("Both of wind", corpus="a")
    add("Both of wind", corpus="b")
    assert ids(library.search("wind", corpus="a")) == {first, shared}
    assert ids(library.search("wind", corpus="b")) == {second, shared}
    assert ids(library.search("wind")) == {first, second, shared}


def test_a_firewalled_corpus_is_searched_by_its_name_only(library, add):
    library.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
    secret, shared = add("Secret of wind", corpus="sealed"), add("Shared of wind", corpus="sealed")
    add("Shared of wind")
    assert ids(library.search("wind", corpus="sealed")) == {secret, shared}
    assert ids(library.search("wind")) == {shared}
    assert ids(library.search("wind", policy=PolicyContext())) == {shared}


def test_a_policy_sees_what_came_in_under_it(library, add):
    loose, kept = add("One of wind"), add("Two of wind", corpus="a")
    assert ids(library.search("wind", policy=PolicyContext())) == {loose}
    assert ids(library.search("wind", policy=library.corpora.get("a").settings.policy)) == {kept}
    assert library.search("wind", policy=PolicyContext(sensitivity="privileged")) == []
    with pytest.raises(UsageError, match="one of corpus and policy"):
        library.search("wind", corpus="a", policy=PolicyContext())


def test_documents_follow_their_corpus_to_another_policy(library, add):
    document = add("One of wind", corpus="a")
    before = library.context.index.documents.instances(document)
    open_policy = library.corpora.get("a").settings.policy
    library.corpora.update("a", replace(library.corpora.get("a").settings, visibility="firewalled"))
    assert ids(library.search("wind", corpus="a")) == {document}
    assert library.search("wind") == []
    assert library.search("wind", policy=open_policy) == []
    assert len(library.context.index.documents.instances(document)) == 1
    assert library.context.index.documents.instances(document) != before
    add("One of wind", corpus="a")
    assert len(library.context.index.documents.instances(document)) == 1


def test_a_document_taken_out_of_a_corpus_is_not_found_there(library, add):
    document = add("One of wind", corpus="a")
    assert ids(library.search("wind", corpus="a")) == {document}
    library.corpora.remove_document(document, "a")
    assert library.search("wind", corpus="a") == []


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["wind one", "wind two", "wind three"]),
            st.sampled_from([None, "a", "b", "c"]),
            st.sampled_from([None, "ambient", "firewalled"]),
        ),
        max_size=6,
    )
)
def test_no_search_gives_a_document_known_elsewhere_only(library, add, steps: list[tuple[Any, ...]]):
    """Documents come in by any corpus, corpora change their visibility: each search is compared with a model."""
    for text, corpus, visibility in steps:
        if corpus and visibility:
            if corpus not in {known.name for known in library.corpora.list()}:
                library.corpora.create(corpus)
            library.corpora.update(corpus, CorpusSettings(visibility=visibility))
        document = add(text, corpus=corpus)
        members = library.__dict__.setdefault("_model", set())
        members.add((document, corpus))
    members = library.__dict__.get("_model", set())
    sealed = {corpus.name for corpus in library.corpora.list() if corpus.settings.visibility == "firewalled"}
    for corpus in library.corpora.list():
        expected = {document for document, name in members if name == corpus.name}
        assert ids(library.search("wind", corpus=corpus.name)) == expected
    assert ids(library.search("wind")) == {document for document, name in members if name not in sealed}
