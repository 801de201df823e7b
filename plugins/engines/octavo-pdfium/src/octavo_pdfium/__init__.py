"""Octavo engine `pdfium`: PDF files through PDFium. Importing it does not load the engine."""

from __future__ import annotations

__all__: list[str] = []
