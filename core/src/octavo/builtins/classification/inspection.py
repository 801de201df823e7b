"""Request and result of inspecting a document in a worker."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Self

from octavo_contracts import DocumentClassification, Model, PageSight, QualityFinding, SourceStructure, UsageError
from octavo_sandbox.preflight import PreflightLimits
from pydantic import Field

from ...formats import Detected
from ...formats.plugin_claim import PluginClaim
from ..pdf_forms.fields import NO_FORM, FilledForm
from .registered_types import RegisteredType
from .thresholds import DEFAULT_THRESHOLDS, ClassificationThresholds


class InspectRequest(Model):
    """The host's request. `read` ignores unknown keys."""

    declared_media_type: str | None = Field(
        default=None, description="Media type that a server or a mail declared, if any."
    )
    password: str | None = Field(default=None, repr=False, description="Password of an encrypted document.")
    max_pages: int | None = Field(
        default=None, ge=1, description="Refuse documents with more pages; null: the default."
    )
    limits: dict[str, int] = Field(
        default_factory=dict, description="Fields of `PreflightLimits` that differ from the default."
    )
    thresholds: ClassificationThresholds = Field(
        default=DEFAULT_THRESHOLDS, description="When a page counts as scanned, and a PDF as full of tables."
    )
    types: tuple[RegisteredType, ...] = Field(
        default=(), description="Types that the profile adds to the shipped ones, in its order."
    )
    by_hand: str | None = Field(
        default=None, description="The type that a user set, by which a PDF is routed; null: none."
    )
    claims: tuple[PluginClaim, ...] = Field(
        default=(), description="Formats of plugins' own, those of the preferred plugins first."
    )

    def preflight_limits(self) -> PreflightLimits:
        """Return the requested limits.

        Raises:
            UsageError: the name of a limit is unknown.
        """
        known = {field.name for field in fields(PreflightLimits)}
        if unknown := sorted(set(self.limits) - known):
            raise UsageError(f"unknown limit {unknown[0]!r}", remedy=f"Use one of {', '.join(sorted(known))}")
        limits = replace(PreflightLimits(), **self.limits)
        return limits if self.max_pages is None else replace(limits, max_pages=self.max_pages)


class Inspection(Model):
    """Type, findings and classification of one document."""

    detected: Detected = Field(description="Detected type of the file, by content first.")
    claim: PluginClaim | None = Field(
        default=None, description="The format of a plugin's own that the file has; null: none."
    )
    findings: tuple[QualityFinding, ...] = Field(
        default=(), description="Findings of preflight, which did not refuse the document."
    )
    classification: DocumentClassification | None = Field(
        default=None, description="Result of the classifier; null if it failed."
    )
    shipped_type: str | None = Field(
        default=None, description="Type according to the shipped rules only; null if there was no text."
    )
    shipped_confidence: float = Field(default=0.0, description="Confidence of `shipped_type`, 0..1.")
    sights: tuple[PageSight, ...] = Field(
        default=(), description="Evidence for scoring a conversion: a cheap reading of a few pages."
    )
    structure: SourceStructure | None = Field(
        default=None, description="Structural parts of the source; null if no plugin counted them."
    )
    form: FilledForm = Field(
        default=NO_FORM,
        description="Filled-in values of a PDF form; read afterwards, in a separate call.",
    )
    may_be_filled: bool = Field(default=False, description="Whether the PDF may have filled-in values.")
    classification_error: str | None = Field(
        default=None, description="Why there is no classification, as a sentence; null if there is one."
    )

    @classmethod
    def uninspected(cls, detected: Detected, *, error: str) -> Self:
        """Build the inspection of a document that no worker could inspect."""
        return cls(detected=detected, classification_error=error)
