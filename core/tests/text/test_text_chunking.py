"""Chunks tile their page, keep within bounds and are stable (DIG-12, R-7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo.text.canonical import canonical_body, join_bodies
from octavo.text.chunking import ChunkingConfig, chunk_spans, make_chunks
from octavo_contracts import PageAnchor, PageAnchorMap

WORDS = st.text(st.sampled_from("ab e.!?,;。，🦀é\n"), max_size=1500)
SMALL = ChunkingConfig(version="small", target=40, maximum=50, minimum=5)


def document(*pages):
    return join_bodies([canonical_body(page) for page in pages], paginated=len(pages) > 1)


@given(st.lists(WORDS, min_size=1, max_size=3))
def test_chunks_of_a_page_concatenate_to_the_page(pages):
    text = document(*pages)
    spans = chunk_spans(text, SMALL)
    for page in text.pages:
        inside = [span for span in spans if page.start <= span.start and span.end <= page.end and span.end > span.start]
        assert "".join(span.of(text.text) for span in inside) == page.of(text.text)
    assert all(any(page.start <= span.start and span.end <= page.end for page in text.pages) for span in spans)


@given(WORDS)
def test_chunks_keep_within_bounds(page):
    """No chunk is longer than the maximum; none is shorter than the minimum unless it is its page's only one."""
    text = document(page)
    spans = chunk_spans(text, SMALL)
    assert all(span.end - span.start <= SMALL.maximum for span in spans)
    if len(spans) > 1:
        assert all(span.end - span.start >= SMALL.minimum for span in spans)


def test_cuts_prefer_blocks_then_sentences_then_clauses_then_words():
    config = ChunkingConfig(version="t", target=20, maximum=30, minimum=5)

    def first(text):
        body = document(text)
        return chunk_spans(body, config)[0].of(body.text)

    assert first("Alpha beta.\n\nGamma delta epsilon zeta eta theta iota.") == "Alpha beta. "
    assert first("Alpha beta gamma. Delta epsilon zeta eta theta iota.") == "Alpha beta gamma. "
    assert first("Alpha beta, gamma delta epsilon zeta eta theta iota") == "Alpha beta, "
    assert first("Alpha beta gamma delta epsilon zeta eta theta iota") == "Alpha beta gamma "
    assert first("x" * 70) == "x" * 30


def test_cjk_sentences_end_without_a_space():
    config = ChunkingConfig(version="t", target=8, maximum=12, minimum=2)
    text = document("海は広い。空は青い。山は高いです。川は長いです。")
    assert next(span.of(text.text) for span in chunk_spans(text, config)) == "海は広い。空は青い。"


def test_ids_depend_on_text_and_config_alone():
    text = document("word " * 300)
    ids = [chunk.chunk_id for chunk in make_chunks(text, PageAnchorMap(()))]
    assert ids == [chunk.chunk_id for chunk in make_chunks(document("word " * 300), PageAnchorMap(()))]
    assert len(set(ids)) == len(ids)
    assert not set(ids) & {chunk.chunk_id for chunk in make_chunks(text, PageAnchorMap(()), SMALL)}


def test_a_chunk_knows_its_page_and_where_it_is_shown():
    text = document("one", "two")
    anchors = PageAnchorMap(
        (
            PageAnchor(page=1, text_start=0, text_end=3, markdown_start=0, markdown_end=5),
            PageAnchor(
                page=2, text_start=text.pages[1].start, text_end=text.pages[1].end, markdown_start=7, markdown_end=12
            ),
        )
    )
    chunks = make_chunks(text, anchors)
    assert [chunk.page for chunk in chunks] == [1, 2]
    assert chunks[1].markdown_span is not None
    assert (chunks[1].markdown_span.start, chunks[1].markdown_span.end) == (7, 12)


def test_an_empty_text_has_no_chunks():
    assert chunk_spans(document("")) == ()


@pytest.mark.parametrize("sizes", [(0, 1, 1), (5, 4, 9), (1, 9, 8)])
def test_sizes_that_do_not_fit_are_refused(sizes):
    minimum, target, maximum = sizes
    with pytest.raises(ValueError, match="chunk sizes"):
        ChunkingConfig(minimum=minimum, target=target, maximum=maximum)
