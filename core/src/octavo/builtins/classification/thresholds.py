"""Thresholds of the classifier (CLS-4, CLS-9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from octavo_contracts import RoutingType
from pydantic import Field

from .scanned import SCANNED_DENSITY

TABLE_FORMATS = frozenset({RoutingType.HTML, RoutingType.SPREADSHEET})
"""Routing types whose documents can be a table-heavy filing, as PDF files can (CLS-9)."""


@dataclass(frozen=True, kw_only=True)
class ClassificationThresholds:
    """When a page counts as scanned, and a document as full of tables.

    Attributes:
        scanned_density: below this number of characters per square point a page with a picture is scanned (CLS-4).
        heavy_tables: a PDF or web page with more tables than this, and more rows than `heavy_rows`, is a
            `table_heavy_filing` (CLS-9).
        heavy_rows: rows of all its tables together.
    """

    scanned_density: Annotated[float, Field(ge=0)] = SCANNED_DENSITY
    heavy_tables: Annotated[int, Field(ge=0)] = 3
    heavy_rows: Annotated[int, Field(ge=0)] = 30

    def are_heavy(self, tables: float, rows: float) -> bool:
        """Return whether so many tables, with so many rows in total, make a table-heavy document."""
        return tables > self.heavy_tables and rows > self.heavy_rows


DEFAULT_THRESHOLDS = ClassificationThresholds()
