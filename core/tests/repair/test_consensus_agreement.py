"""How far other readings agree with a page: evidence, score and notes (QLT-3)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from octavo.builtins.quality.agreement_signals import confirmed, differing_readings, on_agreement
from octavo.builtins.quality.assess import assess
from octavo.conversion.consensus.merge_readings import merge_readings, reading_of
from octavo.conversion.consensus.reading_agreement import agreements
from octavo_contracts import Conversion, Page, PageAgreement, PageSight, QualityEvidence, ReaderAgreement, Table
from octavo_text.markdown import plain_text

BODY = "The keeper read the gauge at dawn and wrote the figure down in the book of the harbour."
OTHER = "harbour the of book the in down figure the wrote and dawn at gauge the read keeper The."
ROWS = (("Ship", "Cargo", "Crew"), ("Freja", "salt", "14"), ("Ran", "fish", "9"))
WIDE = (("Ship Cargo", "Crew"), ("Freja salt", "14"), ("Ran fish", "9"))


def _page(text: str, rows: tuple[tuple[str, ...], ...] = (), **fields: object) -> Conversion:
    tables = (Table(rows=rows),) if rows else ()
    page = Page(number=1, markdown=text, text=plain_text(text), tables=tables, **fields)
    return Conversion(pages=(page,), paginated=True)


def _pages(texts: Iterable[str]) -> Conversion:
    pages = [Page(number=number, markdown=text, text=plain_text(text)) for number, text in enumerate(texts, start=1)]
    return Conversion(pages=tuple(pages), paginated=True)


def _agreement(*conversions: Conversion) -> PageAgreement:
    """The agreement on the page of the first of the readings `one`, `two`, `three`."""
    names = ("one", "two", "three")
    readings = [
        reading_of(each, engine=name, tells_hidden=True) for name, each in zip(names, conversions, strict=False)
    ]
    (found,) = merge_readings(conversions[0], readings, [1], shown={}).agreements
    return found


def test_readings_with_the_same_words_and_headings_agree() -> None:
    found = _agreement(_page(f"# Gauge\n\n{BODY}"), _page(f"# Gauge\n\n{BODY}"))
    assert (found.page, found.plugin) == (1, "one")
    assert found.others == (ReaderAgreement(plugin="two", words=1.0, tables=None, headings=1.0),)
    assert differing_readings([found]) == []


def test_a_running_head_that_one_reading_sets_apart_is_no_difference() -> None:
    apart = _page(BODY, furniture=("Annual report 2025",))
    assert _agreement(apart, _page(f"Annual report 2025\n\n{BODY}")).words == 1.0


@pytest.mark.parametrize(("pages", "agree"), [(3, True), (2, False)], ids=["three pages", "two pages"])
def test_running_heads_that_one_reading_has_as_headings_are_no_difference(pages: int, agree: bool) -> None:
    """A heading that is the first line of three pages, apart from numbers, is a running head."""
    one = _pages(f"Annual report {number}\n\n# Gauge {number}\n\n{BODY}" for number in range(pages))
    two = _pages(f"## Annual report {number}\n\n# Gauge {number}\n\n{BODY}" for number in range(pages))
    readings = [reading_of(each, engine=name, tells_hidden=True) for name, each in (("one", one), ("two", two))]
    found = agreements(one, readings, range(1, pages + 1), ())
    assert {other.headings == 1.0 for page in found for other in page.others} == {agree}


def test_another_order_and_another_grid_are_disagreements() -> None:
    found = _agreement(_page(BODY, ROWS), _page(OTHER, WIDE))
    assert found.words < 0.2
    assert found.tables is not None
    assert found.tables < 0.4


def test_a_table_of_words_that_the_page_has_as_code_is_no_disagreement() -> None:
    """What a program prints stands in columns; a reader that does not look at fonts takes them for a table."""
    lines = "\n".join(" ".join(row) for row in ROWS)
    found = _agreement(_page(f"{BODY}\n\n```\n{lines}\n```"), _page(f"{BODY}\n\n{lines}", ROWS))
    assert (found.words, found.tables) == (1.0, None)


def test_the_reading_that_a_page_was_taken_from_is_no_witness() -> None:
    """Two and three outvote one: the page is by two."""
    found = _agreement(_page(OTHER), _page(BODY), _page(BODY))
    assert found.plugin == "two"
    assert [one.plugin for one in found.others] == ["one", "three"]


def test_a_table_that_no_other_reading_has_is_disputed() -> None:
    lone = PageAgreement(page=1, plugin="one", others=(ReaderAgreement(plugin="two", words=1.0, tables=0.0),))
    assert on_agreement([lone])["tables_disputed"] == 1.0
    half = lone.model_copy(update={"others": (*lone.others, ReaderAgreement(plugin="three", words=1.0, tables=1.0))})
    assert on_agreement([half])["tables_disputed"] == 0.0, "another reading has it as well"


def test_one_bad_reader_disputes_nothing() -> None:
    """QLT-3: a page counts by the reading that confirms it best."""
    others = tuple(ReaderAgreement(plugin=f"reader {words}", words=words) for words in (0.1, 0.4, 1.0))
    assert on_agreement([PageAgreement(page=1, plugin="one", others=others)])["words_disputed"] == 0.0
    alone = PageAgreement(page=1, plugin="one", others=others[:2])
    assert on_agreement([alone])["words_disputed"] > 0.99


def test_what_is_confirmed_is_no_longer_unknown() -> None:
    """QLT-3: short lines and a fixed layout say that a reading is a guess; where another reading makes the same, it is not."""
    page = PageAgreement(page=1, plugin="one", others=(ReaderAgreement(plugin="two", words=1.0),))
    signs = {"fixed_layout": 1.0, "short_lines": 0.5, "formulas": 0.5} | on_agreement([page])

    assert confirmed(signs, [page], pages=1) == signs | {"fixed_layout": 0.0, "short_lines": 0.0}
    assert confirmed(signs, [page], pages=4) == signs | {"fixed_layout": 0.75, "short_lines": 0.375}
    assert confirmed({"fixed_layout": 1.0}, [], pages=1) == {"fixed_layout": 1.0}


def test_a_reader_that_finds_no_tables_and_headings_at_all_does_not_dispute_them() -> None:
    """PDFium gives the text of a page and nothing else."""
    found = _agreement(_page(f"# Gauge\n\n{BODY}", ROWS), _page(f"Gauge\n\n{BODY}"))
    assert found.words == 1.0
    assert (found.tables, found.headings) == (None, None)


def _loses_its_table(*others: ReaderAgreement) -> bool:
    """Whether a page of text is said to have lost a table, on which the look saw one of six rows."""
    sight = PageSight(page=1, text=BODY, table_rows=6)
    agreements = (PageAgreement(page=1, plugin="one", others=others),) if others else ()
    evidence = QualityEvidence(
        media_type="application/pdf", source_page_count=1, sights=(sight,), agreements=agreements
    )
    return any(finding.flag == "tables_lost" for finding in assess(_page(f"{BODY} " * 20), evidence).findings)


def test_a_table_that_no_reader_finds_is_not_lost() -> None:
    """QLT-3: text in columns looks like a table at times; two readers that can find tables find none there."""
    two, three = (ReaderAgreement(plugin=name, words=1.0, reads_tables=True) for name in ("two", "three"))
    lone = ReaderAgreement(plugin="four", words=1.0, tables=0.0, reads_tables=True)
    assert _loses_its_table()
    assert not _loses_its_table(two, three)
    assert not _loses_its_table(two, three, lone), "one of three finds one"


def test_a_table_that_another_reader_finds_is_lost() -> None:
    two = ReaderAgreement(plugin="two", words=1.0, reads_tables=True)
    finds = ReaderAgreement(plugin="three", words=1.0, tables=0.0, reads_tables=True)
    assert _loses_its_table(two, finds)


def test_one_reader_alone_does_not_deny_a_table() -> None:
    """It can miss a table without lines as the conversion did."""
    assert _loses_its_table(ReaderAgreement(plugin="two", words=1.0, reads_tables=True))


def test_a_reader_without_tables_does_not_deny_one() -> None:
    """PDFium gives the text of a page and nothing else."""
    assert _loses_its_table(ReaderAgreement(plugin="pdfium", words=1.0))


def test_pages_without_other_readings_give_no_sign() -> None:
    assert on_agreement([]) == {}
    assert differing_readings([]) == []


def test_notes_name_the_page_and_the_plugins_that_differ() -> None:
    differing = [
        PageAgreement(
            page=page, plugin="pdfium", others=(ReaderAgreement(plugin="xberg", words=page / 20, tables=None),)
        )
        for page in range(1, 13)
    ]
    notes = differing_readings(differing)
    assert [note.page for note in notes] == [*range(1, 9), None]
    assert {note.flag for note in notes} == {"readings_differ"}
    assert {note.severity for note in notes} == {"note"}
    assert "pdfium" in notes[0].message
    assert "xberg 5%" in notes[0].message
    assert notes[-1].message == "readings differ on 4 more pages: 9–12"


def test_the_last_note_names_the_other_pages_by_spans_until_it_is_long() -> None:
    others = (ReaderAgreement(plugin="xberg", words=0.5, tables=None),)
    pages = [page for page in range(1, 400) if page % 5]
    last = differing_readings([PageAgreement(page=page, plugin="pdfium", others=others) for page in pages])[-1]
    assert last.message.startswith("readings differ on 312 more pages: 11–14, 16–19, 21–24, ")
    assert last.message.endswith("131–134, 136–139 and 208 more")
    assert last.page is None


def test_a_page_that_most_readers_confirm_is_in_no_doubt_by_another() -> None:
    """One reader that loses a page is no reason to distrust it."""

    def noted(*words: float, tables: float | None = None) -> bool:
        others = tuple(ReaderAgreement(plugin=str(at), words=one, tables=tables) for at, one in enumerate(words))
        return bool(differing_readings([PageAgreement(page=1, plugin="pdfium", others=others)]))

    assert not noted(0.99, 0.97, 0.0)
    assert not noted(0.99, 0.0)
    assert noted(0.99, 0.5, 0.4)
    assert noted(0.5)
    assert not noted(0.95)
    assert noted(0.99, 0.99, tables=0.2)


def test_disputed_pages_lower_the_score() -> None:
    conversion = _page(f"{BODY} " * 20)
    evidence = QualityEvidence(media_type="application/pdf", source_page_count=1)
    scores = []
    for share in (1.0, 0.8, 0.3):
        other = ReaderAgreement(plugin="two", words=share)
        agreed = PageAgreement(page=1, plugin="one", others=(other,))
        scores.append(assess(conversion, evidence.model_copy(update={"agreements": (agreed,)})).quality_score or 0)
    assert scores[0] > scores[1] > scores[2]
