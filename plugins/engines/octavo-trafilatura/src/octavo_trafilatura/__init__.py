"""Octavo engine for web pages: the main content as markdown, by trafilatura (CNV-11)."""

from __future__ import annotations

__all__: list[str] = []
