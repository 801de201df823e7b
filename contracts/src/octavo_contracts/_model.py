"""The base class of every contract model: frozen, strict when built, tolerant when read."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

Extensions = dict[str, JsonValue]
"""Data that the contract does not define (ENG-19). Keys should start with the producer's name."""

UnitInterval = Annotated[float, Field(ge=0.0, le=1.0)]
"""A score or a confidence from 0 to 1."""

Sha256Hex = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 as 64 lower-case hex digits, without a prefix."""


class Model(BaseModel):
    """A contract model.

    The constructor is strict: no coercion, no unknown fields. Use `read` for data from elsewhere: it ignores fields
    that a newer minor version of the contract may have added (ENG-19).
    """

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64", defer_build=True
    )

    @classmethod
    def read(cls, data: str | bytes | dict[str, Any]) -> Self:
        """Validate JSON text, or the object parsed from it; ignore unknown fields.

        Args:
            data: JSON text, or the result of `json.loads`.

        Raises:
            pydantic.ValidationError: a required field is missing or a value is of the wrong type.
        """
        if isinstance(data, dict):
            import json

            # Strict validation has two modes; only the JSON mode accepts a list for a tuple.
            data = json.dumps(data)
        return cls.model_validate_json(data, extra="ignore")

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the model as JSON text with every field."""
        return self.model_dump_json(indent=indent)


class Span(Model):
    """A half-open range of code points."""

    start: int = Field(ge=0, description="First code point, counted from 0.")
    end: int = Field(ge=0, description="One past the last code point.")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end < self.start:
            raise ValueError(f"span end {self.end} is before its start {self.start}")
        return self

    def of(self, text: str) -> str:
        """Return the slice of `text` that this span covers."""
        return text[self.start : self.end]
