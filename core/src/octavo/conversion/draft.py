"""Intermediate state of a conversion: the plugin's result and the changes that the steps made so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from octavo_contracts import Attempt, Conversion, PageMetadata, QualityEvidence
from octavo_sandbox import SandboxLimits

from .ocr import NOTHING, Recognition

if TYPE_CHECKING:
    from ..builtins.classification.inspection import Inspection
    from ..builtins.classification.registered_types import RegisteredType
    from ..documents.source import Source
    from ..runtime import Runtime
    from .options import ConvertOptions
    from .page_repair import PageRepair
    from .routing import Candidate


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
    """A conversion between two steps.

    Attributes:
        document: the document.
        candidate: the plugin that converted it, and why it was chosen.
        conversion: the current pages.
        converted: the pages before OCR.
        evidence: facts about the source, against which the conversion is scored.
        recognition: OCR results that are merged into the conversion.
        repairs: pages, and tables of pages, that came from another plugin than the candidate.
        attempts: calls made by the steps, in order.
    """

    document: DocumentContext
    candidate: Candidate
    conversion: Conversion
    converted: Conversion
    evidence: QualityEvidence
    recognition: Recognition = NOTHING
    repairs: tuple[PageRepair, ...] = ()
    attempts: tuple[Attempt, ...] = ()
