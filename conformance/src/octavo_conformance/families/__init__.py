"""The checks, one module for each family. Importing this package fills `octavo_conformance.checks.REGISTRY`."""

from __future__ import annotations

from importlib import import_module

MODULES = (
    "loading", "schema", "spans", "pages", "errors", "kept_passwords", "mutation", "isolation", "determinism", "outside", "resources", "golden",
    "unseen", "interleaved", "memory_series", "concealed", "stated", "stated_languages", "page_limits", "told_losses", "known_options", "withheld", "parts", "stated_parts", "verbatim", "seen_columns", "names", "revisions", "classification", "verdict_series", "ocr", "ocr_certainty", "ocr_pages", "ocr_names", "ocr_amounts", "ocr_forms", "entities", "entity_forms", "entity_names", "sought", "quality", "quality_places", "quality_silence", "beside", "alike", "part_stated", "table_places", "services",
    "service_index", "service_batches", "service_questions", "service_graphs", "service_processes", "throughout", "results", "agreement", "digests",
)  # fmt: skip
"""In the order of the registry: a check is defined after its prerequisites."""

for _module in MODULES:
    import_module(f"{__name__}.{_module}")
