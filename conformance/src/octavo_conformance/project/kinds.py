"""What a new plugin can be."""

from __future__ import annotations

from typing import Final

KINDS: Final = ("convert", "classify", "ocr", "extract_entities", "score_quality", "service", "feature")
"""One of the five hooks, a service that hosts call, or a feature with a command of its own."""
