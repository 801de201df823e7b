"""Request and result of the `extract_entities` hook (ENT-2)."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from ._model import Extensions, Model, UnitInterval


class EntityRequest(Model):
    """The request for entity extraction."""

    labels: tuple[str, ...] = Field(
        default=("person", "organization", "location", "date"), description="Kinds of entity, in lower case."
    )
    threshold: UnitInterval = Field(default=0.5, description="Omit mentions with a lower confidence.")
    language: str | None = Field(default=None, description="Language of the text, BCP 47, if known.")
    options: Extensions = Field(default_factory=dict, description="Settings of this plugin.")


class EntityObservation(Model):
    """One mention of an entity: an observation, never a confirmed entity."""

    label: str = Field(description="Kind of entity, one of the request's labels.")
    text: str = Field(min_length=1, description="The mention, verbatim: `canonical[start:end]`.")
    start: int = Field(ge=0, description="First code point in the canonical text.")
    end: int = Field(ge=0, description="One past the last code point.")
    confidence: UnitInterval = Field(description="0..1.")
    normalized: str | None = Field(default=None, description="Name or date in normalised form.")

    @model_validator(mode="after")
    def _span_fits(self) -> Self:
        if self.end - self.start != len(self.text):
            raise ValueError(
                f"the length of span {self.start}-{self.end} differs from that of its text ({len(self.text)} code points)"
            )
        return self
