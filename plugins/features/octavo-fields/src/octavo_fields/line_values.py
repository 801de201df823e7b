"""Values of the kind `text`: the rest of the line behind `Label:`.

The canonical text has no lines, so the lines are those of the document's markdown; the place is looked up in the canonical text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from octavo_contracts import ExtractedField, Span
from pydantic import JsonValue

from .absence import first_pages, no_label
from .labels import label_pattern
from .schema import FieldSpec, read_schema

METHOD: Final = "line"
CONFIDENCE: Final = 0.9
"""As of `octavo-literal`: a value is given where nothing speaks for another one."""
MAX_REST: Final = 300
"""Maximum code points of a value: a longer line is a paragraph."""

_ANOTHER_LABEL: Final = re.compile(r"\s[^\W\d_][^\s:]*:(?=\s|$)")


def is_of_line(spec: FieldSpec) -> bool:
    """Return whether a field asks for the rest of a line: its schema says the kind `text`, and has no pattern."""
    return spec.has_kind and spec.kind == "text" and spec.pattern is None


@dataclass(frozen=True)
class _Line:
    """The rest of a line behind a label.

    Attributes:
        label: as the schema has it.
        rest: behind the colon, with single spaces.
        is_first: whether the label begins the line.
    """

    label: str
    rest: str
    is_first: bool


class LineExtractor:
    """Reads fields of the kind `text` from the lines of a document; see `octavo_contracts.LiteralExtractor`.

    Args:
        pages: the lines of each page, without markdown.
    """

    def __init__(self, pages: Sequence[Sequence[str]]) -> None:
        self._pages = pages
        self.reasons: dict[str, str] = {}
        """Why the fields of the last call have no value."""

    def extract(self, text: str, schema: Mapping[str, JsonValue]) -> Mapping[str, ExtractedField]:
        """Return the values of fields of the kind `text`; a field whose labels point at different values is left out."""
        self.reasons = {}
        found: dict[str, ExtractedField] = {}
        for spec in filter(is_of_line, read_schema(schema)):
            one = self._one(spec)
            if isinstance(one, _Line):
                span = _place(first_pages(text, spec.pages), one)
                found[spec.name] = ExtractedField(value=one.rest, span=span, method=METHOD, confidence=CONFIDENCE)
            else:
                self.reasons[spec.name] = one
        return found

    def _one(self, spec: FieldSpec) -> _Line | str:
        """Return the line with the value, or the reason why the field has no value."""
        pages = self._pages[: spec.pages] if spec.pages else self._pages
        lines = [one for page in pages for line in page for label in spec.labels if (one := _behind(line, label))]
        named = f'"{lines[0].label}:"' if lines else ""
        lines = [one for one in lines if one.is_first] or lines
        if not lines:
            return f"{no_label(spec)}, with a colon behind it"
        filled = [one for one in lines if one.rest]
        if not filled:
            return f"nothing stands behind {named}"
        values = list(dict.fromkeys(one.rest for one in filled))
        if len(values) > 1:
            return f'behind {named} stand different texts: "{values[0][:MAX_REST]}" and "{values[1][:MAX_REST]}"'
        if other := _ANOTHER_LABEL.search(values[0]):
            return f'the line behind {named} has another label: "{other.group().strip()}"'
        if len(values[0]) > MAX_REST:
            return f"the line behind {named} has more than {MAX_REST} characters"
        return filled[0]


def _behind(line: str, label: str) -> _Line | None:
    match = re.search(rf"{label_pattern(label).pattern}\s*[:：]", line, re.IGNORECASE)
    if match is None:
        return None
    return _Line(label, " ".join(line[match.end() :].split()), not line[: match.start()].strip())


def _place(text: str, line: _Line) -> Span | None:
    """Return where a value stands behind its label; None if the canonical text has other signs there."""
    words = r"\s+".join(re.escape(word) for word in line.rest.split())
    match = re.search(rf"(?:{label_pattern(line.label).pattern})\s*[:：]\s*({words})", text, re.IGNORECASE)
    return Span(start=match.start(1), end=match.end(1)) if match else None
