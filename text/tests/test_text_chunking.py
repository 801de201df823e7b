"""Chunks tile their page, keep within bounds and are stable (DIG-12, R-7)."""

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo_contracts import PageAnchor, PageAnchorMap, UsageError
from octavo_text.canonical import canonical_body, join_bodies
from octavo_text.chunking import DEFAULT_CHUNKING, ChunkingConfig, chunk_spans, chunking_named, make_chunks

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


@pytest.mark.parametrize("sizes", [(0, 1, 1), (-1, 1, 1), (5, 4, 9), (1, 9, 8)])
def test_sizes_that_do_not_fit_are_refused(sizes):
    minimum, target, maximum = sizes
    with pytest.raises(ValueError, match="chunk sizes"):
        ChunkingConfig(minimum=minimum, target=target, maximum=maximum)


# -- where a cut goes ---------------------------------------------------------------------------------------------


def ending_at(places, mark, length):
    """A text of so many code points, without any boundary but those given: each mark ends at its place."""
    text, before = "", 0
    for place in places:
        text += "a" * (place - before - len(mark)) + mark
        before = place
    return text + "a" * (length - before)


def cuts(text, config):
    return [span.end for span in chunk_spans(text, config)][:-1]


@pytest.mark.parametrize(
    "mark", ["\n\n", ". ", ".”)” ", ", ", " "], ids=["block", "sentence", "quotation", "clause", "word"]
)
@pytest.mark.parametrize(
    "config",
    [
        ChunkingConfig(version="middle", target=14, maximum=20, minimum=4),
        ChunkingConfig(version="low", target=6, maximum=20, minimum=4),
        ChunkingConfig(version="half", target=10, maximum=20, minimum=3),
        ChunkingConfig(version="high", target=19, maximum=20, minimum=4),
        ChunkingConfig(version="exact", target=20, maximum=20, minimum=20),
    ],
    ids=lambda config: config.version,
)
def test_of_boundaries_of_a_kind_the_nearest_to_the_target_is_taken(config, mark):
    """DIG-12: from the minimum to the maximum, both included; of two that are as near the lower; else a hard cut.

    A sentence or a clause is ended by its signs: where they stand before the minimum, only the end of a word is left.
    """

    def nearest(places, least, otherwise):
        allowed = [place for place in places if least <= place <= config.maximum]
        return min(allowed, key=lambda place: (abs(place - config.target), place), default=otherwise)

    for first in range(max(3, len(mark)), 25):
        for second in range(first + len(mark) + 1, 26 + len(mark)):
            text = ending_at((first, second), mark, 60)
            # Between blocks stands one space where two line breaks stood.
            places = (first - 1, second - 2) if mark == "\n\n" else (first, second)
            signs = 0 if mark == "\n\n" else len(mark) - 1
            word = nearest(places, config.minimum, config.maximum)

            assert cuts(document(text), config)[0] == nearest(places, config.minimum + signs, word), (first, second)


def test_a_weaker_kind_counts_only_where_there_is_no_stronger_one():
    """DIG-12's order, though the weaker boundary stands right at the target."""
    config = ChunkingConfig(version="t", target=20, maximum=30, minimum=5)

    assert cuts(document("aaaa aaaa\n\n" + "aaaaa. aaa" + "a" * 40), config)[0] == 10
    assert cuts(document("aaaa aaa. " + "aaaaaaa, a" + "a" * 40), config)[0] == 10
    assert cuts(document("aaaa aaa, " + "aaaaaaaaa " + "a" * 40), config)[0] == 10


def test_each_chunk_is_measured_from_its_own_start():
    config = ChunkingConfig(version="t", target=20, maximum=30, minimum=5)

    assert cuts(document(ending_at((18, 37, 44, 60, 73), ". ", 95)), config) == [18, 37, 60, 73]
    assert cuts(document("a" * 100), config) == [30, 60, 90]


def test_pages_and_their_blocks_are_cut_as_if_they_stood_alone():
    config = ChunkingConfig(version="t", target=20, maximum=30, minimum=5)
    # The words alone would be cut at 20 and 40.
    blocks = "tide tide tide\n\nseal seal seal seal\n\nwind wind wind"
    bodies = [blocks, "", blocks + " wind", "short"]

    text = document(*bodies)

    spans = chunk_spans(text, config)
    assert cuts(document(blocks), config) == [15, 35]
    for body, page in zip(bodies, text.pages, strict=True):
        alone = [(span.start + page.start, span.end + page.start) for span in chunk_spans(document(body), config)]
        assert [(s.start, s.end) for s in spans if page.start <= s.start < page.end] == alone


