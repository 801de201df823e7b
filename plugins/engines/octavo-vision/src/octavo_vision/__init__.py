"""Octavo engine `vision`: pictures through a vision model on a server of the user's own. Importing it opens no connection."""

from __future__ import annotations

__all__: list[str] = []
