"""The outcome of converting a document: its versions, each scored and joined, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_contracts import Attempt, Conversion, FallbackAttempt, OctavoError, QualityAssessment, QualityEvidence

from ..builtins import BUILTIN
from ..builtins.classification.inspection import Inspection
from ..plugins.budget import TimeBudget
from ..text.version_texts import Texts
from .draft import Draft
from .ocr import Recognition
from .page_repair import PageRepair
from .routing import Candidate, Route


@dataclass(frozen=True, kw_only=True)
class ConvertedVersion:
    """One conversion of a document, scored and joined.

    Attributes:
        draft: the conversion after the last step.
        texts: the two texts made from it.
        assessment: the verdict on it.
        scored_by: the plugin that gave the verdict.
        attempts: every call made up to and for it.
        fallbacks: tools tried before and not taken.
    """

    draft: Draft
    texts: Texts
    assessment: QualityAssessment
    scored_by: str = BUILTIN
    attempts: tuple[Attempt, ...]
    fallbacks: tuple[FallbackAttempt, ...]

    @property
    def candidate(self) -> Candidate:
        """The plugin and why it was tried."""
        return self.draft.candidate

    @property
    def conversion(self) -> Conversion:
        """The pages, completed."""
        return self.draft.conversion

    @property
    def evidence(self) -> QualityEvidence:
        """What is known of the source, by which it was judged."""
        return self.draft.evidence

    @property
    def recognition(self) -> Recognition:
        """What was recognised, and stands in the conversion."""
        return self.draft.recognition

    @property
    def repairs(self) -> tuple[PageRepair, ...]:
        """Pages, and tables of pages, that came from another plugin than the candidate."""
        return self.draft.repairs

    @property
    def flags(self) -> frozenset[str]:
        """The flags the verdict raised."""
        return frozenset(finding.flag for finding in self.assessment.findings if finding.severity == "degraded")


@dataclass(frozen=True, kw_only=True)
class ConversionOutcome:
    """What came of a document.

    Attributes:
        inspection: type, findings and classification.
        versions: one; one more after an escalation, and one more with tables put back; in the order in which they were made.
        active: index of the version to take.
        route: the plugins that were planned.
        budget: the time for all plugins, and what is left of it.
    """

    inspection: Inspection
    versions: tuple[ConvertedVersion, ...]
    active: int
    route: Route
    budget: TimeBudget


@dataclass
class ConversionFailed(Exception):
    """No plugin could convert the document.

    Attributes:
        error: the error that decides the reason code.
        attempts: every call made.
        fallbacks: every tool tried.
        inspection: type and classification, where the inspection got that far.
    """

    error: OctavoError
    attempts: tuple[Attempt, ...] = ()
    fallbacks: tuple[FallbackAttempt, ...] = ()
    inspection: Inspection | None = None

    def __str__(self) -> str:
        return str(self.error)
