"""Inspections of a library's documents: made once for the same bytes and the same request (CLS-7)."""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from octavo.builtins.classification.inspection import Inspection
from pydantic import ValidationError

from ..storage import Index, StoredInspection

_BEFOREHAND: WeakKeyDictionary[Index, dict[str, StoredInspection]] = WeakKeyDictionary()
"""Open index → hash of bytes → the inspection of a document that its job takes over."""


@dataclass(kw_only=True)
class NewInspection:
    """The inspection that a job made; its completion stores it. None: it made none, or took a stored one."""

    made: StoredInspection | None = field(default=None)


class LibraryInspections:
    """Reads stored inspections, and hands a new one to the completion of its job.

    Args:
        index: the library's index.
        new: of the job.
    """

    def __init__(self, index: Index, new: NewInspection) -> None:
        self._index = index
        self._new = new

    def get(self, raw_hash: str, key: str) -> Inspection | None:
        """See `octavo.conversion.conversion_services.InspectionStore`."""
        beforehand = _BEFOREHAND.get(self._index, {}).pop(raw_hash, None)
        if beforehand is not None and beforehand.key == key:
            self._new.made = beforehand
            return _read(beforehand)
        stored = self._index.inspections.get(raw_hash)
        return _read(stored) if stored is not None and stored.key == key else None

    def put(self, raw_hash: str, key: str, inspection: Inspection) -> None:
        """See `octavo.conversion.conversion_services.InspectionStore`."""
        self._new.made = StoredInspection(key=key, inspection_json=inspection.to_json())


class InspectionsBeforehand:
    """Inspections of documents that no job has yet: those made here are taken over by the jobs of this process.

    Args:
        index: the library's index.
    """

    def __init__(self, index: Index) -> None:
        self._index = index

    def get(self, raw_hash: str, key: str) -> Inspection | None:
        """See `octavo.conversion.conversion_services.InspectionStore`."""
        held = _BEFOREHAND.get(self._index, {}).get(raw_hash) or self._index.inspections.get(raw_hash)
        return _read(held) if held is not None and held.key == key else None

    def put(self, raw_hash: str, key: str, inspection: Inspection) -> None:
        """See `octavo.conversion.conversion_services.InspectionStore`."""
        made = StoredInspection(key=key, inspection_json=inspection.to_json())
        _BEFOREHAND.setdefault(self._index, {})[raw_hash] = made


def _read(stored: StoredInspection) -> Inspection | None:
    try:
        return Inspection.read(stored.inspection_json)
    except ValidationError:  # of another version of Octavo
        return None
