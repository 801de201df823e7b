"""Thresholds of the classifier (CLS-4, CLS-9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from .scanned import SCANNED_DENSITY


@dataclass(frozen=True, kw_only=True)
class ClassificationThresholds:
    """When a page counts as scanned, and a PDF as full of tables.

    Attributes:
        scanned_density: below this number of characters per square point a page with a picture is scanned (CLS-4).
        heavy_tables: a PDF with more tables than this, and more rows than `heavy_rows`, is a `table_heavy_filing` (CLS-9).
        heavy_rows: rows of all its tables together.
    """

    scanned_density: Annotated[float, Field(ge=0)] = SCANNED_DENSITY
    heavy_tables: Annotated[int, Field(ge=0)] = 3
    heavy_rows: Annotated[int, Field(ge=0)] = 30


DEFAULT_THRESHOLDS = ClassificationThresholds()
