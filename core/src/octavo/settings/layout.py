"""Settings of the engine that detects the layout of PDF pages with a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import JsonValue

LAYOUT_SETTING: Final = "layout.model"
"""Setting that a plugin's manifest names to receive this option; other plugins do not receive it."""


@dataclass(frozen=True, kw_only=True)
class LayoutSettings:
    """Settings of the engine that reads PDF with a layout model.

    Attributes:
        model: folder of the weights, which the worker of an engine may read if its manifest requests them, such as
            `docling`;
            None: no weights, other engines read PDF.
    """

    model: Path | None = None

    @property
    def options(self) -> dict[str, JsonValue]:
        """Options passed to the plugin."""
        return {"model": str(self.model)} if self.model is not None else {}

    @property
    def readable(self) -> tuple[Path, ...]:
        """Paths that the plugin's worker may read in addition to the system."""
        return (self.model,) if self.model is not None else ()
