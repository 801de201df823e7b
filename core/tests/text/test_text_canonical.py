"""Canonical text: folding, pages, breaks (DIG-6 … DIG-8)."""

import hashlib
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from octavo.text.canonical import CanonicalText, canonical_body, canonicalise, fold, join_bodies
from octavo_contracts import page_spans, resolve_locator

ANY_TEXT = st.text(st.characters(codec=None), max_size=300)


@given(ANY_TEXT)
def test_folding_twice_is_folding_once(text):
    assert fold(fold(text)) == fold(text)


@given(ANY_TEXT)
def test_folded_text_is_nfc_utf8_without_line_breaks_or_outer_space(text):
    folded = fold(text)
    folded.encode("utf-8")
    assert unicodedata.is_normalized("NFC", folded)
    assert folded == " ".join(folded.split())


def test_lone_surrogates_and_nul_become_the_replacement_character():
    assert fold("a\x00b\ud800c") == "a\ufffdb\ufffdc"


def test_decomposed_letters_are_composed():
    assert fold("Cafe\u0301") == "Café"


@given(ANY_TEXT)
def test_body_equals_the_folded_text_and_breaks_begin_blocks(text):
    body = canonical_body(text)
    assert body.text == fold(text.replace("\r\n", "\n").replace("\r", "\n"))
    assert list(body.breaks) == sorted(set(body.breaks))
    for place in body.breaks:
        assert 0 < place < len(body.text)
        assert body.text[place - 1] == " "


def test_breaks_stand_at_paragraph_starts():
    body = canonical_body("One\nstill one.\n\n  \nTwo.\r\n\r\nThree.")
    assert [body.text[place:] for place in body.breaks] == ["Two. Three.", "Three."]


@given(st.lists(ANY_TEXT, min_size=1, max_size=5))
def test_page_spans_are_found_again_in_the_joined_text_alone(pages):
    """The separators are exact, so the archived text by itself tells the pages (DIG-7, R-2)."""
    text = join_bodies([canonical_body(page) for page in pages], paginated=True)
    assert page_spans(text.text) == text.pages
    for number, page in enumerate(pages, start=1):
        body = fold(page.replace("\r\n", "\n").replace("\r", "\n"))
        assert text.page_text(number) == body
        assert resolve_locator(text.text, f"page:{number}:char:0-{len(body)}") == body


def test_separators_and_empty_pages_are_exact():
    text = join_bodies([canonical_body("one"), canonical_body(""), canonical_body("three")], paginated=True)
    assert text.text == "one\n\n---PAGE 2---\n\n\n\n---PAGE 3---\n\nthree"


def test_a_separator_written_in_a_document_does_not_make_a_page():
    text = join_bodies([canonical_body("a\n\n---PAGE 2---\n\nb"), canonical_body("c")], paginated=True)
    assert len(page_spans(text.text)) == 2
    assert text.page_text(1) == "a ---PAGE 2--- b"


def test_canonicalising_a_canonical_text_is_the_identity():
    text = canonicalise("Some  text.\n\nMore.")
    assert canonicalise(text) is text


def test_the_hash_is_that_of_the_archived_bytes():
    text = canonicalise("Ümläut 🦀")
    assert text.sha256 == hashlib.sha256("Ümläut 🦀".encode()).hexdigest()


def test_an_archived_text_gives_its_pages_back():
    text = join_bodies([canonical_body("one"), canonical_body("two")], paginated=True)
    again = CanonicalText.from_archive(text.text)
    assert (again.pages, again.paginated) == (text.pages, True)
