"""Texts that were derived from documents, inside stored JSON: which documents they name, and how a purge deletes them (STO-12).

A derived text stands in an object with two keys: `derived_from`, the ids of every document that was read for it, and `value`. What a text
took from which of its documents cannot be told, so the purge of any of them deletes the value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

DERIVED_FROM: Final = "derived_from"
VALUE: Final = "value"


def derived(value: Any, documents: Collection[str]) -> dict[str, Any]:
    """A value as it is stored, with the documents that were read for it."""
    return {DERIVED_FROM: sorted(set(documents)), VALUE: value}


def documents_of(stored: Any) -> frozenset[str]:
    """The ids of all documents from which values of a JSON document were derived."""
    return frozenset(document_id for one in _objects(stored) for document_id in one[DERIVED_FROM])


def without_documents(stored: Any, gone: Collection[str]) -> Any:
    """A JSON document in which the values that were derived from these documents are null."""
    if isinstance(stored, list):
        return [without_documents(one, gone) for one in stored]
    if not isinstance(stored, dict):
        return stored
    if DERIVED_FROM in stored and not set(stored[DERIVED_FROM]).isdisjoint(gone):
        return {**stored, VALUE: None}
    return {key: without_documents(one, gone) for key, one in stored.items()}


def _objects(stored: Any) -> Iterator[dict[str, Any]]:
    if isinstance(stored, dict):
        if DERIVED_FROM in stored:
            yield stored
        stored = list(stored.values())
    if isinstance(stored, list):
        for one in stored:
            yield from _objects(one)