@pytest.mark.parametrize(
    ("length", "expected"),
    [(29, []), (30, []), (31, [26]), (34, [29]), (35, [30]), (60, [30]), (61, [30, 56]), (65, [30, 60])],
)
def test_a_short_tail_moves_the_boundary_before_it(length, expected):
    """R-7: 5 to 30 characters a chunk; what fits into one is not cut."""
    config = ChunkingConfig(version="t", target=20, maximum=30, minimum=5)

    assert cuts(document("a" * length), config) == expected


def test_a_boundary_that_moves_goes_to_the_best_place_before_it():
    config = ChunkingConfig(version="t", target=20, maximum=30, minimum=5)

    assert cuts(document(ending_at((10, 28), ". ", 33)), config) == [28]
    assert cuts(document(ending_at((10, 29), ". ", 33)), config) == [10]


@pytest.mark.parametrize("end", ["?!”  ", "...) ", "。」", "！！』", "؟ ", "۔۔ ", "…” "])
def test_a_cut_comes_after_all_that_ends_a_sentence(end):
    """Quotation marks, brackets and repeated signs belong to the sentence they close."""
    config = ChunkingConfig(version="t", target=20, maximum=30, minimum=5)
    for before in range(6, 25):
        text = document("a" * before + end + "a" * 40)

        assert cuts(text, config)[0] == len(("a" * before + end).rstrip()) + end.endswith(" ")


@pytest.mark.parametrize("no_end", ["1.24", "a.b", "x؟y", "12:30", "1,000"])
def test_a_sign_within_a_number_or_a_name_ends_nothing(no_end):
    config = ChunkingConfig(version="t", target=20, maximum=30, minimum=5)

    assert cuts(document("a" * 15 + no_end + "a" * 40), config)[0] == 30


# -- configs and ids ----------------------------------------------------------------------------------------------


def test_sizes_may_be_equal():
    assert ChunkingConfig(minimum=1, target=1, maximum=1).maximum == 1


def test_by_default_chunks_have_400_characters_at_most_500_at_least_50():
    """DIG-12."""
    config = ChunkingConfig()

    assert (config.target, config.maximum, config.minimum) == (400, 500, 50)
    assert chunking_named(config.version) == config
    assert cuts(document(ending_at((380, 700), ". ", 1_000)), config) == [380, 700]
    assert cuts(document("a" * 1_020), config) == [500, 970]


def test_the_config_that_all_share_can_not_be_changed():
    with pytest.raises(FrozenInstanceError):
        DEFAULT_CHUNKING.maximum = 600


def test_a_config_is_read_from_its_name():
    """The name of a manifest tells how its chunks were cut (STO-7)."""
    config = chunking_named("fixed-20-30-5")

    assert config == ChunkingConfig(version="fixed-20-30-5", target=20, maximum=30, minimum=5)


@pytest.mark.parametrize(
    "name",
    ["", "fixed", "fixed-400-500", "fixed-400-500-050", "fixed-500-400-50", "fixed-4-5-6", "by-page", "fixed-٤-٥-١"],
)
def test_a_name_of_no_config_is_refused_with_the_form_that_is_expected(name):
    with pytest.raises(UsageError) as caught:
        chunking_named(name)
    assert repr(name) in str(caught.value)
    assert "fixed-TARGET-MAXIMUM-MINIMUM" in str(caught.value.remedy)


def test_ids_stay_the_same_from_release_to_release():
    """STO-7: what a library stored under them is found again."""
    chunks = make_chunks(document("tide " * 150), PageAnchorMap(()))

    assert [(chunk.chunk_id, chunk.config_version, chunk.span.start, chunk.span.end) for chunk in chunks] == [
        ("80f2ea17a215ff62d3c93a46", "fixed-400-500-50", 0, 400),
        ("c4b73cc73f38eec9409365ad", "fixed-400-500-50", 400, 749),
    ]
    assert [(chunk.page, chunk.markdown_span) for chunk in chunks] == [(None, None), (None, None)]


def test_a_page_without_text_has_no_chunks_and_leaves_the_others_theirs():
    text = document("one", "", "three")
    anchors = PageAnchorMap(
        tuple(
            PageAnchor(page=page, text_start=span.start, text_end=span.end, markdown_start=page, markdown_end=page + 1)
            for page, span in enumerate(text.pages, start=1)
        )
    )

    assert [chunk.page for chunk in make_chunks(text, anchors)] == [1, 3]
