"""The outcome of converting a document: its scored versions, or the failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from octavo_contracts import Attempt, Conversion, FallbackAttempt, OctavoError, QualityAssessment, QualityEvidence

from ..builtins import BUILTIN

if TYPE_CHECKING:
    from octavo_text.version_texts import Texts

    from ..builtins.classification.inspection import Inspection
    from ..plugins.budget import TimeBudget
    from .draft import Draft
    from .ocr import Recognition
    from .page_repair import PageRepair
    from .routing import Candidate, Route


@dataclass(frozen=True, kw_only=True)
class ConvertedVersion:
    """One conversion of a document, with its score and texts.

    Attributes:
        draft: the conversion after the last step.
        texts: its two texts.
        assessment: the quality verdict.
        scored_by: the plugin that gave the verdict.
        attempts: every call up to this version.
        fallbacks: plugins that were tried before and not used.
    """

    draft: Draft
    texts: Texts
    assessment: QualityAssessment
    scored_by: str = BUILTIN
    attempts: tuple[Attempt, ...]
    fallbacks: tuple[FallbackAttempt, ...]

    @property
    def candidate(self) -> Candidate:
        """The plugin and why it was chosen."""
        return self.draft.candidate

    @property
    def conversion(self) -> Conversion:
        """The pages, completed."""
        return self.draft.conversion

    @property
    def evidence(self) -> QualityEvidence:
        """Facts about the source, against which the conversion was scored."""
        return self.draft.evidence

    @property
    def recognition(self) -> Recognition:
        """OCR results that are merged into the conversion."""
        return self.draft.recognition

    @property
    def repairs(self) -> tuple[PageRepair, ...]:
        """Pages, and tables of pages, that came from another plugin than the candidate."""
        return self.draft.repairs

    @property
    def flags(self) -> frozenset[str]:
        """The degraded flags of the verdict."""
        return frozenset(finding.flag for finding in self.assessment.findings if finding.severity == "degraded")


@dataclass(frozen=True, kw_only=True)
class ConversionOutcome:
    """Outcome of a conversion that succeeded.

    Attributes:
        inspection: type, findings and classification.
        versions: one; another one after an escalation, and another one with restored tables; in order of creation.
        active: index of the version to use.
        route: the planned plugins.
        budget: the time budget shared by all plugins.
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
        fallbacks: every plugin tried.
        inspection: type and classification, if the inspection succeeded.
    """

    error: OctavoError
    attempts: tuple[Attempt, ...] = ()
    fallbacks: tuple[FallbackAttempt, ...] = ()
    inspection: Inspection | None = None

    def __str__(self) -> str:
        return str(self.error)
