"""Octavo engine `pdf-inspector`: PDF files through pdf-inspector. Importing it does not load the engine."""

from __future__ import annotations

__all__: list[str] = []
