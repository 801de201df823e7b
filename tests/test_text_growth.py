"""What scales with a document's text takes time linear in it, or ends at its deadline (ENG-11, DIG-12, DIG-20).

No time is asserted. The texts are so long that an algorithm which is worse than linear, or takes hundreds of steps a character,
would run for many minutes; `HANG` is the guard that ends it then.
"""

from __future__ import annotations

import asyncio
import re
import sys
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo.builtins.classification.document_types import TypeEvidence, document_type
from octavo.plugins.budget import TimeBudget
from octavo_brief import make_brief
from octavo_contracts import Conversion, ConversionTimeout, Page, Span
from octavo_contracts.authoring.markdown import escape_line_starts
from octavo_digest import PlainDigestor, canonical_html, extract_sentences
from octavo_library.entities import normal_form
from octavo_library.facade.document_annotations import find_again
from octavo_library.search.query import parse
from octavo_sandbox import SandboxLimits
from octavo_text.canonical import canonicalise
from octavo_text.chunking import chunk_spans
from octavo_text.deadline import DeadlineExceeded, checkpoint, deadline
from octavo_text.markdown import plain_text
from octavo_text.normal_forms import normalised
from octavo_text.version_texts import join_pages

HANG = 100.0
"""Seconds after which a computation that should take about one counts as one that does not end."""
MARKS = "\u0301\u0327\u0323\u0345\u0344\u05b0\u05bc\u0f71\u0f73\u3099\uff9e"


def whole(text: str) -> Conversion:
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text, text=text),), paginated=False)


