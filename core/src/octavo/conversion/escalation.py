"""Escalates to a second conversion if the evidence of the first requires it (CNV-2).

It covers the suspect pages, or the whole document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from octavo_contracts import Capability, DegradedFlag, FallbackAttempt, OctavoError, RoutingType
from octavo_text.page_spans import pages_text

from ..builtins.classification.inspection import Inspection
from .converter import DocumentConverter
from .inspection import has_no_text_layer
from .page_repair import PageSuspect
from .routing import Candidate, Route

if TYPE_CHECKING:
    from ..plugins.budget import TimeBudget
    from .states import ConvertedVersion

_LOST_PARTS = frozenset(
    {
        DegradedFlag.EQUATIONS_LOST.value,
        DegradedFlag.TEXT_BOXES_LOST.value,
        DegradedFlag.CHARTS_LOST.value,
        DegradedFlag.NOTES_LOST.value,
        DegradedFlag.CELLS_LOST.value,
        DegradedFlag.LINKS_LOST.value,
    }
)
"""Lost parts of a document that another plugin may keep."""
ESCALATE_ON = frozenset({DegradedFlag.LOW_TEXT_YIELD.value, DegradedFlag.TABLES_GARBLED.value}) | _LOST_PARTS


_HEADINGS = frozenset({DegradedFlag.HEADINGS_LOST.value})
"""Lost headings of a web page may be those of its frame, which is left out; of any other document, they are its own."""


@dataclass(frozen=True, kw_only=True)
class EscalationRequest:
    """Requirements of a second conversion.

    Attributes:
        causes: the flags of the document that require it, sorted.
        doubts: the suspect pages; all pages or none if the cause is not in single pages.
        capabilities: capabilities that a plugin must have.
        pages: number of pages of the document.
    """

    causes: tuple[str, ...]
    doubts: Mapping[int, PageSuspect]
    capabilities: frozenset[str]
    pages: int

    @property
    def is_of_pages(self) -> bool:
        """Whether only some pages are suspect."""
        return 0 < len(self.doubts) < self.pages


def escalation_for(
    first: ConvertedVersion, inspection: Inspection, doubts: Mapping[int, PageSuspect]
) -> EscalationRequest:
    """Derive the requirements of a second conversion from the evidence in the first."""
    needed: set[str] = set()
    if has_no_text_layer(inspection):
        needed.add(Capability.SCANS)
    if any(page.hidden_text for page in first.conversion.pages):
        # Another plugin must not put text back that this one separated as hidden.
        needed.add(Capability.HIDDEN_TEXT)
    return EscalationRequest(
        causes=tuple(sorted(first.flags & (ESCALATE_ON if _is_web_page(inspection) else ESCALATE_ON | _HEADINGS))),
        doubts=doubts,
        capabilities=frozenset(needed),
        pages=len(first.conversion.pages),
    )


def _is_web_page(inspection: Inspection) -> bool:
    classification = inspection.classification
    return classification is not None and classification.routing_type is RoutingType.HTML


def escalate(
    first: ConvertedVersion, route: Route, need: EscalationRequest, converter: DocumentConverter
) -> tuple[ConvertedVersion, ConvertedVersion | None]:
    """Try the heavier plugins of a route in order, until one succeeds.

    A plugin that can convert single pages gets the suspect ones. Any other plugin gets the whole document, and only if
    a flag of the whole document requires it: single pages do not justify the cost.

    Returns:
        The first conversion, with the records of plugins that failed; and the second conversion, or None.
    """
    if not need.causes and not need.is_of_pages:
        return first, None
    attempts, in_vain = list(first.attempts), list[FallbackAttempt]()
    tried = tried_plugins(first)
    for candidate in route.escalation:
        manifest = candidate.plugin.manifest
        of_pages = need.is_of_pages and Capability.PAGE_RANGES in manifest.capabilities
        if manifest.name in tried or not need.capabilities <= set(manifest.capabilities):
            continue
        if not of_pages and not need.causes:
            continue
        reason = _reason(first, need, of_pages=of_pages)
        better = Candidate(plugin=candidate.plugin, because=f"{candidate.because}: {reason}")
        note = FallbackAttempt(tool=first.candidate.plugin.name, reason=reason, outcome=f"escalated_to_{manifest.name}")
        before = (*first.fallbacks, *in_vain, note)
        try:
            if not of_pages:
                return first, converter.convert(better, attempts, before)
            answer = converter.repaired(better, first, need.doubts, attempts, before)
            if not isinstance(answer, str):
                return first, answer
            in_vain.append(FallbackAttempt(tool=manifest.name, reason=answer, outcome="abandoned"))
            break
        except OctavoError as error:
            if error.reason is None:
                raise
            in_vain.append(given_up(candidate, error, converter.budget, outcome="abandoned"))
            if converter.budget.is_used_up:
                break
    return replace(first, attempts=tuple(attempts), fallbacks=(*first.fallbacks, *in_vain)), None


def tried_plugins(version: ConvertedVersion) -> set[str]:
    """Return the plugins that were called for this version, and those that were skipped as known to be unable."""
    called = {attempt.plugin for attempt in version.attempts if attempt.hook == "convert"}
    return called | {one.tool for one in version.fallbacks}


def given_up(candidate: Candidate, error: OctavoError, budget: TimeBudget, *, outcome: str) -> FallbackAttempt:
    """Build the record of a plugin that failed; it also says if no time is left for another one."""
    code = error.reason.value if error.reason else "error"
    spent = f"; the {budget.seconds:g} s for all plugins together are used up" if budget.is_used_up else ""
    reason = f"{code}: {error.message}" + ("" if spent and spent[2:] in error.message else spent)
    return FallbackAttempt(tool=candidate.plugin.name, reason=reason, outcome=outcome)


def _reason(first: ConvertedVersion, need: EscalationRequest, *, of_pages: bool) -> str:
    by = f"in the conversion by {first.candidate.plugin.name}"
    if not of_pages:
        return f"{', '.join(need.causes)} {by}"
    flags = sorted({doubt.flag for doubt in need.doubts.values()})
    return f"{', '.join(flags)} on {pages_text(list(need.doubts))} {by}"
