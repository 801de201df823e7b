"""Letters that the models of the wheel do not know."""

from __future__ import annotations

import pytest
from octavo_conformance.page_pictures import text_page
from octavo_contracts import OCRRequest, ToolUnavailable
from octavo_rapidocr.engine import Line, Word
from octavo_rapidocr.line_density import discounted
from octavo_rapidocr.recognise import recognise_page


def _line(text: str, *, width: float = 600.0, height: float = 20.0) -> Line:
    corners = ((0.0, 0.0), (width, 0.0), (width, height), (0.0, height))
    return Line(text, corners, 0.95, (Word(text, corners, 0.95),))


def test_a_line_of_marks_without_letters_is_doubtful() -> None:
    """RapidOCR drops Cyrillic letters, and is sure of the marks that are left."""
    line = discounted(_line(".      .     ,   -"))
    assert line.confidence < 0.3
    assert line.words[0].confidence == pytest.approx(line.confidence)


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("Wind from the north, force seven, sea rough and high", 600.0),
        ("两艘船在港口避风直到九日早晨", 280.0),
        ("-", 40.0),
    ],
)
def test_lines_with_their_letters_keep_their_confidence(text: str, width: float) -> None:
    assert discounted(_line(text, width=width)).confidence == 0.95


def test_a_line_that_runs_upwards_is_measured_along_its_length() -> None:
    assert discounted(_line("Wind from the north, force seven", width=20.0, height=400.0)).confidence == 0.95


def test_a_page_in_another_script_is_refused_before_it_is_read() -> None:
    with pytest.raises(ToolUnavailable, match="Cyrl"):
        recognise_page(text_page(), OCRRequest(languages=("en",), script="Cyrl"))
