"""`Library.search`: quotable hits from the active versions, best first."""

from __future__ import annotations

import threading

import pytest
from octavo_contracts import UsageError, resolve_locator
from octavo_library import Library
from octavo_library.search.ranking import RANKED_AT_MOST

FILLER = "The log of the harbour was kept every hour of the day by the keeper of the light. "


def ids(found):
    return [hit.document_id for hit in found]


def test_a_hit_can_be_verified_in_the_documents_own_text(library, add):
    document = add("Log of tides|" + FILLER * 3 + "The gauge broke.|The gauge was mended. " + FILLER * 3)
    found = library.search("gauge")
    assert {hit.page for hit in found} == {2, 3}
    for hit in found:
        assert hit.document_id == document
        assert (hit.title, hit.version) == ("Log", 1)
        assert "gauge" in hit.snippet
        assert hit.locator.startswith(f"page:{hit.page}:char:")
        assert resolve_locator(library.document(document).canonical_text, hit.locator) == hit.snippet
        chunk = next(
            chunk for chunk in library.document(document).result.chunk_manifest if chunk.chunk_id == hit.chunk_id
        )
        assert chunk.page == hit.page
        assert chunk.markdown_span == hit.markdown_span


def test_a_document_without_pages_has_locators_from_its_start(library, add):
    document = add(FILLER * 3 + "A comet 🌠 was seen. " + FILLER)
    (hit,) = library.search("comet")
    assert hit.page is None
    assert hit.markdown_span is None
    assert hit.locator.startswith("char:")
    assert resolve_locator(library.document(document).canonical_text, hit.locator) == hit.snippet


def test_the_rarer_word_and_more_words_come_first(library, add):
    for number in range(8):
        add(f"Note {number} tells of wind")
    both, rare = add("Note of wind and comets"), add("Note of comets alone, and of nothing else at all")
    found = library.search("wind comets")
    assert ids(found)[:2] == [both, rare]
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_equal_scores_are_ordered_by_document(library, add):
    made = [add(f"Note{number} tells of wind") for number in range(5)]
    assert ids(library.search("wind")) == sorted(made)


def test_a_limit_cuts_the_same_order(library, add):
    for number in range(6):
        add(f"Note{number} tells of wind")
    assert library.search("wind", limit=2) == library.search("wind")[:2]


def test_a_search_without_words_finds_nothing_and_a_bad_limit_is_refused(library, add):
    add("Note of wind")
    assert library.search(' -wind "" ') == []
    with pytest.raises(UsageError, match="limit must be at least 1"):
        library.search("wind", limit=0)


def test_an_unknown_corpus_is_refused(library):
    with pytest.raises(UsageError, match="no corpus 'nowhere'"):
        library.search("wind", corpus="nowhere")


def test_only_the_active_version_is_searched(library, add):
    document = add("Note of wind")
    assert ids(library.search("wind")) == [document]
    library.document(document).reconvert(plugin="shouting")
    (hit,) = library.search("shouting")
    assert hit.version == 2
    assert len(library.search("wind")) == 1
    library.document(document).versions.activate(1)
    assert library.search("shouting") == []
    assert [hit.version for hit in library.search("wind")] == [1]


def test_documents_without_text_count_as_searched(library, add):
    add("Note|   |")
    found = library.search("note")
    assert (len(found), found.complete) == (1, True)


def test_a_search_that_runs_out_of_time_says_so_and_the_next_one_goes_on(library, add, monkeypatch):
    for number in range(3):
        add(f"Note{number} of wind")
    monkeypatch.setattr("octavo_library.search.chunk_batches.BATCH_CHUNKS", 1)
    first = library.search("wind", seconds=0)
    assert (len(first), first.pending, first.complete) == (1, 2, False)
    assert library.search_index.update(seconds=0).pending == 1
    last = library.search("wind")
    assert (len(last), last.pending) == (3, 0)


def test_indexing_ahead_leaves_the_search_nothing_to_do(library, add):
    add("Note of wind")
    report = library.search_index.update()
    assert (report.indexed, report.removed, report.pending, report.unreadable) == (1, 0, 0, {})
    assert library.search_index.update().indexed == 0


def test_threads_search_at_once(library, add):
    add("Note of wind")
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(len(library.search("wind")))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [1] * 8


def test_a_closed_library_lets_go_of_the_index_and_another_opening_finds_it(library, add, root):
    add("Note of wind")
    library.search("wind")
    library.context.chunk_index.close()
    with Library.open(root, runtime=library.context.runtime) as again:
        assert again.search_index.update().indexed == 0
        assert len(again.search("wind")) == 1


@pytest.mark.slow
def test_common_words_do_not_hide_rare_ones(library, add):
    """More rows than are scored: all with the rarer word are, then those with every word, then some others."""
    many = RANKED_AT_MOST + 500
    common = " ".join(f"the harbour log entry number {number} is kept here." for number in range(many))
    add(common)
    rare = add("Zephyr note: the harbour is closed")
    both = add("Another note: the harbour log is closed for the zephyr")
    assert ids(library.search("the harbour zephyr"))[:2] in ([rare, both], [both, rare])
    found = library.search("the harbour", limit=20)
    assert len(found) == 20
    assert len(library.search('"the harbour log"', limit=20)) == 20
    assert set(ids(library.search("the -number", limit=20))) == {rare, both}


def test_a_corpus_is_searched_by_its_own_chunk_sets(library, add):
    """STO-7: another config is read where its sets exist; documents are chunked again only when somebody asks."""
    document = add(FILLER * 4, corpus="long")
    settings = library.corpora.get("long").settings
    library.corpora.update("long", type(settings)(chunking="fixed-200-300-20"))
    before = library.search("keeper", corpus="long")
    assert before.complete
    assert max(len(hit.snippet) for hit in before) <= 60
    assert library.search_index.update(corpus="long").indexed == 1
    after = library.search("keeper", corpus="long")
    assert ids(after) == [document] * len(after)
    assert max(len(hit.snippet) for hit in after) > 100
    assert max(len(hit.snippet) for hit in library.search("keeper")) <= 60
    for hit in after:
        assert resolve_locator(library.document(document).canonical_text, hit.locator) == hit.snippet
