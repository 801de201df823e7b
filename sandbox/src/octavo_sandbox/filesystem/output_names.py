"""Names for the files of many results: those of the documents with another ending, each used once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath

_ESCAPED = str.maketrans({"/": "_", "\\": "_", "\0": "_", ":": "_"})


def output_names(places: Mapping[str, PurePosixPath], extension: str) -> dict[str, PurePosixPath]:
    """The file of each document, relative to the output folder.

    Documents that would share a file keep their own ending before the new one (`report.pdf.md`, `report.docx.md`). What
    is still the same is numbered in the order of the mapping. Names that differ in case alone count as the same.

    Args:
        places: key of a document -> where it stands in a tree, with its own name.
        extension: of the results, with its dot.
    """
    short = {key: _with(place, place.stem, extension) for key, place in places.items()}
    shared = Counter(str(place).casefold() for place in short.values())
    used: set[str] = set()
    names: dict[str, PurePosixPath] = {}
    for key, place in places.items():
        name = short[key]
        if shared[str(name).casefold()] > 1:
            name = _with(place, place.name, extension)
        number = 1
        while str(name).casefold() in used:
            number += 1
            name = _with(place, f"{place.name}-{number}", extension)
        used.add(str(name).casefold())
        names[key] = name
    return names


def safe_name(name: str) -> PurePosixPath:
    """A name as one part of a path: separators become underscores, and it is never empty nor `..`."""
    flat = name.translate(_ESCAPED)
    return PurePosixPath(flat if flat.strip(". ") else "document")


def _with(place: PurePosixPath, stem: str, extension: str) -> PurePosixPath:
    return place.with_name(f"{stem}{extension}")
