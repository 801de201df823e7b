"""A second conversion where the first one's evidence asks for it: of the doubted pages, of the whole, or for its tables (CNV-2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from octavo_contracts import (
    Capability,
    Conversion,
    DegradedFlag,
    FallbackAttempt,
    OctavoError,
    QualityEvidence,
)

from ..builtins.classification.inspection import Inspection
from ..settings.repair import RepairSettings
from .converter import DocumentConverter
from .inspection import has_no_text_layer
from .page_repair import PageSuspect, lost_tables, pages_text, unseen_pages
from .routing import Candidate, Route

if TYPE_CHECKING:
    from ..plugins.budget import TimeBudget
    from .outcome import ConvertedVersion

ESCALATE_ON = frozenset({DegradedFlag.LOW_TEXT_YIELD.value, DegradedFlag.TABLES_GARBLED.value})


@dataclass(frozen=True, kw_only=True)
class EscalationRequest:
    """What a second conversion is asked for.

    Attributes:
        causes: the flags of the document that ask for it, sorted.
        doubts: the pages in doubt; every page, or none, where it is not about single pages.
        capabilities: what a plugin must have to be asked.
        pages: pages of the document.
    """

    causes: tuple[str, ...]
    doubts: Mapping[int, PageSuspect]
    capabilities: frozenset[str]
    pages: int

    @property
    def is_of_pages(self) -> bool:
        """Whether only some pages are in doubt."""
        return 0 < len(self.doubts) < self.pages


def escalation_for(
    first: ConvertedVersion, inspection: Inspection, doubts: Mapping[int, PageSuspect]
) -> EscalationRequest:
    """What the evidence in a first conversion asks for."""
    needed: set[str] = set()
    if has_no_text_layer(inspection):
        needed.add(Capability.SCANS)
    if any(page.hidden_text for page in first.conversion.pages):
        # Another plugin must not bring back into the text what this one kept apart.
        needed.add(Capability.HIDDEN_TEXT)
    return EscalationRequest(
        causes=tuple(sorted(first.flags & ESCALATE_ON)),
        doubts=doubts,
        capabilities=frozenset(needed),
        pages=len(first.conversion.pages),
    )


def escalate(
    first: ConvertedVersion, route: Route, need: EscalationRequest, converter: DocumentConverter
) -> tuple[ConvertedVersion, ConvertedVersion | None]:
    """Ask the heavier plugins of a route, one after the other, until one has an answer.

    A plugin that can convert single pages is asked for the doubted ones. One that cannot is asked for the whole
    document, and only where a flag of the whole document asks for it: a single page is not worth that.

    Returns:
        The first conversion, with what came of plugins that were tried in vain; and the second one, or None.
    """
    if not need.causes and not need.is_of_pages:
        return first, None
    attempts, in_vain = list(first.attempts), list[FallbackAttempt]()
    tried = _tried(first)
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


def put_tables_back(
    version: ConvertedVersion, route: Route, converter: DocumentConverter, *, settings: RepairSettings
) -> ConvertedVersion:
    """Ask a route's plugins for the tables that a conversion lost, one after the other, until no page lacks them.

    The first plugin that is asked is also believed about the pages that nobody looked at.

    Args:
        version: the conversion that is to be taken.
        route: of the document.
        converter: what calls the plugins.
        settings: how long a document may be for one plugin to be asked, and for more than one.

    Returns:
        The conversion with its tables as far as they were found, or with what came of plugins that were tried in vain.
    """
    attempts, fallbacks = list(version.attempts), list(version.fallbacks)
    tried = _tried(version)
    asked = 0
    for candidate in route.tables:
        plugin, lost = candidate.plugin.name, _tables_of(version, lost_tables)
        most = settings.all_plugins_up_to if asked else settings.tables_up_to
        if not lost or len(version.conversion.pages) > most or converter.budget.is_used_up:
            break
        if plugin in tried:
            continue
        reason = f"{DegradedFlag.TABLES_LOST} on {pages_text(list(lost))} in the conversion by {_engine(version)}"
        note = FallbackAttempt(tool=_engine(version), reason=reason, outcome=f"escalated_to_{plugin}")
        better = Candidate(plugin=candidate.plugin, because=f"{candidate.because}: {reason}")
        wanted = lost if asked else _tables_of(version, unseen_pages) | lost
        asked += 1
        try:
            answer = converter.with_tables(better, version, wanted, attempts, (*fallbacks, note))
        except OctavoError as error:
            if error.reason is None:
                raise
            fallbacks.append(given_up(candidate, error, converter.budget, outcome="abandoned"))
            continue
        if isinstance(answer, str):
            fallbacks.append(FallbackAttempt(tool=plugin, reason=answer, outcome="abandoned"))
        else:
            version, fallbacks = answer, list(answer.fallbacks)
    return replace(version, attempts=tuple(attempts), fallbacks=tuple(fallbacks))


def _tables_of(
    version: ConvertedVersion,
    found_by: Callable[[Conversion, QualityEvidence, Collection[int]], Mapping[int, PageSuspect]],
) -> dict[int, PageSuspect]:
    return dict(found_by(version.conversion, version.evidence, version.recognition.readings))


def _tried(version: ConvertedVersion) -> set[str]:
    """The plugins that were called for it, and those that were known to be of no use and so were not."""
    called = {attempt.plugin for attempt in version.attempts if attempt.hook == "convert"}
    return called | {one.tool for one in version.fallbacks}


def _engine(version: ConvertedVersion) -> str:
    return version.candidate.plugin.name


def given_up(candidate: Candidate, error: OctavoError, budget: TimeBudget, *, outcome: str) -> FallbackAttempt:
    """The record of a plugin that failed, and of there being no time for another one."""
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
