"""The score of a conversion: the verdict of the first plugin that has one, else the built-in's (QLT-1).

A plugin's verdict is the report's. What the host observed itself is said beside it, whoever scores: text that a reader
cannot see, warnings of the converter, recognised text that is doubtful.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from octavo_contracts import Attempt, Conversion, QualityAssessment

from ..builtins import BUILTIN
from ..builtins.quality import assess, observed
from ..plugins.budget import TimeBudget
from .conversion_services import ConversionServices
from .draft import Draft
from .verdicts import VerdictCall, ask_plugins, violation

SCORED_BY = "octavo.scored_by"
"""Extension of a quality report: the plugin that scored the conversion."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """A scored conversion.

    Attributes:
        assessment: the verdict, with what the host observed.
        scored_by: the plugin that gave it.
    """

    assessment: QualityAssessment
    scored_by: str


def score(draft: Draft, services: ConversionServices, budget: TimeBudget, attempts: list[Attempt]) -> Score:
    """Have a conversion scored.

    Args:
        draft: the conversion after the last step.
        services: lets calls to plugins through.
        budget: the document's time, of which the built-in score takes.
        attempts: every call is added to it.

    Raises:
        ConversionTimeout: the built-in score did not end in time.
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
    said = {(finding.flag, finding.page) for finding in own}
    others = (one for one in verdict.answer.findings if (one.flag, one.page) not in said)
    findings = (*others, *own)
    return Score(assessment=verdict.answer.model_copy(update={"findings": findings}), scored_by=verdict.plugin)


def assess_builtin(draft: Draft) -> QualityAssessment:
    """What the built-in score says."""
    thresholds = draft.document.runtime.settings.thresholds
    return assess(draft.conversion, draft.evidence, thresholds, recognised=draft.recognition.readings)


def _check(answer: QualityAssessment, *, pages: int) -> None:
    for finding in answer.findings:
        if (finding.page or 1) > pages:
            raise violation("score_quality", f"a finding on a page beyond the last, which is {pages}")
        if not finding.message.strip():
            raise violation("score_quality", "a finding without a message")


def _without_attachments(conversion: Conversion) -> Conversion:
    """The conversion without the bytes of what came inside it, which no score needs: they may be as long as the document."""
    if all(item.data is None for item in conversion.attachments):
        return conversion
    attachments = tuple(item.model_copy(update={"data": None}) for item in conversion.attachments)
    return conversion.model_copy(update={"attachments": attachments})
