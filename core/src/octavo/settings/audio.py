"""Settings of the engines that transcribe recordings (CNV-9)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue


@dataclass(frozen=True, kw_only=True)
class SpeechSettings:
    """Settings of the engines that transcribe recordings.

    Attributes:
        model: the model's weights, which the engine's worker may read: a folder in CTranslate2 format for
            `faster-whisper`, a checkpoint for `whisper`; None: weights that are installed as a package, if any.
        language: language of the speech, BCP 47; None: detected by the model.
    """

    model: Path | None = None
    language: str | None = None

    @property
    def options(self) -> dict[str, JsonValue]:
        """Options passed to the plugin."""
        asked = {"model": str(self.model) if self.model else None, "language": self.language}
        return {name: value for name, value in asked.items() if value is not None}

    @property
    def readable(self) -> tuple[Path, ...]:
        """Paths that the plugin's worker may read in addition to the system."""
        return (self.model,) if self.model is not None else ()
