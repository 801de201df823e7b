"""Octavo engine `azure`: page images through Azure Document Intelligence. Importing it reaches nothing."""

from __future__ import annotations

__all__: list[str] = []
