"""Signs of loss in office documents: what stands between the tags and not in the conversion, and the other way round."""

from __future__ import annotations

import re
from collections.abc import Sequence

from octavo_contracts import Conversion, PageSight, QualityEvidence

from .evidence_pairs import CLOSE_WHOLE, HEADING, few
from .texts import MIN_WORDS, apart, formulas, missing, words

WHOLE_SIGHT = 2900
"""A sight of fewer characters is all the text there is, not its beginning."""
BRIEF = 500
"""Characters of a text of which a half is at stake where a list is numbered or a note is placed in another way."""

_MARKUP = ("wordprocessingml", "opendocument.text", "presentation")
_SLIDES = ("presentation", "powerpoint")
_OFFICE = (*_MARKUP, *_SLIDES, "msword", "rtf")
_SHEETS = ("sheet", "excel", "csv", "tab-separated")
_LIST = re.compile(r"[ \t]*+(?:[-*+•]|\d{1,9}[.)]|[a-zA-Z][.)]|[ivxIVX]{1,9}[.)])\s")
_DELIMITER = re.compile(r"^[ \t]*+\|[ \t]*+:?-{3}", re.MULTILINE)


def on_office(conversion: Conversion, evidence: QualityEvidence) -> dict[str, float]:
    """The signs of an office document; none for another format."""
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
    """The text between the tags held against the conversion."""
    source = words(sight.text)
    if len(source) < MIN_WORDS:
        return {}
    given = words((conversion.pages[0].text or "")[:CLOSE_WHOLE])
    found = {"words_missing": missing(source, given), "formulas": min(1.0, formulas(sight.text))}
    if len(sight.text) < WHOLE_SIGHT and not conversion.paginated:
        found["surplus"] = missing(given, source)
    return found


def _lists(markdowns: Sequence[str]) -> float:
    """The share of the lines that are items of lists, whose marks a format does not hold as text."""
    lines = [line for markdown in markdowns for line in markdown[:CLOSE_WHOLE].splitlines() if line.strip()]
    return sum(_LIST.match(line) is not None for line in lines) / len(lines) if lines else 0.0


def _parted(conversion: Conversion) -> float:
    """The share of the tables that are more than one a sheet: the places of their cells are lost."""
    tables = sum(len(page.tables) or len(_DELIMITER.findall(page.markdown[:CLOSE_WHOLE])) for page in conversion.pages)
    sheets = len(conversion.pages)
    return 1 - sheets / tables if tables > sheets else 0.0
