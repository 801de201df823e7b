"""Settings of entity extraction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

DEFAULT_DOCUMENTS = 3
"""Number of documents that must mention an entity before it counts as corroborated (ENT-2)."""
DEFAULT_LABELS = ("person", "organization", "location", "date")


@dataclass(frozen=True, kw_only=True)
class EntitySettings:
    """Settings of entity extraction (ENT-1, ENT-2).

    Attributes:
        engine: the plugin that extracts entities; None: the first installed one with the hook whose engine is
            installed.
        labels: entity types to extract, in lower case.
        threshold: minimum confidence, 0..1; less certain mentions are dropped.
        by_document_type: document type → whether to extract; overrides the corpus.
        labels_by_document_type: document type → entity types to extract from documents of this type; overrides the list
            of the corpus.
        documents_needed: number of documents that must mention an entity before it counts as confirmed.
        model: folder of the model's weights: passed to the plugin as its option `model`; its worker may read it.
        options: other options for the plugin.
        seconds: maximum time of the plugin for one document.
    """

    engine: str | None = None
    labels: tuple[str, ...] = DEFAULT_LABELS
    threshold: float = 0.5
    by_document_type: Mapping[str, bool] = field(default_factory=dict)
    labels_by_document_type: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    documents_needed: int = DEFAULT_DOCUMENTS
    model: Path | None = None
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    seconds: float = 300.0

    @property
    def plugin_options(self) -> dict[str, JsonValue]:
        """Options passed to the plugin."""
        return {**self.options, "model": str(self.model)} if self.model is not None else dict(self.options)
