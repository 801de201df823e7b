"""Signs of loss in office documents: text in the markup that the conversion lacks, and the reverse."""

from __future__ import annotations

import re
from collections.abc import Sequence

from octavo_contracts import Conversion, PageSight, QualityEvidence
from octavo_text.word_statistics import MIN_WORDS, apart, formulas, missing, words

from .evidence_pairs import CLOSE_WHOLE, HEADING, few

WHOLE_SIGHT = 2900
"""A sample with fewer characters is the whole text, not only its beginning."""
BRIEF = 500
"""Length of a text at which list numbers and note positions affect half of the score."""

_MARKUP = ("wordprocessingml", "opendocument.text", "presentation")
_SLIDES = ("presentation", "powerpoint")
_OFFICE = (*_MARKUP, *_SLIDES, "msword", "rtf")
_SHEETS = ("sheet", "excel", "csv", "tab-separated")
_LIST = re.compile(r"[ \t]*+(?:[-*+•]|\d{1,9}[.)]|[a-zA-Z][.)]|[ivxIVX]{1,9}[.)])\s")
_DELIMITER = re.compile(r"^[ \t]*+\|[ \t]*+:?-{3}", re.MULTILINE)


def on_office(conversion: Conversion, evidence: QualityEvidence) -> dict[str, float]:
    """Compute the signs for an office document; none for other formats."""
    media_type = evidence.media_type
    found: dict[str, float] = {}
    if any(mark in media_type for mark in _SHEETS):
        found["sheets_parted"] = _parted(conversion)
    if not any(mark in media_type for mark in _OFFICE):
        return found
    if any(mark in media_type for mark in _SLIDES):
        found["slides"] = 1.0
    if any(mark in media_type for mark in _MARKUP) and evidence.sights:
        found |= _against_markup(conversion, evidence.sights[0])
    if evidence.sights and evidence.sights[0].heading_lines:
        given = len(HEADING.findall(conversion.pages[0].markdown[:CLOSE_WHOLE]))
        found["headings_off"] = apart(evidence.sights[0].heading_lines, given)
    found["lists"] = _lists([page.markdown for page in few(conversion.pages)])
    found["brief"] = 1 / (1 + sum(len(page.text or "") for page in conversion.pages) / BRIEF)
    return found


def _against_markup(conversion: Conversion, sight: PageSight) -> dict[str, float]:
    """Compare the text in the markup with the conversion."""
    source = words(sight.text)
    if len(source) < MIN_WORDS:
        return {}
    given = words((conversion.pages[0].text or "")[:CLOSE_WHOLE])
    found = {"words_missing": missing(source, given), "formulas": min(1.0, formulas(sight.text))}
    if len(sight.text) < WHOLE_SIGHT and not conversion.paginated:
        found["surplus"] = missing(given, source)
    return found


def _lists(markdowns: Sequence[str]) -> float:
    """Return the share of lines that are list items, whose markers the format does not store as text."""
    lines = [line for markdown in markdowns for line in markdown[:CLOSE_WHOLE].splitlines() if line.strip()]
    return sum(_LIST.match(line) is not None for line in lines) / len(lines) if lines else 0.0


def _parted(conversion: Conversion) -> float:
    """Return the share of tables beyond one per sheet: splitting a sheet loses the positions of its cells."""
    tables = sum(len(page.tables) or len(_DELIMITER.findall(page.markdown[:CLOSE_WHOLE])) for page in conversion.pages)
    sheets = len(conversion.pages)
    return 1 - sheets / tables if tables > sheets else 0.0
