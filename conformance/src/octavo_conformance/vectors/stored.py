"""Reads the committed vectors."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib import resources
from typing import Any

from octavo_contracts import UsageError

from .model import GoldenVector

TRUTH = "truth.json"
VERSION = "v1"


@cache
def load_golden() -> tuple[GoldenVector, ...]:
    """Load every golden vector: generated ones by path, then natural ones by path.

    Raises:
        UsageError: a file differs from the one that its expected content was written for.
    """
    folder = resources.files(__package__).joinpath(VERSION)
    found = []
    for entry in json.loads(folder.joinpath(TRUTH).read_text(encoding="utf-8"))["vectors"]:
        data = folder.joinpath(entry["path"]).read_bytes()
        if hashlib.sha256(data).hexdigest() != entry["sha256"]:
            raise UsageError(
                f"golden vector {entry['path']} differs from the file that its expected content was written for",
                remedy="Install octavo-conformance again, or run `python -m octavo_conformance.vectors` in a checkout",
            )
        # Base64 in JSON: the only form in which strict models accept bytes and tuples.
        found.append(GoldenVector.read(entry | {"data": _base64(data)}))
    return tuple(sorted(found, key=lambda vector: (not vector.expected.exact, vector.path)))


def truth_schema() -> dict[str, Any]:
    """Return the JSON Schema of an entry of `truth.json`."""
    return GoldenVector.model_json_schema(mode="serialization")


def _base64(data: bytes) -> str:
    import base64

    return base64.urlsafe_b64encode(data).decode()


FAMILIES = ("csv", "docx", "eml", "html", "md", "pdf", "png", "pptx", "sheaf", "txt", "wav", "xlsx")
"""The folders of vectors; `sheaf` is the format of the reference plugin."""
