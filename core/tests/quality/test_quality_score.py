"""The built-in score falls with what is wrong, and says nothing where there is nothing to be assessed."""

from __future__ import annotations

import pytest
from octavo.quality import assess
from octavo.quality.calibrated import Model, Weight, parse_model, shipped_model
from octavo.quality.features import SAMPLED_PAGES, features
from octavo_contracts import (
    Category,
    Conversion,
    DocumentClassification,
    Page,
    QualityEvidence,
    RoutingType,
    Table,
)

SENTENCE = "The harbour office keeps a record of every ship that enters the bay.\n"
PDF = QualityEvidence(media_type="application/pdf", source_page_count=3, expected_chars=(len(SENTENCE) * 20,) * 3)


def pages_of(text: str, *, count: int = 3, tables: tuple[Table, ...] = ()) -> Conversion:
    pages = tuple(Page(number=number, markdown=text, text=text, tables=tables) for number in range(1, count + 1))
    return Conversion(pages=pages, paginated=True)


def score_of(text: str, evidence: QualityEvidence = PDF) -> float:
    score = assess(pages_of(text), evidence).quality_score
    assert score is not None
    return score


def test_the_score_falls_with_the_share_of_the_text_that_is_left() -> None:
    """All of it, half, a tenth (QLT-3)."""
    scores = [score_of((SENTENCE * 20)[: int(len(SENTENCE) * 20 * share)]) for share in (1.0, 0.5, 0.1)]
    assert scores[0] > scores[1] > scores[2]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace("e", "\ufffd"),
        lambda text: text.replace("harbour", "(cid:12)(cid:13)(cid:14)(cid:15)"),
        lambda text: " ".join(text.replace(" ", "")),
        lambda text: text.replace(" ", ""),
    ],
    ids=["replacement characters", "names of characters", "letters apart", "spaces lost"],
)
def test_junk_lowers_the_score(damage: object) -> None:
    assert callable(damage)
    assert score_of(damage(SENTENCE * 20)) < score_of(SENTENCE * 20)


def test_tables_that_the_classifier_saw_and_the_text_does_not_have_lower_the_score() -> None:
    seen = DocumentClassification(
        category=Category.PDF_TEXT,
        routing_type=RoutingType.TEXT_NATIVE_PDF,
        classification_confidence=0.9,
        has_tables=True,
    )
    conversion = pages_of(SENTENCE * 20)
    without = seen.model_copy(update={"has_tables": False})
    lost, none = (assess(conversion, PDF, classification=one).quality_score for one in (seen, without))
    assert lost is not None
    assert none is not None
    assert lost < none


def test_malformed_tables_lower_the_score() -> None:
    good = Table(rows=(("Day", "High"), ("Mon", "4.1"), ("Tue", "4.3")))
    bad = Table(rows=(("Day", "High"), ("Mon",), ("Tue", "4.3", "0.7")))
    scores = [assess(pages_of(SENTENCE * 20, tables=(table,)), PDF).quality_score or 0 for table in (good, bad)]
    assert scores[0] > scores[1]


def test_a_blank_page_is_not_assessed_and_a_lost_text_is_worth_nothing() -> None:
    """Not assessed is not the same as good (QLT-1)."""
    assert assess(pages_of(""), QualityEvidence(media_type="text/plain")).quality_score is None
    assert assess(pages_of(""), PDF, recognised={1, 2, 3}).quality_score is None
    assert assess(pages_of(""), PDF).quality_score == 0.0


def test_what_was_not_assessed_has_no_number() -> None:
    found = features(pages_of(SENTENCE), QualityEvidence(media_type="application/pdf"))
    assert not {"yield", "malformed", "ocr_confidence", "tables_lost"} & set(found)
    assert {"junk", "furniture", "log_chars", "is_pdf"} <= set(found)


@pytest.mark.parametrize(
    ("media_type", "family"),
    [
        ("text/html", "html"),
        ("message/rfc822", "email"),
        ("image/png", "image"),
        ("application/vnd.ms-excel", "sheet"),
        ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "slides"),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "document"),
        ("application/json", "other"),
    ],
)
def test_documents_of_one_form_are_compared_with_each_other(media_type: str, family: str) -> None:
    assert features(pages_of(SENTENCE), QualityEvidence(media_type=media_type))[f"is_{family}"] == 1.0


def test_furniture_of_pages_is_seen() -> None:
    pages = tuple(
        Page(number=number, markdown="", text=f"Annual report {number}\n{SENTENCE * number}") for number in range(1, 9)
    )
    found = features(Conversion(pages=pages, paginated=True), PDF)
    assert found["furniture"] == 1.0


def test_many_pages_are_looked_at_no_more_closely_than_a_few() -> None:
    """Only pages of the sample decide what the text looks like."""
    pages = [Page(number=number, markdown="", text=SENTENCE) for number in range(1, 1001)]
    pages[1] = Page(number=2, markdown="", text="\ufffd" * 50)
    assert features(Conversion(pages=tuple(pages), paginated=True), PDF)["junk"] == 0.0
    assert len(pages) > SAMPLED_PAGES


def test_a_model_survives_its_file() -> None:
    model = Model(bias=0.5, weights={"junk": Weight(slope=-1.25, missing=0.0, mean=1e-7, scale=3e-9)})
    assert parse_model(model.to_json()) == model
    assert model.score({"junk": 1.0}) < model.score({})


def test_the_shipped_weights_have_the_sense_of_their_numbers() -> None:
    """Damage never raises the score, confidence never lowers it."""
    weights = shipped_model().weights
    against = {"junk", "mojibake", "letters_apart", "run_together", "malformed", "tables_lost", "furniture"}
    assert all(weights[name].slope <= 0 for name in against & set(weights))
    assert all(weights[name].slope >= 0 for name in {"ocr_confidence", "ocr_lowest", "yield"} & set(weights))
