"""Octavo's engine for spreadsheets: calamine reads the cells, this package checks them and makes pages of them."""

from __future__ import annotations

from .extent import MAX_SHEET_CELLS, MAX_WORKBOOK_CELLS

__all__ = ["MAX_SHEET_CELLS", "MAX_WORKBOOK_CELLS"]
