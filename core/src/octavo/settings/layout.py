"""Layout: what a host sets for the engine that finds it on the pages of PDF files by a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import JsonValue

LAYOUT_SETTING: Final = "layout.model"
"""What the manifest of a plugin names that is told; others take no such option."""


@dataclass(frozen=True, kw_only=True)
class LayoutSettings:
    """Settings of the engine that reads PDF by a layout model.

    Attributes:
        model: the folder of the weights, made readable to the engine whose manifest asks for them, as that of `docling` does; None: there
            are none, and other engines read PDF.
    """

    model: Path | None = None

    @property
    def options(self) -> dict[str, JsonValue]:
        """What a plugin is told."""
        return {"model": str(self.model)} if self.model is not None else {}

    @property
    def readable(self) -> tuple[Path, ...]:
        """What the plugin's worker may read besides the system."""
        return (self.model,) if self.model is not None else ()
