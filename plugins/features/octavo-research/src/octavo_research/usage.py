"""What a run has used, added up from its journal: calls of models, searches, and documents that were fetched (RES-5, RES-6, RES-19)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .spending import Usage

SEARCH_STEPS = ("gather:", "search:")
"""Beginnings of the names of the steps that search."""
PAID_STEPS = ("model:", *SEARCH_STEPS)
"""Beginnings of the names of the steps that can cost something. Each has the `usage` of its calls."""


def usage_of(results: Mapping[str, Any]) -> Usage:
    """The usage of all finished steps."""
    used = Usage()
    for name in sorted(results):
        if name.startswith(PAID_STEPS):
            used = used.plus(Usage(**results[name].get("usage", {})))  # searches of an older run have none
    return used


def fetched_of(results: Mapping[str, Any]) -> frozenset[str]:
    """Ids of the documents that the finished steps fetched from the web."""
    return frozenset(
        document_id
        for name, result in results.items()
        if name.startswith(SEARCH_STEPS)
        for document_id in result.get("fetched", ())
    )
