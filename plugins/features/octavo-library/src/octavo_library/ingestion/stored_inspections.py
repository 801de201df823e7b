"""Inspections of a library's documents: made once for the same bytes and the same request (CLS-7)."""

from __future__ import annotations

from dataclasses import dataclass, field

from octavo.builtins.classification.inspection import Inspection
from pydantic import ValidationError

from ..storage import Index, StoredInspection


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
        stored = self._index.inspections.get(raw_hash)
        if stored is None or stored.key != key:
            return None
        try:
            return Inspection.read(stored.inspection_json)
        except ValidationError:  # of another version of Octavo
            return None

    def put(self, raw_hash: str, key: str, inspection: Inspection) -> None:
        """See `octavo.conversion.conversion_services.InspectionStore`."""
        self._new.made = StoredInspection(key=key, inspection_json=inspection.to_json())
