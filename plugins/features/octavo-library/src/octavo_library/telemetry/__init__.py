"""Metrics of an open library for systems outside: the state of the library, and the export to a collector."""

from __future__ import annotations

from .library_gauges import GAUGES, INTERVAL, LibraryGauges, Sample
from .otlp_export import MetricsExport, otlp_reader

__all__ = ["GAUGES", "INTERVAL", "LibraryGauges", "MetricsExport", "Sample", "otlp_reader"]
