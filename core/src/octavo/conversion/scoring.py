"""Scores a conversion: the first plugin with a verdict decides, else the built-in score (QLT-1).

A plugin's verdict becomes that of the report. The host always adds its own observations: hidden text, warnings of the
converter, doubtful recognised text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from octavo_contracts import Attempt, Conversion, QualityAssessment

from ..builtins import BUILTIN
from ..builtins.quality.assess import assess, observed
from ..plugins.budget import TimeBudget
from .conversion_services import ConversionServices
from .states import Draft
from .verdicts import VerdictCall, ask_plugins, violation

SCORED_BY = "octavo.scored_by"
"""Extension of a quality report: the plugin that scored the conversion."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """A scored conversion.

    Attributes:
        assessment: the verdict, with the host's observations.
        scored_by: the plugin that decided it.
    """

    assessment: QualityAssessment
    scored_by: str


def score(draft: Draft, services: ConversionServices, budget: TimeBudget, attempts: list[Attempt]) -> Score:
    """Score a conversion.

    Args:
        draft: the conversion after the last step.
        services: admits calls to plugins.
        budget: the document's time budget, which the built-in score consumes.
        attempts: list to which every call is appended.

    Raises:
        ConversionTimeout: the built-in score exceeded the budget.
        Cancelled: the caller cancelled.
    """
    document = draft.document
    call = VerdictCall(
        hook="score_quality",
        model=QualityAssessment,
        arguments=lambda: {"conversion": _without_attachments(draft.conversion), "evidence": draft.evidence},
        check=partial(_check, pages=len(draft.conversion.pages)),
    )
    verdict = ask_plugins(call, document, services, attempts)
    if verdict is None:
        with budget.work(document.limits):
            return Score(assessment=assess_builtin(draft), scored_by=BUILTIN)
    own = observed(draft.conversion, draft.evidence, document.runtime.settings.thresholds)
    observed_already = {(finding.flag, finding.page) for finding in own}
    others = (one for one in verdict.answer.findings if (one.flag, one.page) not in observed_already)
    findings = (*others, *own)
    return Score(assessment=verdict.answer.model_copy(update={"findings": findings}), scored_by=verdict.plugin)


def assess_builtin(draft: Draft) -> QualityAssessment:
    """Return the verdict of the built-in score."""
    thresholds = draft.document.runtime.settings.thresholds
    recognition = draft.recognition
    return assess(
        draft.conversion, draft.evidence, thresholds, recognised=recognition.readings, unread=recognition.unread
    )


def _check(answer: QualityAssessment, *, pages: int) -> None:
    for finding in answer.findings:
        if (finding.page or 1) > pages:
            raise violation("score_quality", f"a finding on a page beyond the last, which is {pages}")
        if not finding.message.strip():
            raise violation("score_quality", "a finding without a message")


def _without_attachments(conversion: Conversion) -> Conversion:
    """Drop the bytes of attachments, which no score needs: they may be as large as the document."""
    if all(item.data is None for item in conversion.attachments):
        return conversion
    attachments = tuple(item.model_copy(update={"data": None}) for item in conversion.attachments)
    return conversion.model_copy(update={"attachments": attachments})
