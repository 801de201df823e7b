"""Canonical text: folding, pages, breaks (DIG-6 … DIG-8)."""

import hashlib
import unicodedata
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo_contracts import Span, page_spans, resolve_locator
from octavo_text.canonical import CanonicalText, canonical_body, canonicalise, fold, hash_texts, join_bodies

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


def test_a_canonical_text_can_not_be_changed():
    """Its hash is made once, and what was quoted from it must stay in it."""
    with pytest.raises(FrozenInstanceError):
        canonicalise("one").text = "two"


def test_an_archived_text_gives_its_pages_back():
    text = join_bodies([canonical_body("one"), canonical_body("two")], paginated=True)
    again = CanonicalText.from_archive(text.text)
    assert (again.pages, again.paginated) == (text.pages, True)


def test_an_archived_text_without_separators_has_no_pages():
    again = CanonicalText.from_archive("one page of a text")
    assert (again.pages, again.paginated, again.breaks) == ((Span(start=0, end=18),), False, ())


def test_a_document_of_one_page_keeps_it():
    """Only the reader of the file knows: the text of one page looks like that of none."""
    assert join_bodies([canonical_body("one")], paginated=True).paginated
    assert not canonicalise("one").paginated
    assert not CanonicalText("one", (Span(start=0, end=3),)).paginated


def test_breaks_count_from_the_start_of_the_whole_text():
    text = join_bodies([canonical_body("a b\n\nc"), canonical_body("d\n\ne f\n\ng")], paginated=True)
    assert [text.text[place] for place in text.breaks] == ["c", "e", "g"]
    assert list(text.breaks) == sorted(text.breaks)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_the_ends_of_lines_may_be_those_of_any_system(newline):
    body = canonical_body(newline.join(["one", "still one", "", "two", "", "", "three"]))
    assert body.text == "one still one two three"
    assert [body.text[place:] for place in body.breaks] == ["two three", "three"]


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("  two  blanks ", "two blanks"),
        ("tab\tand\u00a0no-break\u2003space", "tab and no-break space"),
        ("line\nbreaks \n here", "line breaks here"),
        ("soft\u00adhyphen", "soft\u00adhyphen"),  # not printable, and no white space
        (" e\u0301 ", "é"),
        ("e\u0301  e\u0301", "é é"),
        ("", ""),
    ],
)
def test_white_space_folds_to_one_blank_and_nothing_else_does(text, folded):
    """DIG-6."""
    assert fold(text) == folded


def test_texts_are_hashed_each_for_itself():
    assert hash_texts(["Ümläut", ""]) == tuple(hashlib.sha256(text.encode()).hexdigest() for text in ("Ümläut", ""))
