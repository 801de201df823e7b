"""The signs of loss, the score made of them, and the flag for tables that are lost (QLT-1, QLT-3)."""

from __future__ import annotations

import time
from pathlib import Path

import octavo
import pytest
from octavo.builtins.quality.assess import assess
from octavo.builtins.quality.expected import CEILING, LEAST, Weights
from octavo.builtins.quality.loss_signals import losses
from octavo.builtins.quality.thresholds import QualityThresholds
from octavo_contracts import (
    Conversion,
    ConversionWarning,
    DocumentMetadata,
    IngestionResult,
    Page,
    PageSight,
    QualityEvidence,
    Table,
)
from octavo_text.word_statistics import words

SAMPLES = Path(__file__).resolve().parents[3] / "docs/samples"
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
TEXT = "The keeper of the light reads the gauge at dawn and writes each figure down before the tide has turned. " * 4
PIPES = "\n\n| hour | feet |\n| --- | --- |\n| 4 | 12 |\n| 5 | 11 |\n| 6 | 9 |\n"
TWO_ROWS = Table(rows=(("hour", "feet"), ("4", "12")))
GRID = Table(rows=tuple((f"station {row}", str(row), str(row * row)) for row in range(6)))


def pages(*texts: str, tables: tuple[Table, ...] = ()) -> Conversion:
    made = (Page(number=at, markdown=text, text=text, tables=tables) for at, text in enumerate(texts, start=1))
    return Conversion(pages=tuple(made), paginated=True)


def whole(text: str, *, markdown: str | None = None, metadata: DocumentMetadata | None = None) -> Conversion:
    page = Page(number=1, kind="whole", markdown=text if markdown is None else markdown, text=text)
    return Conversion(pages=(page,), paginated=False, metadata=metadata or DocumentMetadata())


def sheet(markdown: str) -> Conversion:
    return Conversion(pages=(Page(number=1, kind="sheet", markdown=markdown, text=TEXT),), paginated=True)


def evidence(*sights: PageSight, media_type: str = PDF, count: int | None = None) -> QualityEvidence:
    return QualityEvidence(
        media_type=media_type, source_page_count=count or len(sights) if media_type == PDF else None, sights=sights
    )


def score(conversion: Conversion, known: QualityEvidence) -> float:
    found = assess(conversion, known).quality_score
    assert found is not None
    return found


def convert(name: str, *, plugin: str | None = None) -> IngestionResult:
    return octavo.convert(SAMPLES / name, plugin=plugin).result


@pytest.mark.parametrize(
    "name",
    [
        "visitors-book.txt",
        "field-notes.md",
        "tide-table.csv",
        "storm-warning.eml",
        "staff-handbook.docx",
        "instruments.xlsx",
    ],
)
def test_a_sound_document_is_not_doubted(name: str) -> None:
    """A reader of a sound text is not frightened."""
    report = convert(name).quality_report
    assert report.quality_score is not None
    assert report.quality_score >= 0.9
    assert report.user_visible_status == "ok"


def test_a_pdf_whose_tables_are_lost_is_degraded_and_says_where() -> None:
    result = convert("annual-report.pdf", plugin="pypdf")
    report = result.quality_report
    assert result.ingestion_status == "degraded_complete"
    assert "tables_lost" in report.degraded_flags
    assert report.table_integrity_score == 0.0
    assert report.quality_score is not None
    assert report.quality_score < 0.7
    finding = next(finding for finding in report.findings if finding.flag == "tables_lost")
    assert finding.page is not None
    assert "conversion has none" in finding.message
    assert finding.remedy


def test_a_converter_that_keeps_the_tables_is_not_flagged_and_scores_more() -> None:
    kept, lost = (
        assess(pages(TEXT, TEXT, tables=tables), evidence(sight(1), sight(2, rows=6))) for tables in ((GRID,), ())
    )
    assert [finding.flag for finding in lost.findings] == ["tables_lost"]
    assert lost.findings[0].page == 2
    assert not kept.findings
    assert (kept.quality_score or 0) > (lost.quality_score or 0)
    assert (kept.table_integrity_score, lost.table_integrity_score) == (1.0, 0.0)


def sight(page: int = 1, *, rows: int = 0, headings: int = 0, text: str = TEXT, picture: float = 0.0) -> PageSight:
    return PageSight(page=page, text=text, table_rows=rows, heading_lines=headings, picture_share=picture)


