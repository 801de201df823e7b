"""Verifies that every quotation of a research report is verbatim in an archived text (RES-3)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .errors import UsageError
from .locators import LocatorError, resolve_locator

Found = Literal["verified", "failed", "unavailable"]


@dataclass(frozen=True, kw_only=True)
class ReportVerification:
    """The result of `verify_report`.

    Attributes:
        status: 'verified'; 'failed' if a quotation differs from its text, or a claim says that it is supported and has no
            citation; 'unavailable' if an archived text is missing.
        quotations: number of quotations that hold.
        problem: the first problem, as a sentence without a full stop; None if verified.
    """

    status: Found
    quotations: int = 0
    problem: str | None = None


def verify_report(report: Mapping[str, Any], archived_text: Callable[[str], str | None]) -> ReportVerification:
    """Compare each quotation of a report with the archived text that it names.

    Args:
        report: the content of `report.json`.
        archived_text: returns the archived text of a SHA-256 in hex, or None if there is none.

    Raises:
        UsageError: the report has another form.
    """
    texts: dict[str, str | None] = {}
    count = 0
    for claim, citations in _claims(report):
        if claim["supported"] is not bool(citations):
            problem = (
                f"the claim {claim['text'][:80]!r} has {len(citations)} citations and supported={claim['supported']}"
            )
            return ReportVerification(status="failed", quotations=count, problem=problem)
        for citation in citations:
            named = citation["source_text_hash"].removeprefix("sha256:")
            if named not in texts:
                texts[named] = archived_text(named)
            status, difference = _compare(citation, texts[named], named)
            if difference is not None:
                return ReportVerification(status=status, quotations=count, problem=difference)
            count += 1
    return ReportVerification(status="verified", quotations=count)


def _compare(citation: Mapping[str, Any], text: str | None, named: str) -> tuple[Found, str | None]:
    place = f"the quotation at {citation['locator']} of {citation['document_id']}"
    if text is None:
        return "unavailable", f"{place}: no archived text has the hash {named}"
    if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() != named:
        return "failed", f"{place}: the archived text is another one than {named}"
    try:
        found = resolve_locator(text, citation["locator"])
    except LocatorError as error:
        return "failed", f"{place} has an invalid locator: {error}"
    if found != citation["quote"] or not found:
        return "failed", f"{place} differs: the report has {citation['quote'][:80]!r}, the archive {found[:80]!r}"
    return "verified", None


_CITATION = ("document_id", "title", "locator", "source_text_hash", "quote")


def _claims(report: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each claim with its citations; checks their form."""
    for section in _list(report, "sections"):
        for claim in _list(section, "claims"):
            if not isinstance(claim.get("text"), str) or not isinstance(claim.get("supported"), bool):
                raise _malformed("a claim needs a text and supported")
            citations = _list(claim, "citations")
            for citation in citations:
                if not all(isinstance(citation.get(name), str) for name in _CITATION):
                    raise _malformed(f"a citation needs the strings {', '.join(_CITATION)}")
            yield claim, citations


def _list(data: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = data.get(name)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise _malformed(f"{name!r} is not a list of objects")
    return found


def _malformed(problem: str) -> UsageError:
    return UsageError(f"this is no research report: {problem}", remedy="Give a report.json of `octavo research export`")
