"""What the worker is asked about a document, and what it answers."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Self

from octavo_contracts import DocumentClassification, Model, PageSight, QualityFinding, UsageError
from pydantic import Field

from ...formats import Detected
from ...preflight import PreflightLimits
from ..pdf_forms.fields import NO_FORM, FilledForm
from .registered_types import RegisteredType


class InspectRequest(Model):
    """What the host asks. `read` ignores keys it does not know."""

    declared_media_type: str | None = Field(
        default=None, description="Media type that a server or a mail declared, if any."
    )
    password: str | None = Field(default=None, repr=False, description="Password of an encrypted document.")
    max_pages: int | None = Field(default=None, ge=1, description="Refuse above this many pages; null: the default.")
    limits: dict[str, int] = Field(
        default_factory=dict, description="Fields of `PreflightLimits` that differ from the default."
    )
    scanned_density: float | None = Field(
        default=None, ge=0, description="Characters a square point below which a page is scanned; null: the default."
    )
    types: tuple[RegisteredType, ...] = Field(
        default=(), description="Types that the profile registers besides the shipped ones, in its order."
    )
    by_hand: str | None = Field(
        default=None, description="The type that a user set, by which a PDF is routed; null: none."
    )

    def preflight_limits(self) -> PreflightLimits:
        """The limits asked for.

        Raises:
            UsageError: a limit of that name does not exist.
        """
        known = {field.name for field in fields(PreflightLimits)}
        if unknown := sorted(set(self.limits) - known):
            raise UsageError(f"no limit is named {unknown[0]!r}", remedy=f"Choose among {', '.join(sorted(known))}")
        limits = replace(PreflightLimits(), **self.limits)
        return limits if self.max_pages is None else replace(limits, max_pages=self.max_pages)


class Inspection(Model):
    """Type, findings and classification of one document."""

    detected: Detected = Field(description="What the file is, by content first.")
    findings: tuple[QualityFinding, ...] = Field(default=(), description="What preflight noted without refusing.")
    classification: DocumentClassification | None = Field(
        default=None, description="What the classifier says; null where it failed."
    )
    shipped_type: str | None = Field(
        default=None, description="The type by the shipped rules alone; null where there was no text to look at."
    )
    shipped_confidence: float = Field(default=0.0, description="How sure that is, 0..1.")
    sights: tuple[PageSight, ...] = Field(
        default=(), description="What a conversion can be held against: a cheap reading of a few pages."
    )
    form: FilledForm = Field(
        default=NO_FORM,
        description="What is filled in on the pages of a PDF; read after the rest, by a call of its own.",
    )
    may_be_filled: bool = Field(default=False, description="Whether it is worth asking what is filled in.")
    classification_error: str | None = Field(
        default=None, description="Why there is no classification, as a sentence; null where there is one."
    )

    @classmethod
    def uninspected(cls, detected: Detected, *, error: str) -> Self:
        """The inspection of a document that no worker could look at."""
        return cls(detected=detected, classification_error=error)
