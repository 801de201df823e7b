"""Validates JSON against the committed schemas and describes the first violation."""

from __future__ import annotations

from typing import Any


def first_violation(data: Any, schema: dict[str, Any]) -> str | None:
    """Describe where and how a JSON value violates a schema, or return None."""
    from jsonschema.exceptions import best_match  # type: ignore[import-untyped]  # it ships no types
    from jsonschema.validators import validator_for  # type: ignore[import-untyped]  # it ships no types

    found = best_match(validator_for(schema)(schema).iter_errors(data))
    if found is None:
        return None
    where = ".".join(map(str, found.absolute_path)) or "the document"
    message = found.message if len(found.message) < 200 else f"{found.message[:200]}…"
    return f"{where}: {message}"
