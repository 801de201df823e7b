"""A conversion on its way: what a plugin gave, and what the steps have made of it so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from octavo_contracts import Attempt, Conversion, QualityEvidence
from octavo_sandbox import SandboxLimits

from ..builtins.classification.inspection import Inspection
from ..builtins.classification.registered_types import RegisteredType
from ..documents.source import Source
from ..runtime import Runtime
from .ocr import NOTHING, Recognition
from .options import ConvertOptions
from .page_repair import PageRepair
from .routing import Candidate


@dataclass(frozen=True, kw_only=True)
class DocumentContext:
    """An inspected document, and what every call for it needs.

    Attributes:
        runtime: plugins, workers, settings.
        source: the document.
        options: what the caller asked for, with the password that the document is opened with.
        inspection: of the document.
        types: types of documents that the profile registers besides the shipped ones.
        looked: page → whether it needs recognition, as far as pages were looked at; shared by all conversions.
    """

    runtime: Runtime
    source: Source
    options: ConvertOptions
    inspection: Inspection
    types: Sequence[RegisteredType] = ()
    looked: dict[int, bool] = field(default_factory=dict)

    @property
    def media_type(self) -> str:
        """The document's type by content."""
        return self.inspection.detected.media_type

    @property
    def limits(self) -> SandboxLimits:
        """Of each call: the settings', with the caller's timeout."""
        limits, timeout = self.runtime.settings.limits, self.options.timeout
        return limits if timeout is None else replace(limits, wall_seconds=timeout)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A conversion between two steps.

    Attributes:
        document: what is converted.
        candidate: the plugin that converted it, and why it was tried.
        conversion: the pages as they are now.
        converted: the pages before anything was recognised on them.
        evidence: what is known of the source, by which the conversion is judged.
        recognition: what was recognised, and stands in the conversion.
        repairs: pages, and tables of pages, that came from another plugin than the candidate.
        attempts: calls that the steps made, in order.
    """

    document: DocumentContext
    candidate: Candidate
    conversion: Conversion
    converted: Conversion
    evidence: QualityEvidence
    recognition: Recognition = NOTHING
    repairs: tuple[PageRepair, ...] = ()
    attempts: tuple[Attempt, ...] = ()
