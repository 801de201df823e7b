"""Reads and writes payloads as JSON text, checking the limits of the committed schema in both directions (DIG-2)."""

from __future__ import annotations

from octavo_contracts import DigestPayload


def serialize_payload(payload: DigestPayload) -> str:
    """Return the payload as JSON text: exactly its ten fields.

    Raises:
        pydantic.ValidationError: the payload was built without the model's checks and is invalid.
    """
    return DigestPayload.model_validate(payload.model_dump()).to_json()


def deserialize_payload(content: str | bytes | None) -> DigestPayload | None:
    """Parse the payload of a JSON text; return None if it is not one."""
    return DigestPayload.try_parse(content)
