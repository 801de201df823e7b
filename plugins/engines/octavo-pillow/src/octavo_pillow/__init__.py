"""Octavo engine `pillow`: images as documents. Importing it does not load the engine."""

from __future__ import annotations

__all__: list[str] = []
