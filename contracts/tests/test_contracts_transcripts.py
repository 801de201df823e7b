"""Speech as pages: blocks of a minute, times in the markdown, words in the text."""

from __future__ import annotations

import pytest
from octavo_contracts import ContentTooLarge, ConversionWarning, ConvertRequest
from octavo_contracts.authoring import PAGE_CONFIDENCES, Utterance, clock, in_blocks, require_room, transcript


def said(start: float, end: float, text: str, *, confidence: float = 0.9) -> Utterance:
    return Utterance(start=start, end=end, text=text, confidence=confidence)


@pytest.mark.parametrize(
    ("seconds", "label"), [(0, "00:00:00"), (59.99, "00:00:59"), (3725, "01:02:05"), (360_000, "100:00:00")]
)
def test_a_time_is_written_with_hours(seconds, label):
    assert clock(seconds) == label


def test_a_block_begins_a_minute_or_more_after_the_one_before():
    pieces = [said(at, at + 1, "x") for at in (2, 61, 62, 130, 500)]
    assert [[piece.start for piece in block] for block in in_blocks(pieces)] == [[2, 61], [62], [130], [500]]
    assert in_blocks([]) == []


def test_paragraphs_begin_with_their_time_and_the_text_is_the_words_alone():
    """CNV-9. A pause of three seconds parts; so does the end of a sentence once fifteen have passed."""
    made = transcript(
        [
            said(0, 9, "One long"),
            said(9, 16, "sentence."),
            said(16, 18, "# Another"),
            said(30, 31, "After a pause."),
            said(62, 63, "The next minute."),
        ],
        duration=70.0,
        language="en",
        doubtful_below=0.5,
    )
    one, two = made.pages
    assert one.markdown == "[00:00:00] One long sentence.\n\n[00:00:16] \\# Another\n\n[00:00:30] After a pause."
    assert one.text == "One long sentence.\n\n# Another\n\nAfter a pause."
    assert (two.label, two.kind, two.text) == ("00:01:02", "time_block", "The next minute.")
    assert made.metadata.language == "en"
    assert made.metadata.fields == {"duration_seconds": 70.0, "utterances": 5, "confidence": 0.9}
    assert made.warnings == ()


def test_a_doubtful_block_is_flagged_and_long_utterances_weigh_more():
    """OCR-5."""
    made = transcript(
        [said(0, 1, "sure", confidence=1.0), said(1, 9, "mumbling" * 4, confidence=0.4), said(70, 71, "clear")],
        duration=80,
        language=None,
        doubtful_below=0.7,
        warnings=[ConversionWarning(code="partial_conversion", message="cut")],
    )
    assert made.extensions == {PAGE_CONFIDENCES: {"1": 0.467, "2": 0.9}}
    assert [(warning.code, warning.page) for warning in made.warnings] == [
        ("partial_conversion", None),
        ("ocr_low_confidence", 1),
    ]
    assert "0.47" in made.warnings[1].message


def test_a_recording_without_speech_is_one_empty_block():
    made = transcript([], duration=3.0, language=None, doubtful_below=0.7)
    assert [(page.label, page.kind, page.markdown, page.text) for page in made.pages] == [
        ("00:00:00", "time_block", "", "")
    ]
    assert made.extensions == {}
    assert made.metadata.fields == {"duration_seconds": 3.0, "utterances": 0}


def test_more_blocks_than_pages_allowed_are_refused():
    request = ConvertRequest(media_type="audio/wav", max_pages=2)
    require_room(120.0, request)
    require_room(None, request)
    with pytest.raises(ContentTooLarge, match="3 time blocks are above the limit of 2"):
        require_room(120.5, request)
