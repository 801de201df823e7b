"""Octavo engine `pdfminer`: PDF files through pdfminer.six. Importing it does not load the engine."""

from __future__ import annotations

__all__: list[str] = []
