"""What retention allows to remove, with its size, before it is confirmed (ENG-29). The owner's."""

from __future__ import annotations

import hashlib
import json
import shutil

from octavo_library import Library
from octavo_library.facade.maintenance.retention import Purgeable
from pydantic import Field

from ..screen import Query, Reader, Screen, View

MOST_VERSIONS = 500


class RetentionQuery(Query):
    """No parameters."""


class OldVersionView(View):
    """A version that may be removed."""

    document_id: str = Field(description="The document.")
    url: str = Field(description="Its page.")
    version: int = Field(description="The version.")
    bytes: int = Field(description="Size of its files.")


class RetentionView(View):
    """What may be removed now."""

    versions: list[OldVersionView] = Field(description="Expired and damaged versions, up to 500.")
    version_count: int = Field(description="Number of expired and damaged versions.")
    ocr_pages: int = Field(description="Recognised pages all of whose documents are in no corpus.")
    bytes: int = Field(description="Size of all together.")
    confirm: str = Field(description="The confirmation to send: it holds for exactly this content.")
    disk_free: int = Field(description="Free bytes of the disk.")
    disk_floor: int = Field(description="Bytes that are always kept free.")


def build(reader: Reader, query: RetentionQuery) -> RetentionView:
    """List what may be removed by the rules of the corpora; active versions are never listed.

    Raises:
        Refused: the asker is not the library's owner.
    """
    library = reader.owned
    found = library.maintenance.expired()
    return RetentionView(
        versions=[
            OldVersionView(
                document_id=one.document_id, url=f"/documents/{one.document_id}", version=one.version, bytes=one.bytes
            )
            for one in found.versions[:MOST_VERSIONS]
        ],
        version_count=len(found.versions),
        ocr_pages=len(found.ocr_pages),
        bytes=found.bytes,
        confirm=confirmation(found),
        disk_free=free_bytes(library),
        disk_floor=library.context.runtime.settings.engine.care.disk_floor,
    )


def confirmation(found: Purgeable) -> str:
    """32 hex digits that identify what would be removed."""
    facts = [[one.document_id, one.version, one.bytes] for one in found.versions]
    text = json.dumps([facts, sorted(found.ocr_pages.items())])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def free_bytes(library: Library) -> int:
    """Free bytes of the disk with the library."""
    return shutil.disk_usage(library.path).free


SCREEN = Screen(
    path="/retention",
    template="retention.html",
    summary="Show what the retention rules allow to remove, with its size.",
    query=RetentionQuery,
    view=RetentionView,
    build=build,
    is_owners=True,
)
