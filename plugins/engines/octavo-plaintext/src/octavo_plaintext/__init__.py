"""Octavo engine for text formats: plain text, markdown, CSV, subtitles, e-mail, JSON, notebooks."""

from __future__ import annotations

__all__: list[str] = []
