"""The benchmark of parts kept: its documents, its patterns and its table, with converters that keep all and nothing."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.benchmarks.fidelity.counting import kept_parts, mean_of, measure, short_of, table
from tests.benchmarks.fidelity.documents import VARIANTS, Made, documents, words_of
from tests.benchmarks.fidelity.open_documents import OLD_WORD, old_word_documents, open_documents

PAGE = Made(construct="link", name="a.html", data=b"x", parts=(r"\[the page\]\(https://example\.org/w\)", "other"))


def test_each_construct_has_a_document_of_one_part_and_more() -> None:
    counts = Counter((made.construct, made.format) for made in documents())
    assert set(counts.values()) == {VARIANTS}
    assert {form for _, form in counts} == {"docx", "eml", "html", "pptx", "xlsx"}


def test_open_formats_have_a_document_of_each_construct() -> None:
    made = list(open_documents(words_of(2)))
    assert {one.format for one in made} == {"epub", "odt", "rtf"}
    assert all(len(one.parts) == 2 for one in made)
    assert {one.construct for one in made} >= {"heading", "link", "table", "superscript"}


def test_old_word_files_come_from_word_documents_alone() -> None:
    others = [made for made in documents() if made.format != "docx" or made.construct not in OLD_WORD]
    assert list(old_word_documents(others)) == []


def test_documents_are_the_same_in_every_run_but_for_the_dates_of_packages() -> None:
    names = [[made.name for made in documents()] for _ in range(2)]
    assert names[0] == names[1]
    assert len(set(names[0])) == len(names[0])


def test_a_part_is_kept_where_its_pattern_stands_in_the_markdown() -> None:
    assert kept_parts(PAGE, "See [the page](https://example.org/w).") == [True, False]


def test_shares_are_counted_by_construct_format_and_converter(capsys: pytest.CaptureFixture[str]) -> None:
    def fails(path: object) -> str:
        raise ValueError("no converter")

    shares = measure([PAGE], {"octavo": lambda path: "other [the page](https://example.org/w)", "broken": fails})
    assert shares == {"link": {"html": {"octavo": 1.0, "broken": 0.0}}}
    assert "broken failed at a.html" in capsys.readouterr().err
    assert mean_of(shares, "octavo") == 1.0
    assert short_of(shares, "octavo", 0.98) == []
    assert short_of(shares, "broken", 0.98) == [("link", "html", 0.0)]
    assert table(shares).splitlines()[-1] == "| **mean** |  | **1.00** | **0.00** |"
