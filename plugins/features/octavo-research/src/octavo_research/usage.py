"""What a run has used, added up from its journal: calls of the model, and documents that were fetched (RES-6, RES-19)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .spending import TokenUsage

MODEL_STEPS = "model:"
"""Beginning of the names of the steps that call a model. Each has the `usage` of its calls."""


def usage_of(results: Mapping[str, Any]) -> TokenUsage:
    """The usage of all finished steps."""
    used = TokenUsage()
    for name in sorted(results):
        if name.startswith(MODEL_STEPS):
            used = used.plus(TokenUsage(**results[name]["usage"]))
    return used


def fetched_of(results: Mapping[str, Any]) -> frozenset[str]:
    """Ids of the documents that the finished steps fetched from the web."""
    return frozenset(
        document_id
        for name, result in results.items()
        if name.startswith("gather:")
        for document_id in result.get("fetched", ())
    )