@pytest.mark.parametrize("sign", [".", "?!", "…", ".\"'", "؟", "。」", ".a", ", ", "a"])
def test_a_line_of_one_sign_is_cut_into_chunks(sign: str) -> None:
    """Chunking looked at the rest of a row of full stops again from each of them: 20 µs a character."""
    text = canonicalise(sign * (8_000_000 // len(sign)))
    with deadline(HANG):
        spans = chunk_spans(text)
    assert spans[0].start == 0
    assert spans[-1].end == len(text.text)
    assert all(one.end == other.start for one, other in pairwise(spans))
    assert max(span.end - span.start for span in spans) <= 500


def test_a_sentence_end_is_still_found_behind_a_row_of_full_stops() -> None:
    text = canonicalise("tide" * 95 + "." * 30 + "a " + "tide" * 100)
    assert chunk_spans(text)[0].end == 412
    text = canonicalise("tide" * 95 + "." * 30 + ' "' + "tide" * 100)
    assert chunk_spans(text)[0].end == 411


def test_combining_marks_out_of_order_are_folded() -> None:
    """Python's normalisation takes the square of the length of a run of marks: a quarter of an hour for these."""
    text = canonicalise("e" + "\u0301\u0327" * 500_000).text
    assert text == "\u0229" + "\u0327" * 499_999 + "\u0301" * 500_000


@given(st.text(st.sampled_from(MARKS + "aeÅ한ｶ "), max_size=120), st.sampled_from(["NFC", "NFKC"]))
def test_a_normal_form_is_that_of_unicodedata(text: str, form: str) -> None:
    text = text.replace("a", "\u0327\u0301" * 20)
    assert normalised(form, text) == unicodedata.normalize(form, text)  # type: ignore[arg-type]  # one of the two forms


def test_marks_are_neither_letters_nor_blanks_but_for_the_two_that_are_looked_for() -> None:
    """A long run of marks is looked for as a run of other signs, in the Unicode version of each Python."""
    marks = {
        mark
        for mark in map(chr, range(sys.maxunicode + 1))
        if all(map(unicodedata.combining, unicodedata.normalize("NFKD", mark)))
    }
    assert len(marks) > 900
    assert {mark for mark in marks if re.match(r"[\w\s\x00-\u02ff]", mark)} == {"\uff9e", "\uff9f"}


@pytest.mark.parametrize("form", ["NFC", "NFKC"])
@pytest.mark.parametrize("mark", MARKS)
def test_a_million_marks_are_normalised_in_time(mark: str, form: str) -> None:
    """`unicodedata` sorts a run of marks by insertion: hours for a million of two classes in turn."""
    with deadline(HANG):
        made = normalised(form, "a" + f"{mark}\u0301\u0327" * 100_000)  # type: ignore[arg-type]  # as above
    assert len(made) >= 200_000


def test_an_organisation_is_named_without_its_forms_however_many() -> None:
    assert normal_form("Quay" + " Co" * 300_000, label="company").key == "quay"
    assert normal_form("a" + "," * 300_000 + "b", label="company").key == "a" + "," * 300_000 + "b"


def test_the_type_of_a_page_of_full_stops_is_told() -> None:
    """The dots of a table of contents were looked for from each dot again: minutes for a page of them."""
    evidence = TypeEvidence(pages=["." * 30_000] * 2, media_type="text/plain")
    assert document_type(evidence).document_type == "unknown"
    contents = "\n".join(f"Chapter {number} . . . . . . {number}0" for number in range(1, 9))
    titled = TypeEvidence(pages=[f"Manual\ncontents\n{contents}"], media_type="text/plain", page_count=10)
    assert document_type(titled).document_type == "manual"


def test_a_brief_of_case_numbers_without_numbers_is_made() -> None:
    assert make_brief(canonicalise("CaseNo." * 150_000), ["CaseNo." * 150_000]).case_numbers == ()


def test_the_columns_of_a_caption_are_taken_off_a_long_line() -> None:
    lines = ["District Court", "a" + ")" * 300_000 + "b", "Plaintiffs"]
    markdown = "\n\n".join(lines)
    caption = make_brief(canonicalise(markdown), [markdown]).caption
    assert caption is not None
    assert [party.value[:3] for party in caption.first_parties] == ["a))"]


def test_lines_that_stand_only_within_longer_words_are_left_out() -> None:
    """Each was looked for at every place of a window of 20,000 characters, and none moved the window on: 2 ms a line."""
    long = "ba " * 16_000 + "ba"
    markdown = f"*{long}*\n\n" + "a\n\n" * 150_000 + "# Tides"
    text = canonicalise(f"{long}\n\n" + "a\n\n" * 150_000 + "Tides")
    assert make_brief(text, [markdown]).sections == ()
    assert [one.title.value for one in make_brief(canonicalise("a\n\nTides"), ["a\n\n# Tides"]).sections] == ["Tides"]


def test_lines_of_open_brackets_are_shown_as_they_are_after_some() -> None:
    """The parser takes 100 µs for each: minutes for a text of a few megabytes."""
    lines = "\n\n".join(["[1] " * 499] * 201 + ["[" * 1999] * 2000)
    brief = make_brief(canonicalise(f"{lines}\n\nTides"), [f"{lines}\n\n# Tides"])
    assert [one.title.value for one in brief.sections] == ["Tides"]


@pytest.mark.parametrize("opening", ["<!--", "<?a ", "<![CDATA[", "<a "])
def test_html_in_markdown_whose_comments_never_end_is_read(opening: str) -> None:
    assert plain_text(f"<div>tide</div>\n{opening * 100_000}").startswith("\ntide\n")


def test_a_quote_that_stands_everywhere_is_found_again_near_its_place() -> None:
    text = "." * 2_000_000
    assert find_again(text, "." * 1000, near=1_500_000, before="..", after="..") == Span(start=1_500_000, end=1_501_000)
    assert find_again("tide " * 9, "tide", near=21, before="", after="") == Span(start=20, end=24)
    assert find_again("a tide", "tide", near=9, before="", after="") == Span(start=2, end=6)
    assert find_again("a tide", "tide", near=0, before="", after="") == Span(start=2, end=6)
    assert find_again("a tide", "ebb", near=0, before="", after="") is None


def test_line_starts_are_escaped_below_many_blank_lines() -> None:
    assert escape_line_starts("\n" * 1_000_000 + " # a") == "\n" * 1_000_000 + " \\# a"


def test_a_query_of_one_long_run_is_parsed() -> None:
    assert parse("か" * 300_000 + "x").wanted


def test_a_deadline_ends_work_at_its_next_checkpoint() -> None:
    checkpoint()
    with deadline(0.0), pytest.raises(DeadlineExceeded, match="deadline of 0 s"):
        checkpoint()
    checkpoint()


def test_of_nested_deadlines_the_earliest_counts() -> None:
    with deadline(0.0), deadline(1000.0), pytest.raises(DeadlineExceeded):
        checkpoint()


@pytest.mark.parametrize("text", ["tide. " * 5_000_000, "潮" * 5_000_000, "a\n\n" * 1_000_000])
def test_the_hosts_own_work_ends_with_the_documents_time(text: str) -> None:
    """Chunks and hashes of an answer that came in time are made in the document's time too."""
    budget = TimeBudget(60.0)
    conversion = whole(text)
    with pytest.raises(ConversionTimeout, match=r"deadline of 0\.05 s"), budget.work(SandboxLimits(wall_seconds=0.05)):
        join_pages(conversion)
    assert not budget.is_used_up


def test_work_that_is_done_in_time_takes_its_time_off_the_budget() -> None:
    budget = TimeBudget(60.0)
    with budget.work(SandboxLimits(wall_seconds=30.0)):
        assert join_pages(whole("High water.")).canonical.text == "High water."
    with pytest.raises(ConversionTimeout, match="are used up"), TimeBudget(0.0).work(SandboxLimits()):
        raise AssertionError("there was no time for it")


@pytest.mark.parametrize("sentence", ["The tide gauge was read. ", "." * 30, "a, "])
def test_a_digest_that_takes_too_long_fails_and_ends(sentence: str) -> None:
    text = canonicalise(sentence * (10_000_000 // len(sentence)))
    outcome = PlainDigestor(timeout=0.05).digest(text, "tide gauge")
    assert (outcome.status, outcome.reason, outcome.payload) == ("failed", "timeout", None)
    assert outcome.warnings == ("the digest failed: processing exceeded its deadline of 0.05 s",)


def test_a_digest_in_a_thread_ends_there_too() -> None:
    """`asyncio.run` waits for its threads: one that went on would hold it up."""
    text = canonicalise("The tide gauge was read. " * 400_000)
    outcome = asyncio.run(PlainDigestor(timeout=0.05).digest_canonical(text, "tide", source_id="s"))
    assert outcome.reason == "timeout"


def test_summary_and_html_look_at_the_clock() -> None:
    sentences = " ".join(f"Gauge w{number} was read at station s{number}." for number in range(200_000))
    with deadline(0.05), pytest.raises(DeadlineExceeded):
        extract_sentences(canonicalise(sentences), "")
    with deadline(0.05), pytest.raises(DeadlineExceeded):
        canonical_html("<p>tide</p>" * 500_000)
