"""Settings of the engines that transcribe recordings (CNV-9)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue


@dataclass(frozen=True, kw_only=True)
class SpeechSettings:
    """Settings of the engines that listen to recordings.

    Attributes:
        model: the model's weights, made readable to the engine: a folder in CTranslate2's form for `faster-whisper`, a
            checkpoint for `whisper`; None: the one that is installed as a package, where there is one.
        language: of the speech, BCP 47; None: the model tells.
    """

    model: Path | None = None
    language: str | None = None

    @property
    def options(self) -> dict[str, JsonValue]:
        """What a plugin is told."""
        asked = {"model": str(self.model) if self.model else None, "language": self.language}
        return {name: value for name, value in asked.items() if value is not None}

    @property
    def readable(self) -> tuple[Path, ...]:
        """What the plugin's worker may read besides the system."""
        return (self.model,) if self.model is not None else ()


NO_SPEECH = SpeechSettings()
"""For documents that are no recordings."""
