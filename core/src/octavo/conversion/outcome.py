"""What came of a document: its versions, each scored and joined, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_contracts import (
    Attempt,
    Conversion,
    FallbackAttempt,
    OctavoError,
    QualityAssessment,
    QualityEvidence,
    QualityFinding,
)

from ..builtins.classification.inspection import Inspection
from ..builtins.classification.registered_types import RegisteredType
from ..sandbox.budget import TimeBudget
from ..text.version_texts import Texts
from .ocr import NOTHING, Recognition
from .page_repair import PageRepair
from .routing import Candidate, Route


@dataclass(frozen=True, kw_only=True)
class ConvertedVersion:
    """One conversion of a document, scored and joined.

    Attributes:
        candidate: the plugin and why it was tried.
        conversion: what it returned, completed.
        texts: the two texts made from it.
        evidence: what is known of the source, by which it was judged.
        assessment: the verdict on it.
        attempts: every call made up to and for it.
        fallbacks: tools tried before and not taken.
        recognition: what was recognised, and stands in the conversion.
        ocr_findings: what the quality report says of that.
        repairs: pages, and tables of pages, that came from another plugin than the candidate.
    """

    candidate: Candidate
    conversion: Conversion
    texts: Texts
    evidence: QualityEvidence
    assessment: QualityAssessment
    attempts: tuple[Attempt, ...]
    fallbacks: tuple[FallbackAttempt, ...]
    recognition: Recognition = NOTHING
    ocr_findings: tuple[QualityFinding, ...] = ()
    repairs: tuple[PageRepair, ...] = ()

    @property
    def flags(self) -> frozenset[str]:
        """The flags the verdict raised."""
        return frozenset(finding.flag for finding in self.assessment.findings if finding.severity == "degraded")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a document.

    Attributes:
        inspection: type, findings and classification.
        versions: one; one more after an escalation, and one more with tables put back; in the order in which they were made.
        active: index of the version to take.
        route: the plugins that were planned.
        budget: the time for all plugins, and what is left of it.
        types: what the profile registered besides the shipped types of documents.
    """

    inspection: Inspection
    versions: tuple[ConvertedVersion, ...]
    active: int
    route: Route
    budget: TimeBudget
    types: tuple[RegisteredType, ...] = ()


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
