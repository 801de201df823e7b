"""Where a document came from, on the page of a document (UI-1)."""

from __future__ import annotations

from pathlib import Path

from octavo.documents.location import place_of
from octavo_library import Document
from octavo_library.facade.catalogue import file_name_of
from octavo_library.facade.document_origins import origins_of
from octavo_library.storage import is_entry
from pydantic import Field

from ..screen import Reader, View


class LocationView(View):
    """A place at which the document was seen."""

    place: str = Field(
        description="Address, or the last folder and the name of a file; only the file name for a user of a corpus. May be empty."
    )
    kind: str = Field(description="Type of the place, such as `local` or `email_attachment`.")
    added_at: str = Field(description="When it was first seen there, UTC.")
    is_gone: bool = Field(description="Whether it is no longer there.")


class MembershipView(View):
    """A corpus that has the document."""

    corpus: str = Field(description="Its name.")
    added_at: str = Field(description="When the document was added, UTC.")
    added_by: str = Field(description="Who or what added it.")


class InstanceView(View):
    """A way in which the document came."""

    id: str = Field(description="Its id.")
    surface: str = Field(description="How it came, such as `corpus` or `direct_upload`.")
    corpus: str | None = Field(description="The corpus, or null.")
    ingested_at: str = Field(description="When it first came this way, UTC.")


class OriginsView(View):
    """Where a document came from."""

    locations: list[LocationView] = Field(description="Places at which it was seen, oldest first.")
    memberships: list[MembershipView] = Field(description="Corpora that have it; only its own for a user of a corpus.")
    instances: list[InstanceView] = Field(description="Ways in which it came, oldest first.")
    last_accessed_at: str | None = Field(description="When a model was last sent the document, UTC, or null.")


def origins_view(reader: Reader, document: Document) -> OriginsView:
    """Describe where a document came from; a user of a corpus sees no path of the machine and no other corpus (STO-5)."""
    found = origins_of(document, corpus=reader.corpus)
    return OriginsView(
        locations=[
            LocationView(
                place=_place(one.path) if reader.corpus is None else file_name_of(one.path),
                kind=one.location_type,
                added_at=one.added_at,
                is_gone=one.is_stale,
            )
            for one in found.locations
        ],
        memberships=[
            MembershipView(corpus=one.corpus, added_at=one.added_at, added_by=one.added_by) for one in found.memberships
        ],
        instances=[
            InstanceView(id=one.source_instance_id, surface=one.surface, corpus=one.corpus, ingested_at=one.ingested_at)
            for one in found.instances
        ],
        last_accessed_at=found.last_accessed_at,
    )


def _place(ref: str) -> str:
    """The address in a reference, or the folder and the name of a file: pages show no path of the machine."""
    if is_entry(ref):
        return file_name_of(ref)
    try:
        place = place_of(ref)
    except ValueError:
        return ref
    return place if isinstance(place, str) else str(Path("…", place.parent.name, place.name))
