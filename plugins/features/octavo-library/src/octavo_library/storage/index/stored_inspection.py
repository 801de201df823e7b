"""The stored form of an inspection."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredInspection:
    """An `octavo.builtins.classification.inspection.Inspection` as JSON, and the key of its request (CLS-7)."""

    key: str
    inspection_json: str
