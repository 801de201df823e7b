"""How good a conversion is: what `score_quality` returns, and the report every conversion gets (QLT-1)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ._model import Extensions, Model, UnitInterval

Flag = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
"""A degraded flag: one of `DegradedFlag`, or one that a newer minor or a plugin adds."""


class PageSight(Model):
    """What a cheap look at one page of the source showed, whatever converts it: a second reading to hold it against.

    A document without pages has one sight, of page 1.
    """

    page: int = Field(ge=1, description="Page of the source, from 1.")
    text: str = Field(
        default="", description="The beginning of its text as a second reader gives it; empty where nothing was read."
    )
    table_rows: int = Field(default=0, ge=0, description="Rows of tables, by ruled lines, aligned cells or markup.")
    heading_lines: int = Field(default=0, ge=0, description="Headings, by markup or by lines set larger than the body.")
    columns: int = Field(default=1, ge=1, description="Columns that its running text stands in.")
    picture_share: UnitInterval = Field(default=0.0, description="Share of the page under its largest picture.")


class QualityEvidence(Model):
    """What is known of the source when a conversion is scored."""

    media_type: str = Field(description="The document's type.")
    source_page_count: int | None = Field(
        default=None, ge=0, description="Pages the source has, where they can be counted."
    )
    expected_chars: tuple[int, ...] | None = Field(
        default=None, description="Characters of the text layer a page, where a second reading exists."
    )
    ocr_confidences: tuple[float, ...] = Field(default=(), description="Confidence of each recognised page, 0..1.")
    sights: tuple[PageSight, ...] = Field(
        default=(), description="What a cheap look at some pages showed, in their order; empty where nobody looked."
    )


class QualityFinding(Model):
    """Why a flag was raised."""

    flag: Flag = Field(description="The flag.")
    severity: Literal["degraded", "note"] = Field(
        default="degraded",
        description="A note is worth knowing and takes nothing from the content: it degrades nothing.",
    )
    message: str = Field(description="What was seen, in one sentence.")
    page: int | None = Field(default=None, ge=1, description="Page, from 1, where it concerns one.")
    remedy: str = Field(default="", description="What the user can do.")


class QualityAssessment(Model):
    """A verdict on one conversion. Null means not assessed, which is not the same as good."""

    quality_score: UnitInterval | None = Field(description="Overall, 0..1.")
    page_anchor_integrity: UnitInterval | None = Field(default=None, description="1 = every page boundary kept.")
    table_integrity_score: UnitInterval | None = Field(
        default=None, description="1 = tables kept with their structure."
    )
    text_yield_score: UnitInterval | None = Field(default=None, description="1 = all the text that was to be expected.")
    findings: tuple[QualityFinding, ...] = Field(default=(), description="Flags with their reasons.")


class OcrConfidenceSummary(Model):
    """What recognition did."""

    applied: bool = Field(default=False, description="Whether any page was recognised.")
    page_confidences: dict[str, UnitInterval] = Field(
        default_factory=dict, description="Page number (as text: JSON keys) → confidence, 0..1."
    )


class FallbackAttempt(Model):
    """A tool that was tried before the one that was taken."""

    tool: str = Field(description="The plugin.")
    reason: str = Field(description="Why it was not taken: a reason code or a degraded flag, and a sentence.")
    outcome: str = Field(description="'fallback_to_<tool>', 'escalated_to_<tool>', 'kept_over_<tool>' or 'abandoned'.")


class IngestionQualityReport(Model):
    """One a conversion version, immutable (QLT-1, QLT-2)."""

    source_ref: str = Field(description="The original artifact.")
    selected_tool: str = Field(description="Plugin whose conversion was taken; 'none' where every one failed.")
    selected_tool_reason: str = Field(description="Why this one: the rule, the override, the escalation.")
    conversion_artifact_ref: str | None = Field(
        description="The version this report describes; null where there is none."
    )
    quality_score: UnitInterval | None = Field(description="Overall, 0..1; null = not assessed.")
    page_anchor_integrity: UnitInterval | None = Field(
        description="1 = every page boundary kept; null = the format has no pages."
    )
    table_integrity_score: UnitInterval | None = Field(
        description="1 = tables kept with their structure; null = no table seen."
    )
    text_yield_score: UnitInterval | None = Field(description="1 = all the text to be expected; null = not assessed.")
    ocr_confidence_summary: OcrConfidenceSummary = Field(description="What recognition did.")
    fallback_attempts: tuple[FallbackAttempt, ...] = Field(
        default=(), description="Tools tried and not taken, in order."
    )
    degraded_flags: tuple[Flag, ...] = Field(
        default=(), description="Flags of the findings that degrade, sorted, each once."
    )
    user_visible_status: Literal["ok", "degraded", "failed"] = Field(description="What a badge shows.")
    findings: tuple[QualityFinding, ...] = Field(default=(), description="Why each flag was raised.")
    extensions: Extensions = Field(default_factory=dict, description="What the contract does not name.")
