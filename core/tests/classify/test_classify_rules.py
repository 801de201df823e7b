"""The parts that need no document: the test for scanned pages, types by text, tables, tokens."""

from __future__ import annotations

import pytest
from octavo.builtins.classification import page_needs_ocr
from octavo.builtins.classification.document_types import TypeEvidence, document_type, has_exhibits, is_dense
from octavo.builtins.classification.scanned import is_garbled, unmapped_share
from octavo.builtins.classification.text_tables import table_rows
from octavo.builtins.classification.tokens import estimate_tokens

A4 = 595 * 842


@pytest.mark.parametrize(
    ("chars", "signs", "expected"),
    [
        (0, {"picture_share": 0.0}, False),
        (0, {"picture_share": 1.0}, True),
        (0, {"picture_share": 0.01}, False),
        (0, {"picture_share": 0.0, "drawn_paths": 500}, True),
        (40, {"picture_share": 0.0, "drawn_paths": 500}, False),
        (40, {"picture_share": 0.04}, False),
        (40, {"picture_share": 0.9}, True),
        (120, {"picture_share": 0.9, "area": A4}, True),
        (200, {"picture_share": 0.9, "area": A4}, False),
        (200, {"picture_share": 0.9, "area": A4, "density_threshold": 0.001}, True),
        (3000, {"picture_share": 1.0, "area": A4}, False),
        (3000, {"picture_share": 1.0, "garbled": True}, True),
        (3000, {"picture_share": 0.1, "garbled": True}, False),
        (3000, {"picture_share": 0.0, "unmapped": 0.8}, True),
        (3000, {"picture_share": 0.0, "marked": True}, True),
        (99, {}, True),
        (100, {}, False),
        (0, {}, True),
    ],
)
def test_the_one_test_for_scanned_pages(chars, signs, expected):
    """CLS-4, CNV-3."""
    assert expected is page_needs_ocr(chars, **signs)


def test_failed_recognition_shows_and_plain_text_does_not():
    assert is_garbled("c~o~r bl1~d b#ld| t0u0o |nd cm~i; l0rt0;sm n#ai Od1c; " * 5)
    assert not is_garbled("Ordinary words in 2025, with (some) marks: e-mail, don't, 3.5 % and so on. " * 5)
    assert not is_garbled("~~ ~~ ~~")


def test_characters_that_stand_for_nothing_are_counted():
    assert unmapped_share("\x04\x05\x06\ufffd\ue001 a") == pytest.approx(5 / 6)
    assert unmapped_share("hyphen\x02ated  \n") == 0
    assert unmapped_share("  \n") == 0


def evidence(*pages: str, **more: object) -> TypeEvidence:
    return TypeEvidence(pages=pages, **{"media_type": "application/pdf", **more})


DEPOSITION = "DEPOSITION OF JANE ROE\nsworn before me\n" + "".join(
    f"{2 * n + 1} Q. And what did you see?\n{2 * n + 2} A. The gauge stood still.\n" for n in range(12)
)
CAPTION = "UNITED STATES DISTRICT COURT\nDISTRICT OF NOWHERE\nJANE ROE, Plaintiff,\nv.\nACME, Defendant.\nCase No. 1:25-cv-1\n"


