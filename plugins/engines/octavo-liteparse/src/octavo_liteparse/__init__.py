"""Octavo engine `liteparse`: PDF files through liteparse. Importing it does not load the engine."""

from __future__ import annotations

__all__: list[str] = []