def test_tables_in_markdown_count_as_tables() -> None:
    """A converter may give a table in the text alone."""
    found = assess(pages(TEXT + "\n| a | b |\n| - | - |\n| 1 | 2 |\n"), evidence(sight(rows=6)))
    assert not found.findings


def test_a_short_table_is_a_sign_and_no_flag() -> None:
    few = QualityThresholds().min_lost_rows - 1
    assert not assess(pages(TEXT), evidence(sight(rows=few))).findings
    assert losses(pages(TEXT), evidence(sight(rows=few)))["rows_off"] == 1.0


def test_tables_of_web_pages_place_things_and_are_not_missed() -> None:
    found = assess(whole(TEXT), evidence(sight(rows=30), media_type="text/html"))
    assert not found.findings
    assert found.table_integrity_score is None


def test_without_a_look_at_the_source_nothing_is_said_of_lost_tables() -> None:
    found = assess(pages(TEXT), QualityEvidence(media_type=PDF, source_page_count=1))
    assert found.table_integrity_score is None
    assert not found.findings


def test_a_missing_capability_costs_nothing_where_it_is_not_wanted() -> None:
    """No table, no heading on the page: a converter without tables and headings is as good as one with them."""
    plain = score(pages(TEXT), evidence(sight()))
    assert plain >= 0.9
    assert score(pages("# Gauges\n\n" + TEXT), evidence(sight())) == plain


