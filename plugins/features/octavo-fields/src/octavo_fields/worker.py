"""The worker's task: loads a plugin's literal extractor, calls it, and checks the result.

Everything here runs inside the sandbox.
"""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING

from octavo.plugins.service_answers import WrongAnswer, checked_fields
from octavo_contracts import (
    ContractViolation,
    HookContext,
    LiteralExtractor,
    SourceView,
    ToolUnavailable,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from octavo_contracts import ExtractedField
    from pydantic import JsonValue


def extract(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Call a plugin's literal extractor.

    Args:
        payload: JSON {"plugin", "factory", "text", "schema"}; the factory as 'module:function'.
        source: not used.
        context: not used.

    Returns:
        JSON {"fields": {field: {"value", "span": [start, end] or null, "method", "confidence"}}, "reasons": {field: why}}: the
        reasons are those of fields with a pattern and without a value.

    Raises:
        ToolUnavailable: the factory cannot be imported.
        ContractViolation: the factory does not return a literal extractor, or the extractor does not return fields.
    """
    task = json.loads(payload)
    name = task["plugin"]
    module, _, attribute = task["factory"].partition(":")
    try:
        extractor = getattr(importlib.import_module(module), attribute)()
    except (ImportError, AttributeError) as error:
        raise ToolUnavailable(
            f"the literal extractor cannot be loaded: {error}", plugin=name, remedy=f"Run: pip install octavo-{name}"
        ) from error
    if not isinstance(extractor, LiteralExtractor):
        raise ContractViolation(f"{task['factory']} does not return a literal extractor", plugin=name)
    text, schema = task["text"], task["schema"]
    try:
        answer = checked_fields(extractor.extract(text, schema), text=text, names=schema.get("properties", {}))
    except WrongAnswer as error:
        raise ContractViolation(f"the literal extractor returned {error}", plugin=name) from None
    return json.dumps({"fields": _encode(answer), "reasons": _reasons(text, schema, found=answer)}).encode()


def _reasons(text: str, schema: Mapping[str, JsonValue], *, found: Collection[str]) -> dict[str, str]:
    """Return why the patterns of fields without a value gave none: patterns are a caller's, so they run here, with a time limit."""
    from .pattern_reasons import why_no_match
    from .schema import read_schema

    return {
        spec.name: why_no_match(text, spec)
        for spec in read_schema(schema)
        if spec.name not in found and spec.pattern is not None
    }


def _encode(answer: Mapping[str, ExtractedField]) -> dict[str, object]:
    encoded: dict[str, object] = {}
    for key, found in answer.items():
        span = [found.span.start, found.span.end] if found.span is not None else None
        encoded[key] = {"value": found.value, "span": span, "method": found.method, "confidence": found.confidence}
    return encoded
