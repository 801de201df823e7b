"""Octavo engine `rapidocr`: page images through RapidOCR. Importing it does not load the engine."""

from __future__ import annotations

__all__: list[str] = []
