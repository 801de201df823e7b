"""Payloads as JSON text, held to the committed schema's limits on the way out and in (DIG-2)."""

from __future__ import annotations

from octavo_contracts import DigestPayload


def serialize_payload(payload: DigestPayload) -> str:
    """The payload as JSON text: exactly its ten fields.

    Raises:
        pydantic.ValidationError: it was built past the model's checks and does not fit.
    """
    return DigestPayload.model_validate(payload.model_dump()).to_json()


def deserialize_payload(content: str | bytes | None) -> DigestPayload | None:
    """The payload of a JSON text, or None where it is none."""
    return DigestPayload.try_parse(content)
