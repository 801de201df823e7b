"""Verifies that every quotation of a research report is verbatim in an archived text (RES-3)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from ._model import Span
from .errors import UsageError
from .locators import LocatorError, page_spans, resolve_locator
from .quotation_marks import quoted_phrases

Found = Literal["verified", "failed", "unavailable"]

_NO_MODEL = "none"
_HASH = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)
_CITATION = ("document_id", "title", "locator", "source_text_hash", "quote")


@dataclass(frozen=True, kw_only=True)
class ReportVerification:
    """The result of `verify_report`.

    Attributes:
        status: 'verified'; 'failed' if a quotation differs from its text, a claim says what it may not, or citations
            contradict each other; 'unavailable' if an archived text is missing, or the report has no quotation.
        quotations: number of quotations that hold.
        problem: the first problem, as a sentence without a full stop; None if verified.
        not_shown: what a verified report may still be wrong about, as a sentence without a full stop; None unless verified.
    """

    status: Found
    quotations: int = 0
    problem: str | None = None
    not_shown: str | None = None


def verify_report(report: Mapping[str, Any], archived_text: Callable[[str], str | None]) -> ReportVerification:
    """Compare each quotation of a report with the archived text that it names.

    In a report without a model each supported claim must be one of its quotations. In any report the words between
    quotation marks in a claim must stand in an archived text that the claim cites. All citations of one version of a
    document must name one title and one text.

    Args:
        report: the content of `report.json`.
        archived_text: returns the archived text of a SHA-256 in hex, or None if there is none.

    Raises:
        UsageError: the report has another form.
    """
    model = report.get("model", _NO_MODEL)
    if not isinstance(model, str):
        raise _malformed("`model` is not a string")
    texts: dict[str, _Archived | None] = {}
    named: dict[tuple[str, int], tuple[str, str]] = {}
    count = 0
    for heading, claim, citations in list(_claims(report)):
        problem = _of_support(claim, citations)
        if problem is not None:
            return ReportVerification(status="failed", quotations=count, problem=problem)
        for citation in citations:
            digest = citation["source_text_hash"].removeprefix("sha256:")
            if digest not in texts:
                text = archived_text(digest)
                texts[digest] = None if text is None else _Archived(text, digest)
            status, difference = _compare(citation, texts[digest], digest)
            if difference is None:
                status, difference = "failed", _contradiction(citation, named)
            if difference is not None:
                return ReportVerification(status=status, quotations=count, problem=difference)
            count += 1
        cited = [texts[one["source_text_hash"].removeprefix("sha256:")] for one in citations]
        problem = _of_words(claim, citations, cited, model, [heading, str(report.get("question", ""))])
        if problem is not None:
            return ReportVerification(status="failed", quotations=count, problem=problem)
    if not count:
        return ReportVerification(status="unavailable", problem="nothing was verified: the report has no quotation")
    return ReportVerification(status="verified", quotations=count, not_shown=_not_shown(model))


class _Archived:
    """An archived text, whose hash and pages are computed once, however many citations name it."""

    def __init__(self, text: str, digest: str) -> None:
        self.text = text
        self.is_intact = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() == digest
        self._folded: str | None = None

    @cached_property
    def _pages(self) -> tuple[Span, ...]:
        return page_spans(self.text)

    def at(self, locator: str) -> str:
        """What stands at a locator.

        Raises:
            LocatorError: it is malformed, or outside the text.
        """
        return resolve_locator(self.text, locator, pages=self._pages)

    def has(self, phrase: str) -> bool:
        """Whether the text has these words; white space may differ."""
        if self._folded is None:
            self._folded = " ".join(self.text.split())
        return phrase in self._folded


def _of_support(claim: Mapping[str, Any], citations: list[dict[str, Any]]) -> str | None:
    if claim["supported"] is bool(citations):
        return None
    return f"the claim {claim['text'][:80]!r} has {len(citations)} citations and supported={claim['supported']}"


def _of_words(
    claim: Mapping[str, Any],
    citations: list[dict[str, Any]],
    cited: list[_Archived | None],
    model: str,
    asked: list[str],
) -> str | None:
    """What is wrong with the words of a claim whose citations hold."""
    text = claim["text"]
    if any(text == one["quote"] for one in citations):
        return None
    if citations and model == _NO_MODEL:
        return f"the claim {text[:80]!r} equals none of its quotations; in a report without a model a supported claim is a quotation"
    for phrase in quoted_phrases(text):
        words = " ".join(phrase.split()).rstrip(".,;:!?")
        # A claim without support repeats what was asked, with the marks of who asked.
        known = any(one.has(words) for one in cited if one is not None) if citations else any(words in q for q in asked)
        if not known:
            return f"the claim {text[:80]!r} has {words[:80]!r} in quotation marks, which no text that it cites has"
    return None


def _compare(citation: Mapping[str, Any], text: _Archived | None, named: str) -> tuple[Found, str | None]:
    place = f"the quotation at {citation['locator'][:80]} of {citation['document_id'][:80]}"
    if text is None:
        return "unavailable", f"{place}: no archived text has the hash {named}"
    if not text.is_intact:
        return "failed", f"{place}: the archived text is another one than {named}"
    try:
        found = text.at(citation["locator"])
    except LocatorError as error:
        return "failed", f"{place} has an invalid locator: {str(error)[:200]}"
    if found != citation["quote"] or not found:
        return "failed", f"{place} differs: the report has {citation['quote'][:80]!r}, the archive {found[:80]!r}"
    return "verified", None


def _contradiction(citation: Mapping[str, Any], named: dict[tuple[str, int], tuple[str, str]]) -> str | None:
    """How a citation contradicts an earlier one of the same version of a document."""
    version = (citation["document_id"], citation["version"])
    told = (citation["title"], citation["source_text_hash"])
    first = named.setdefault(version, told)
    if first == told:
        return None
    what = "titles" if first[1] == told[1] else "texts"
    values = f"{first[0][:60]!r} and {told[0][:60]!r}" if what == "titles" else f"{first[1]} and {told[1]}"
    return f"version {version[1]} of the document {version[0][:80]} has two {what}: {values}"


def _not_shown(model: str) -> str:
    told = "not shown: that a text is that of the document, version and title that its citation names"
    if model == _NO_MODEL:
        return told
    return f"{told}; that a claim, in the words of the model {model[:80]}, follows from its quotations"


def _claims(report: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
    """The heading of each claim, the claim and its citations; checks their form."""
    for place, section in enumerate(_list(report, "sections", "the report"), 1):
        heading = section.get("heading", "")
        if not isinstance(heading, str):
            raise _malformed(f"the heading of section {place} is not a string")
        for number, claim in enumerate(_list(section, "claims", f"section {place}"), 1):
            where = f"claim {number} of section {place}"
            if not isinstance(claim.get("text"), str) or not isinstance(claim.get("supported"), bool):
                raise _malformed(f"{where} needs `text`, a string, and `supported`, true or false")
            citations = _list(claim, "citations", where)
            for citation in citations:
                _check_citation(citation, where)
            yield heading, claim, citations


def _check_citation(citation: Mapping[str, Any], where: str) -> None:
    for name in _CITATION:
        if not isinstance(citation.get(name), str):
            raise _malformed(f"a citation of {where} needs `{name}`, a string")
    version = citation.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _malformed(f"a citation of {where} needs `version`, a whole number from 1")
    if not _HASH.fullmatch(citation["source_text_hash"]):
        found = citation["source_text_hash"][:80]
        raise _malformed(
            f"the `source_text_hash` of a citation of {where} is no `sha256:` with 64 hex digits: {found!r}"
        )


def _list(data: Mapping[str, Any], name: str, where: str) -> list[dict[str, Any]]:
    if name not in data:
        raise _malformed(f"{where} needs `{name}`")
    found = data[name]
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise _malformed(f"`{name}` of {where} is not a list of objects")
    return found


def _malformed(problem: str) -> UsageError:
    return UsageError(f"this is no research report: {problem}", remedy="Give a report.json of `octavo research export`")
