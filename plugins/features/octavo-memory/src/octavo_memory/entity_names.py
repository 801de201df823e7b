"""Entities of memories have the ids that the library gives observed entities of the same name and kind (ENT-2)."""

from __future__ import annotations

from octavo_library.entities.names import normal_form
from octavo_library.storage import MemoryEntity
from octavo_library.storage.index.entities import entity_id_for

from .models import EntityRef


def entity_of(ref: EntityRef) -> MemoryEntity:
    """The entity of a reference, with its id."""
    form = normal_form(ref.name, label=ref.label)
    return MemoryEntity(
        entity_id=entity_id_for(ref.label, form.key),
        label=ref.label,
        name=" ".join(ref.name.split()),
        relationship=ref.relationship,
    )
