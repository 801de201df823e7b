"""Octavo engine `tesseract`: page images through the Tesseract program. Importing it starts nothing."""

from __future__ import annotations

__all__: list[str] = []
