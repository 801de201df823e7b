"""The steps of a document's way, as pools and events name them."""

from __future__ import annotations

from enum import StrEnum


class StepName(StrEnum):
    """The steps that have a pool of their own (ENG-8). Each is entered: a step that has no code has no name here."""

    CONVERT = "convert"
    CONVERT_HEAVY = "convert_heavy"
    OCR = "ocr"
    ENTITIES = "entities"
    INDEX_WRITE = "index_write"