@pytest.mark.parametrize(
    ("name", "better", "worse", "known"),
    [
        ("headings_lost", pages("# Gauges\n\n" + TEXT), pages(TEXT), evidence(sight(headings=2))),
        ("words_missing", pages(TEXT), pages(TEXT[:200]), evidence(sight())),
        ("disorder", pages(TEXT), pages(" ".join(sorted(TEXT.split()))), evidence(sight())),
        ("surplus", whole(TEXT), whole(TEXT + "Comment by nobody. " * 30), evidence(sight(), media_type=DOCX)),
        ("rows_off", pages(TEXT, tables=(GRID,)), pages(TEXT, tables=(TWO_ROWS,)), evidence(sight(rows=6))),
        ("rows_off", pages(TEXT + PIPES), pages(TEXT), evidence(sight(rows=4))),
        (
            "headings_off",
            whole(TEXT, markdown="# Gauges\n\n" + TEXT),
            whole(TEXT, markdown="# A\n\n## B\n\n" + TEXT),
            evidence(sight(headings=1), media_type=DOCX),
        ),
        ("lists", whole(TEXT), whole(TEXT, markdown="1. dawn\n2. dusk\n"), evidence(media_type=DOCX)),
        ("brief", whole(TEXT), whole(TEXT[:100]), evidence(media_type=DOCX)),
        (
            "sheets_parted",
            sheet(PIPES),
            sheet(PIPES + "\n\n" + PIPES),
            evidence(media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ),
        (
            "page_pictures",
            whole(TEXT),
            whole(TEXT, markdown=TEXT + "\n\n![A lamp](lamp.png)"),
            evidence(media_type="text/html"),
        ),
        (
            "teasers",
            whole(TEXT),
            whole(TEXT, markdown=TEXT + "\n\nThe tide that nobody saw coming, and what the keeper…"),
            evidence(media_type="text/html"),
        ),
        (
            "links",
            whole(TEXT),
            whole(TEXT, markdown=TEXT + "\n* [Weather](/w)\n* [Sport and everything else](/s)" * 9),
            evidence(sight(), media_type="text/html"),
        ),
        (
            "fields_lost",
            whole(TEXT, metadata=DocumentMetadata(fields=dict.fromkeys(("subject", "from", "to", "date"), "x"))),
            whole(TEXT),
            evidence(media_type="message/rfc822"),
        ),
        (
            "warned",
            whole(TEXT),
            whole(TEXT).model_copy(
                update={"warnings": (ConversionWarning(code="partial_conversion", message="a part is lost"),)}
            ),
            evidence(media_type="text/plain"),
        ),
    ],
)
def test_a_sign_of_loss_lowers_the_score(
    name: str, better: Conversion, worse: Conversion, known: QualityEvidence
) -> None:
    assert losses(worse, known)[name] > losses(better, known).get(name, 0.0)
    assert score(worse, known) < score(better, known)


@pytest.mark.parametrize(
    ("name", "better", "worse"),
    [
        ("pictures", sight(), sight(picture=1.0)),
        ("formulas", sight(), sight(text=TEXT + "∑ α → β ≤ γ ∫ ∂x " * 8)),
        ("short_tables_lost", sight(), sight(rows=9)),
        ("short_lines", sight(), sight(text=TEXT.replace(" ", "\n", 40))),
        ("lone_letters", sight(), sight(text=TEXT + "f x y z " * 8)),
    ],
)
def test_a_source_that_is_hard_to_read_lowers_what_is_expected(name: str, better: PageSight, worse: PageSight) -> None:
    one, other = (losses(pages(item.text), evidence(item)) for item in (better, worse))
    assert other[name] > one[name]
    assert Weights.shipped().expected(other) < Weights.shipped().expected(one)


@pytest.mark.parametrize("name", ["rows_off", "short_tables_lost", "headings_lost", "short_lines", "lone_letters"])
def test_what_is_wrong_with_a_page_weighs_less_in_a_long_document(name: str) -> None:
    """A document of one page may be its table; one of a hundred is its text."""
    shown = sight(rows=9, headings=1, text=TEXT + "x\n" * 9)
    one, hundred = (losses(pages(*[TEXT] * count), evidence(shown, count=count)) for count in (1, 100))
    assert hundred[name] == pytest.approx(one[name] / 10)


def test_a_whole_may_have_more_rows_than_the_page_that_was_seen() -> None:
    signs = losses(
        whole(TEXT).model_copy(update={"pages": (whole(TEXT).pages[0].model_copy(update={"tables": (GRID, GRID)}),)}),
        evidence(sight(rows=6), sight(2), count=2),
    )
    assert signs["rows_off"] == 0.0


def test_xml_names_its_parts_in_its_own_words() -> None:
    assert losses(whole(TEXT), evidence(media_type="application/jats+xml"))["xml"] == 1.0
    assert "xml" not in losses(whole(TEXT), evidence(media_type="application/xhtml+xml"))


def test_a_mailbox_has_no_fields_to_lose() -> None:
    assert "fields_lost" not in losses(whole(TEXT), evidence(media_type="application/mbox"))


def test_marks_without_words_lower_the_score_however_sure_the_recogniser_is() -> None:
    """What a script leaves that the recogniser does not know: its punctuation."""
    known = evidence(sight()).model_copy(update={"ocr_confidences": (0.95,)})
    read, unknown = (assess(pages(text), known, recognised={1}) for text in (TEXT, "Γ 3 . , , - ? « . lamp » , . - 1"))
    assert (unknown.quality_score or 0) < (read.quality_score or 0) - 0.05


def test_characters_that_were_counted_go_before_characters_that_were_estimated() -> None:
    """A converter that gives pages in other units makes the estimate a thousandfold."""
    short = "Receipt 12: one lamp, paid in full by the keeper at noon."
    found = assess(pages(short), evidence(sight(text=short)).model_copy(update={"expected_chars": (9000,)}))
    assert found.text_yield_score == 1.0
    assert not found.findings


def test_greek_is_no_formula() -> None:
    text = "Ο φύλακας του φάρου διαβάζει τη στάθμη την αυγή και γράφει κάθε αριθμό πριν γυρίσει η παλίρροια. " * 4
    assert losses(pages(text), evidence(sight(text=text)))["formulas"] < 0.1


def test_recognised_pages_are_not_held_against_their_bad_text_layer() -> None:
    signs = losses(pages(TEXT), evidence(sight(text="x" * 400, rows=9)), recognised={1})
    assert "rows_off" not in signs
    assert "words_missing" not in signs
    assert not assess(pages(TEXT), evidence(sight(rows=9)), recognised={1}).findings


def test_another_text_than_the_sources_is_flagged() -> None:
    """As when a text that runs from the right comes out from the left."""
    found = assess(pages(TEXT[::-1]), evidence(sight()))
    assert [finding.flag for finding in found.findings] == ["low_text_yield"]


def test_a_short_page_that_is_complete_has_all_its_text() -> None:
    short = "Receipt 12: one lamp, paid in full by the keeper at noon."
    found = assess(pages(short), evidence(sight(text=short)))
    assert found.text_yield_score == 1.0
    assert not found.findings


def test_a_converter_that_tells_no_pages_apart_is_held_against_its_whole_text() -> None:
    sights = (sight(1, text=TEXT), sight(2, text=TEXT.upper(), rows=6))
    signs = losses(whole(TEXT + TEXT), evidence(*sights, count=2))
    assert signs["words_missing"] == 0.0
    assert signs["rows_off"] == pytest.approx(0.5 * 2**-0.5)


def test_words_that_a_line_end_parts_are_joined_and_characters_without_spaces_are_words() -> None:
    assert words("light-\r\nhouse keeper") == ["lighthouse", "keeper"]
    assert words("灯台 守") == ["灯", "台", "守"]


def test_not_assessed_is_not_good() -> None:
    """A conversion that holds nothing of which anything could be said has no score."""
    empty = Conversion(pages=(Page(number=1, kind="whole", markdown="", text=""),), paginated=False)
    assert assess(empty, QualityEvidence(media_type="text/plain")).quality_score is None


def test_no_sign_gives_the_ceiling_and_every_weight_speaks_against() -> None:
    shipped = Weights.shipped()
    assert shipped.expected({}) == pytest.approx(CEILING)
    assert shipped.of
    assert all(weight >= 0 for weight in shipped.of.values())
    worst = shipped.expected(dict.fromkeys(shipped.of, 1.0))
    assert LEAST <= worst < LEAST + 0.01


@pytest.mark.parametrize(
    "long",
    [
        "\n" * 200_000,
        "x-" + "\n" * 50_000 + "|" * 50_000,
        "[" * 60_000,
        "| " * 60_000,
        "." * 60_000,
        "…" * 60_000,
        "1" * 60_000,
        "|-" * 60_000,
    ],
)
@pytest.mark.parametrize("media_type", [PDF, "text/html", DOCX])
def test_what_repeats_delays_nobody(long: str, media_type: str) -> None:
    """The look is linear in the length, whatever stands there."""
    begun = time.process_time()
    assess(whole("# Title" + long + "end"), evidence(sight(rows=9), media_type=media_type))
    assert time.process_time() - begun < 2


SPARSE = Table(rows=tuple(("", f"line {row} of the report", "") for row in range(6)))
"""What becomes of prose whose lines are taken for rows: most cells are empty."""


def garbled(conversion: Conversion, media_type: str = PDF) -> list[str]:
    found = assess(conversion, evidence(sight(1), media_type=media_type))
    return [finding.message for finding in found.findings if finding.flag == "tables_garbled"]


def test_tables_of_mostly_empty_cells_are_garbled() -> None:
    """CNV-2: in a PDF the cells were guessed."""
    (message,) = garbled(pages(TEXT, tables=(SPARSE,)))
    assert message.startswith("67% of the cells of its tables are empty, most of them on page 1: ")


def test_the_score_of_tables_falls_with_their_empty_cells():
    """QLT-1: a score of 1 beside the flag would deny it."""
    found = assess(pages(TEXT, tables=(SPARSE,)), evidence(sight(1)))
    assert found.table_integrity_score == pytest.approx(1 / 3, abs=0.01)


def test_a_sparse_table_among_full_ones_is_a_table() -> None:
    assert garbled(pages(TEXT, tables=(SPARSE, GRID, GRID))) == []


@pytest.mark.parametrize("media_type", [DOCX, "text/html", "text/csv"])
def test_empty_cells_of_a_format_that_has_cells_are_empty(media_type: str) -> None:
    assert garbled(whole(TEXT).model_copy(update={"pages": pages(TEXT, tables=(SPARSE,)).pages}), media_type) == []


def test_how_many_cells_may_be_empty_is_a_threshold() -> None:
    known, made = evidence(sight(1)), pages(TEXT, tables=(SPARSE,))
    assert "tables_garbled" not in [
        one.flag for one in assess(made, known, QualityThresholds(max_empty_cells=0.7)).findings
    ]


def test_a_matrix_with_full_heads_may_be_half_empty() -> None:
    """A table of correlations holds nothing above its diagonal."""
    names = ["tide", "wind", "fog", "swell", "rain"]
    rows = (
        ("", *names),
        *((name, *("0.5" if column <= row else "" for column in range(5))) for row, name in enumerate(names)),
    )
    assert garbled(pages(TEXT, tables=(Table(rows=rows),))) == []
