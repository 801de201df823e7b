"""What a host may set for entities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

DEFAULT_DOCUMENTS = 3
"""In how many documents an entity is seen before it counts as corroborated (ENT-2)."""
DEFAULT_LABELS = ("person", "organization", "location", "date")


@dataclass(frozen=True, kw_only=True)
class EntitySettings:
    """Settings of entities (ENT-1, ENT-2).

    Attributes:
        engine: the plugin that looks for them; None: the first one with the hook whose engine is installed.
        labels: kinds to look for, in lower case.
        threshold: what is less certain is left out, 0..1.
        by_document_type: document type → yes or no, over what a corpus says.
        documents_needed: in how many documents an entity is seen before it counts as confirmed.
        model: folder of the model's weights: handed to the plugin as its option `model`, and made readable to it.
        options: other settings handed to the plugin.
        seconds: longest time the plugin may take for one document.
    """

    engine: str | None = None
    labels: tuple[str, ...] = DEFAULT_LABELS
    threshold: float = 0.5
    by_document_type: Mapping[str, bool] = field(default_factory=dict)
    documents_needed: int = DEFAULT_DOCUMENTS
    model: Path | None = None
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    seconds: float = 300.0

    @property
    def plugin_options(self) -> dict[str, JsonValue]:
        """What the plugin is told."""
        return {**self.options, "model": str(self.model)} if self.model is not None else dict(self.options)
