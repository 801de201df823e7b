"""Names of the processing steps of a document, for pools and events."""

from __future__ import annotations

from enum import StrEnum


class StepName(StrEnum):
    """The steps that have their own pool (ENG-8). Every name is in use: a step without code has no name here."""

    CONVERT = "convert"
    CONVERT_HEAVY = "convert_heavy"
    OCR = "ocr"
    ENTITIES = "entities"
    MODEL = "model"
    """Calls that wait for a server: of plugins with the capability `network`, and of models that extract fields."""
    INDEX_WRITE = "index_write"
