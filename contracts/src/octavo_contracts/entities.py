"""What the `extract_entities` hook receives and returns (ENT-2)."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from ._model import Extensions, Model, UnitInterval


class EntityRequest(Model):
    """What to look for."""

    labels: tuple[str, ...] = Field(
        default=("person", "organization", "location", "date"), description="Kinds of entity, in lower case."
    )
    threshold: UnitInterval = Field(default=0.5, description="Leave out what is less certain.")
    language: str | None = Field(default=None, description="Language of the text, BCP 47, where known.")
    options: Extensions = Field(default_factory=dict, description="Settings of this plugin.")


class EntityObservation(Model):
    """One mention of something. An observation, never a confirmed entity."""

    label: str = Field(description="Kind, one of the request's labels.")
    text: str = Field(min_length=1, description="The mention, verbatim: `canonical[start:end]`.")
    start: int = Field(ge=0, description="First code point in the canonical text.")
    end: int = Field(ge=0, description="One past the last code point.")
    confidence: UnitInterval = Field(description="0..1.")
    normalized: str | None = Field(default=None, description="Name or date in a normal form.")

    @model_validator(mode="after")
    def _span_fits(self) -> Self:
        if self.end - self.start != len(self.text):
            raise ValueError(
                f"span {self.start}-{self.end} does not have the length of its text ({len(self.text)} code points)"
            )
        return self
