"""Octavo engine `azure`: page images through Azure Document Intelligence. Importing it opens no connection."""

from __future__ import annotations

__all__: list[str] = []
