"""What a transcript tells of a recording, whichever engine wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo.conversion.audio import confidences, evidence_of, heard, with_confidences
from octavo.settings.audio import SpeechSettings
from octavo_contracts import (
    Category,
    Conversion,
    DocumentClassification,
    DocumentMetadata,
    OcrConfidenceSummary,
    Page,
    QualityEvidence,
    RoutingType,
)

KEY = "octavo.page_confidences"
RECORDING = DocumentClassification(
    category=Category.AUDIO,
    routing_type=RoutingType.AUDIO,
    classification_confidence=0.0,
    audio_duration=9.0,
    media_type="audio/wav",
)
OPENING = "We are on the record. The witness has been sworn. Counsel, please state your name. "
QUESTIONS = "Did you see him? Yes. Was he alone? Yes. Did you talk to him? No. "


def transcript(text: str, *, confidence: object = None, **metadata: object) -> Conversion:
    return Conversion(
        pages=(Page(number=1, label="00:00:00", kind="time_block", markdown=text, text=text),),
        paginated=True,
        metadata=DocumentMetadata.model_validate(metadata),
        extensions={} if confidence is None else {KEY: confidence},
    )


def test_length_language_and_size_come_from_the_transcript():
    """CLS-2."""
    made = heard(RECORDING, transcript("Good morning.", language="de", fields={"duration_seconds": 9.5}))
    assert (made.audio_duration, made.audio_language) == (9.5, "de")
    assert made.estimated_tokens is not None
    assert made.document_type == "unknown"


def test_a_transcript_that_does_not_tell_leaves_the_length_of_the_header():
    made = heard(RECORDING, transcript(""))
    assert (made.audio_duration, made.audio_language, made.estimated_tokens) == (9.0, None, None)


def test_another_document_keeps_its_classification():
    note = RECORDING.model_copy(update={"category": Category.PLAINTEXT, "media_type": "text/plain"})
    assert heard(note, transcript(OPENING + QUESTIONS)) is note


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param(OPENING + QUESTIONS, "deposition", id="opening and questions"),
        pytest.param("This is the deposition of Mary Green. " + OPENING + QUESTIONS, "deposition", id="by name"),
        pytest.param(QUESTIONS * 3, "unknown", id="an interview"),
        pytest.param(OPENING, "unknown", id="no questions"),
        pytest.param("He was sworn in as president. " + QUESTIONS, "unknown", id="one phrase"),
        pytest.param(
            "\n".join(f"Q. Is that so?\nA. It is {number}." for number in range(6)),
            "deposition",
            id="read out by letter",
        ),
    ],
)
def test_testimony_is_a_deposition(text, kind):
    """CLS-10: nobody says "Q." and "A."; what is said at a deposition and at no other time tells it."""
    made = heard(RECORDING, transcript(text))
    assert made.document_type == kind
    assert (made.classification_confidence >= 0.5) is (kind == "deposition")


@pytest.mark.parametrize("given", [None, "high", {"1": "high"}, {"1": 1.5}, {"2": 0.5}, []])
def test_confidences_that_are_none_are_passed_over(given):
    """They come from a plugin, and are not trusted."""
    conversion = transcript("x", confidence=given)
    assert confidences(conversion) == {}
    summary, evidence = OcrConfidenceSummary(), QualityEvidence(media_type="audio/wav")
    assert with_confidences(summary, conversion) is summary
    assert evidence_of(evidence, conversion) is evidence


def test_confidences_reach_the_report_and_the_score():
    """OCR-5, QLT-1."""
    conversion = transcript("x", confidence={"1": 0.42})
    made = with_confidences(OcrConfidenceSummary(), conversion)
    assert (made.applied, made.page_confidences) == (True, {"1": 0.42})
    assert evidence_of(QualityEvidence(media_type="audio/wav"), conversion).ocr_confidences == (0.42,)


def test_settings_become_options_and_readable_paths():
    assert (SpeechSettings().options, SpeechSettings().readable) == ({}, ())
    speech = SpeechSettings(model=Path("/models/small"), language="de")
    assert speech.options == {"model": "/models/small", "language": "de"}
    assert speech.readable == (Path("/models/small"),)
