"""Estimates the disk space that documents will need in a library, from their sizes and types (ENG-12)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from types import MappingProxyType

from octavo.formats import format_for_extension
from octavo_sandbox.egress.targets import is_url

DOCUMENT_BYTES = 120_000
"""Bytes for each document, whatever its size: the files of a version take whole blocks of the disk (74 kB on average), its
rows in the index take 34 kB, and the write-ahead log holds the latest ones twice."""

GROWTH: Mapping[str, float] = MappingProxyType(
    {"text": 4.0, "html": 0.5, "pdf": 2.5, "zip": 1.0, "ole": 1.0, "image": 0.5, "audio": 0.05, "binary": 1.0}
)
"""Family of a format → bytes that a library grows by for each byte of a file, besides `DOCUMENT_BYTES`.

Measured on 506 documents of 34 MB, whose library had 133 MB with its search index; this table estimates 142 MB. A text is
stored as markdown, as canonical text, in its chunks and in the search index. A web page loses its scripts and its markup, a
PDF its pictures. Originals with a path are not copied (STO-1)."""

UNKNOWN_GROWTH = 1.0
"""Growth of a file whose extension is in no table of formats."""

PAGE_BYTES = 200_000
"""Size assumed for a page of the web, which is unknown before it is fetched; its bytes are stored too."""


@dataclass(frozen=True, kw_only=True)
class DiskNeed:
    """The space that some sources need.

    Attributes:
        documents: number of sources.
        bytes: their size; a source that cannot be read counts as empty.
        needed: estimated bytes that a library grows by.
    """

    documents: int = 0
    bytes: int = 0
    needed: int = 0

    def __add__(self, other: DiskNeed) -> DiskNeed:
        return DiskNeed(
            documents=self.documents + other.documents,
            bytes=self.bytes + other.bytes,
            needed=self.needed + other.needed,
        )


def need_of(source: str | os.PathLike[str]) -> DiskNeed:
    """The space for one source, if the library does not know it."""
    if is_url(source):
        return DiskNeed(documents=1, needed=DOCUMENT_BYTES + PAGE_BYTES)
    try:
        size = os.stat(source).st_size
    except (OSError, ValueError):  # it fails when it is ingested, and stores nothing
        return DiskNeed(documents=1)
    growth = _growth(PurePath(os.fsdecode(source)).suffix)
    return DiskNeed(documents=1, bytes=size, needed=DOCUMENT_BYTES + round(size * growth))


def _growth(extension: str) -> float:
    known = format_for_extension(extension)
    if known is None:
        return UNKNOWN_GROWTH
    return GROWTH["html" if known.sub_kind == "html" else known.family]


def need_of_all(sources: Iterable[str | os.PathLike[str]]) -> DiskNeed:
    """The space for all sources, if the library knows none of them."""
    documents = size = needed = 0
    for source in sources:
        one = need_of(source)
        documents, size, needed = documents + 1, size + one.bytes, needed + one.needed
    return DiskNeed(documents=documents, bytes=size, needed=needed)
