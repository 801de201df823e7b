"""`DigestPayload` v1.0: a large source compressed for a query, with verifiable quotations (DIG-1 … DIG-5)."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, field_validator
from pydantic_core import InitErrorDetails

from ._model import Model, UnitInterval
from .locators import Locator

DIGEST_CONTENT_TYPE = "digest/v1"


def query_hash(query: str) -> str:
    """Return the first 8 hex digits of the SHA-256 of the query in UTF-8 (DIG-1)."""
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:8]


class EvidenceSnippet(Model):
    """A verbatim slice of the canonical text. It never contains an added ellipsis (DIG-3)."""

    text: str = Field(max_length=500, description="The slice, at most 500 code points.")
    locator: str = Field(description="Position of the slice: `char:S-E` or `page:N:char:S-E`.")
    relevance_score: UnitInterval = Field(description="0..1, rounded to 6 digits.")

    @field_validator("locator")
    @classmethod
    def _locator_parses(cls, value: str) -> str:
        Locator.parse(value)
        return value


class DigestPayload(Model):
    """A digest: the ten required fields and no others."""

    version: Literal["1.0"] = Field(default="1.0", description="Version of this payload.")
    content_type: Literal["digest/v1"] = Field(
        default="digest/v1", description="Content type by which consumers recognise a digest (DIG-4)."
    )
    query_hash: Annotated[str, Field(pattern=r"^[a-f0-9]{8}$")] = Field(
        description="First 8 hex digits of sha256(query)."
    )
    summary: str = Field(max_length=2000, description="Summary for the query, at most 2,000 code points.")
    key_points: tuple[Annotated[str, Field(max_length=500)], ...] = Field(
        max_length=10, description="At most 10 key points of at most 500 code points each."
    )
    evidence_snippets: tuple[EvidenceSnippet, ...] = Field(
        max_length=10, description="At most 10 snippets, best first."
    )
    original_chars: int = Field(ge=0, description="Code points of the canonical text.")
    digest_chars: int = Field(ge=0, description="Code points of summary, key points and evidence texts.")
    compression_ratio: UnitInterval = Field(description="digest_chars / original_chars.")
    source_text_hash: Annotated[str, Field(pattern=r"^sha256:[a-f0-9]{64}$")] = Field(
        description="SHA-256 of the canonical text."
    )

    @classmethod
    def read(cls, data: str | bytes | dict[str, Any]) -> Self:
        """Read a payload like `Model.read`, but require all ten fields: defaults are only for building payloads (DIG-1).

        Raises:
            pydantic.ValidationError: the data is not a payload.
        """
        payload = super().read(data)
        missing = [
            InitErrorDetails(type="missing", loc=(name,), input=data)
            for name in cls.model_fields
            if name not in payload.model_fields_set
        ]
        if missing:
            raise ValidationError.from_exception_data(cls.__name__, missing, input_type="json")
        return payload

    @classmethod
    def from_json(cls, text: str | bytes) -> DigestPayload:
        """Parse a payload.

        Raises:
            pydantic.ValidationError: the text is not a payload.
        """
        return cls.read(text)

    @classmethod
    def try_parse(cls, text: str | bytes | None) -> DigestPayload | None:
        """Parse a payload; return None if the text is not one."""
        if not text:
            return None
        try:
            return cls.from_json(text)
        except ValidationError:
            return None


def is_digest(content_type: str | None) -> bool:
    """True if a source of this content type is a digest, which must not be digested again (DIG-4)."""
    return content_type == DIGEST_CONTENT_TYPE
