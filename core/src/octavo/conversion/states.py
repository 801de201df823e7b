"""The states of a conversion, in order: inspected document, draft, scored version, outcome or failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..builtins import BUILTIN
from .ocr import NOTHING, Recognition

if TYPE_CHECKING:
    from octavo_contracts import (
        Attempt,
        Conversion,
        FallbackAttempt,
        OctavoError,
        Page,
        PageMetadata,
        QualityAssessment,
        QualityEvidence,
    )
    from octavo_sandbox import SandboxLimits
    from octavo_text.version_texts import Texts

    from ..builtins.classification.inspection import Inspection
    from ..builtins.classification.registered_types import RegisteredType
    from ..documents.source import Source
    from ..plugins.budget import TimeBudget
    from ..runtime import Runtime
    from .options import ConvertOptions
    from .page_repair import PageRepair
    from .routing import Candidate, Route


@dataclass(frozen=True, kw_only=True)
class DocumentContext:
    """An inspected document, with everything that calls for it need.

    Attributes:
        runtime: plugins, workers, settings.
        source: the document.
        options: the caller's options, with the password that opens the document.
        inspection: result of the inspection.
        types: document types that the profile registers in addition to the shipped ones.
        looked: page → its record, for the pages that were examined; shared by all conversions.
    """

    runtime: Runtime
    source: Source
    options: ConvertOptions
    inspection: Inspection
    types: Sequence[RegisteredType] = ()
    looked: dict[int, PageMetadata] = field(default_factory=dict)

    @property
    def media_type(self) -> str:
        """The document's type by content."""
        return self.inspection.detected.media_type

    @property
    def limits(self) -> SandboxLimits:
        """Limits of each call: those of the settings, with the caller's timeout."""
        limits, timeout = self.runtime.settings.limits, self.options.timeout
        return limits if timeout is None else replace(limits, wall_seconds=timeout)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A conversion between two steps: the plugin's result and the changes that the steps made so far.

    Attributes:
        document: the document.
        candidate: the plugin that converted it, and why it was chosen.
        conversion: the current pages.
        converted: the pages before OCR.
        evidence: facts about the source, against which the conversion is scored.
        recognition: OCR results that are merged into the conversion.
        repairs: pages, and tables of pages, that came from another plugin than the candidate.
        attempts: calls made by the steps, in order.
        plain: page → the page, for those that the inspection did not read and whose text is plausible as a whole.
    """

    document: DocumentContext
    candidate: Candidate
    conversion: Conversion
    converted: Conversion
    evidence: QualityEvidence
    recognition: Recognition = NOTHING
    repairs: tuple[PageRepair, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    plain: Mapping[int, Page] = field(default_factory=dict)


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
