"""Octavo's engine for office documents, e-mail, web pages, e-books and data files: MarkItDown, with its gaps filled."""

from __future__ import annotations

from .formats import FORMATS, Format

__all__ = ["FORMATS", "Format"]
