"""The result of the `score_quality` hook, and the quality report of a conversion (QLT-1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from ._model import Extensions, Model, UnitInterval
from .structure import SourceStructure

Flag = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
"""A degraded flag: one of `DegradedFlag`, or one added by a newer minor version or a plugin."""


class PageSight(Model):
    """Facts about one source page from a cheap second reading, independent of the converter, for comparison.

    A document without pages has one, for page 1.
    """

    page: int = Field(ge=1, description="Page of the source, from 1.")
    text: str = Field(
        default="", description="Start of the page's text from a second reader; empty if it read nothing."
    )
    table_rows: int = Field(
        default=0, ge=0, description="Number of table rows, from ruled lines, aligned cells or markup."
    )
    heading_lines: int = Field(
        default=0, ge=0, description="Number of headings, from markup or from lines in larger type than the body."
    )
    columns: int = Field(default=1, ge=1, description="Number of columns of its running text.")
    picture_share: UnitInterval = Field(default=0.0, description="Share of the page that its largest picture covers.")


class ReaderAgreement(Model):
    """How far another plugin's reading of a page agrees with the conversion."""

    plugin: str = Field(description="The other plugin.")
    words: UnitInterval = Field(description="Pairs of neighbouring words that both have (Dice coefficient).")
    tables: UnitInterval | None = Field(
        default=None,
        description="Pairs of neighbouring cells that both have; null if neither has a table, or the other plugin finds none.",
    )
    headings: UnitInterval | None = Field(
        default=None, description="Headings that both have; null if neither has any, or the other plugin marks none."
    )
    reads_tables: bool = Field(
        default=False,
        description="Whether the other plugin can find tables: only then does it count that it finds none on the page.",
    )


class PageAgreement(Model):
    """How far independent readings of a page agree with the conversion."""

    page: int = Field(ge=1, description="Page, from 1.")
    plugin: str = Field(description="The plugin that the page's text came from.")
    others: tuple[ReaderAgreement, ...] = Field(description="The other readings of the page, at least one.")

    @property
    def words(self) -> float:
        """Mean agreement about words and their order."""
        return sum(one.words for one in self.others) / len(self.others)

    @property
    def tables(self) -> float | None:
        """Mean agreement about cells; None if no reading has a table."""
        return _mean_of([one.tables for one in self.others])

    @property
    def headings(self) -> float | None:
        """Mean agreement about headings; None if no reading has any."""
        return _mean_of([one.headings for one in self.others])


def _mean_of(values: Sequence[float | None]) -> float | None:
    """Return the mean of the values that were compared; None if there are none."""
    given = [value for value in values if value is not None]
    return sum(given) / len(given) if given else None


class QualityEvidence(Model):
    """Facts about the source for scoring a conversion."""

    media_type: str = Field(description="The document's type.")
    source_page_count: int | None = Field(
        default=None, ge=0, description="Number of pages of the source, if countable."
    )
    expected_chars: tuple[int, ...] | None = Field(
        default=None, description="Characters of the text layer for each page, if there is a second reading."
    )
    ocr_confidences: tuple[float, ...] = Field(default=(), description="Confidence of each recognised page, 0..1.")
    sights: tuple[PageSight, ...] = Field(
        default=(),
        description="Facts about sampled pages from a cheap second reading, in page order; empty if no page was sampled.",
    )
    structure: SourceStructure | None = Field(
        default=None, description="Structural parts of the source; null if no plugin counted them."
    )
    agreements: tuple[PageAgreement, ...] = Field(
        default=(), description="Pages that other plugins read too, and how far they agree; empty if none did."
    )


class QualityFinding(Model):
    """A raised flag with its reason."""

    flag: Flag = Field(description="The flag.")
    severity: Literal["degraded", "note"] = Field(
        default="degraded",
        description="A note is informative: the content is complete and the result is not degraded.",
    )
    message: str = Field(description="The observation, in one sentence.")
    page: int | None = Field(default=None, ge=1, description="Page, from 1, if it concerns a single page.")
    remedy: str = Field(default="", description="What the user can do.")


class QualityAssessment(Model):
    """The scores of one conversion. Null means not assessed, not good."""

    quality_score: UnitInterval | None = Field(description="Overall, 0..1.")
    page_anchor_integrity: UnitInterval | None = Field(default=None, description="1 = every page boundary kept.")
    table_integrity_score: UnitInterval | None = Field(
        default=None, description="1 = tables kept with their structure."
    )
    text_yield_score: UnitInterval | None = Field(default=None, description="1 = all the expected text.")
    findings: tuple[QualityFinding, ...] = Field(default=(), description="Flags with their reasons.")


class OcrConfidenceSummary(Model):
    """Summary of text recognition."""

    applied: bool = Field(default=False, description="Whether any page was recognised.")
    page_confidences: dict[str, UnitInterval] = Field(
        default_factory=dict, description="Page number (as text: JSON keys) → confidence, 0..1."
    )


class FallbackAttempt(Model):
    """A tool that was tried and whose conversion was not selected."""

    tool: str = Field(description="The plugin.")
    reason: str = Field(description="Why it was not selected: a reason code or a degraded flag, and a sentence.")
    outcome: str = Field(description="'fallback_to_<tool>', 'escalated_to_<tool>', 'kept_over_<tool>' or 'abandoned'.")


class IngestionQualityReport(Model):
    """The quality report of a conversion version; immutable (QLT-1, QLT-2)."""

    source_ref: str = Field(description="Reference to the original artifact.")
    selected_tool: str = Field(description="Plugin whose conversion was selected; 'none' if all failed.")
    selected_tool_reason: str = Field(description="Why it was selected: the rule, the override, the escalation.")
    conversion_artifact_ref: str | None = Field(
        description="The conversion version that this report describes; null if there is none."
    )
    quality_score: UnitInterval | None = Field(description="Overall, 0..1; null = not assessed.")
    page_anchor_integrity: UnitInterval | None = Field(
        description="1 = every page boundary kept; null = the format has no pages."
    )
    table_integrity_score: UnitInterval | None = Field(
        description="1 = tables kept with their structure; null = no table found."
    )
    text_yield_score: UnitInterval | None = Field(description="1 = all the expected text; null = not assessed.")
    ocr_confidence_summary: OcrConfidenceSummary = Field(description="Summary of text recognition.")
    fallback_attempts: tuple[FallbackAttempt, ...] = Field(
        default=(), description="Tools tried and not selected, in order."
    )
    degraded_flags: tuple[Flag, ...] = Field(
        default=(), description="Flags of all findings that degrade the result, sorted, without duplicates."
    )
    user_visible_status: Literal["ok", "degraded", "failed"] = Field(description="Status to display to users.")
    findings: tuple[QualityFinding, ...] = Field(default=(), description="The raised flags with their reasons.")
    extensions: Extensions = Field(default_factory=dict, description="Data that the contract does not define.")