@pytest.mark.parametrize(
    ("expected", "seen"),
    [
        ("deposition", evidence(DEPOSITION)),
        ("sec_filing", evidence("SECURITIES AND EXCHANGE COMMISSION\nFORM 8-K\nCurrent report")),
        (
            "earnings_call_transcript",
            evidence(
                "Q3 2025 Earnings Conference Call\nOperator: Good day\nCEO: Hi\nOperator: Next\nQuestion-and-answer"
            ),
        ),
        ("complaint", evidence(CAPTION + "COMPLAINT FOR DAMAGES\n1. Plaintiff alleges")),
        ("motion", evidence(CAPTION + "DEFENDANT'S MOTION TO DISMISS")),
        ("expert_report", evidence("EXPERT REPORT OF DR. JANE ROE\nMy qualifications\nMy opinions")),
        (
            "contract",
            evidence("LEASE AGREEMENT\nThis agreement is made by and between A and B\nWHEREAS\ntermination of this"),
        ),
        ("correspondence", evidence("12 May 2025\nDear Ms Roe,\nthank you.\nYours sincerely\nJ. Doe")),
        ("correspondence", evidence("anything", media_type="message/rfc822")),
        ("paper", evidence("Tides\nAbstract\nWe measure.\n1 Introduction\nas in [3], Roe et al\nReferences\n")),
        ("paper", evidence("anything", media_type="application/jats+xml")),
        (
            "manual",
            evidence("The Gauge Handbook\n", "Contents\n" + "1 Start . . . . . . 3\n" * 8, page_count=60),
        ),
        ("unknown", evidence("The keeper read the gauge at dawn and wrote the figure down.")),
        ("unknown", evidence("")),
        ("unknown", evidence("Deposition of sediment in the harbour")),
    ],
)
def test_types_follow_from_the_first_pages(expected, seen):
    """CLS-3, CLS-10; below 0.5 the type stays unknown (CLS-6)."""
    verdict = document_type(seen)
    assert expected == verdict.document_type
    assert (verdict.confidence >= 0.5) is (expected != "unknown")


def test_a_title_in_the_metadata_is_a_hint_beside_the_text():
    """CLS-3. It decides where the text is in doubt; alone it makes no type, and no other than the type that it names."""
    doubtful = "User guide\nThe gauge is read at dawn."
    assert verdict_of(doubtful) == ("unknown", 0.35)
    assert verdict_of(doubtful, titles=("GaugeReader_Handbook-2024",)) == ("manual", 0.5)
    assert verdict_of(doubtful, titles=("Letter of intent",)) == ("unknown", 0.35)
    assert verdict_of("The gauge is read at dawn.", titles=("Handbook",)) == ("unknown", 0.0)
    assert verdict_of(doubtful, titles=("manually signed" * 400,)) == ("unknown", 0.35)


def verdict_of(*pages: str, **more: object) -> tuple[str, float]:
    verdict = document_type(evidence(*pages, **more))
    return verdict.document_type, verdict.confidence


def test_pages_of_even_length_speak_for_a_brief():
    """CLS-3."""
    title = f"{CAPTION}\nMEMORANDUM OF LAW\n"
    prose = "The court should dismiss the claim because the gauge stood still. " * 20
    even = verdict_of(title + prose, prose, prose)
    assert even == ("motion", 1.0)
    assert verdict_of(title + prose, prose, "") == ("motion", 0.95)
    assert verdict_of(title, "short", "short") == ("motion", 0.95)


@pytest.mark.parametrize(
    ("chars", "dense"),
    [([600, 700, 800], True), ([400, 500, 600], False), ([3000, 0, 0, 0, 0], False), ([1000, 200], True), ([], False)],
)
def test_text_is_dense_by_its_average_and_by_its_variation(chars, dense):
    """CLS-3: more than 500 characters a page, with low variation."""
    assert is_dense(chars, variation=1.0) is dense


def test_blank_lines_cost_nothing():
    """Patterns that begin with white space are quadratic in runs of it unless those are gone."""
    assert document_type(evidence("\n" * 200_000 + " \t" * 200_000)).document_type == "unknown"


def test_an_exhibit_in_a_sentence_is_no_mark():
    assert has_exhibits(["x", "EXHIBIT 31.1\n"])
    assert not has_exhibits(["see EXHIBIT A for more"])


def test_rows_of_figures_make_tables_and_contents_do_not():
    rows = "\n".join(f"Label {n} {n}.5 (3) $7" for n in range(4))
    assert table_rows(f"{rows}\nwords\nwords again\nmore words\n{rows}") == (4, 4)
    assert table_rows(rows.replace("Label 2", "Label\nthat wraps 2")) == (4,)
    assert table_rows("\n".join(f"{n}.1 Title . . . . . {n + 10}" for n in range(9))) == ()
    assert table_rows("\n".join(f"{n}5 to {n}9" for n in range(1, 9))) == ()
    assert table_rows("In 1999 there were 12 gauges along the whole of the northern coast of the island.\n" * 9) == ()


def test_tokens_round_up_and_summaries_are_bounded():
    tokens = estimate_tokens(40_001, page_count=2)
    assert (tokens.text_only, tokens.full_pdf, tokens.summary) == (10_001, 13_001, 1000)
