"""The steps of a document's way, as pools and events name them."""

from __future__ import annotations

from enum import StrEnum


class StepName(StrEnum):
    """The steps that have a pool of their own (ENG-8)."""

    STORE_ORIGINAL = "store_original"
    CONVERT = "convert"
    CONVERT_HEAVY = "convert_heavy"
    OCR = "ocr"
    SUMMARISE = "summarise"
    ENTITIES = "entities"
    CHUNK = "chunk"
    INDEX_WRITE = "index_write"
