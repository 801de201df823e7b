"""References to artifacts: `file:` for originals, `store:` for paths inside a library, `memory:` for unstored content."""

from __future__ import annotations

import os
import re
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes


class RefScheme(StrEnum):
    """Where an artifact is stored."""

    FILE = "file"
    """A user's path, percent-encoded from the file system's bytes: `file:///home/a/b.pdf`."""
    STORE = "store"
    """A path relative to the library's folder: `store:by_hash/<hash>/conversions/v1/converted.md`."""
    MEMORY = "memory"
    """Not stored: `memory:sha256:<hash>` (ENG-19)."""
    URL = "url"
    """Fetched from the web: `url:https://…`."""


_SCHEMES = {scheme.value: scheme for scheme in RefScheme}
"""Name → scheme. A listing parses a reference for each of its rows, and iterating over an enumeration is slow."""
_MEMORY = re.compile(r"sha256:[0-9a-f]{64}")


class Ref(NamedTuple):
    """A parsed reference."""

    scheme: RefScheme
    value: str


def file_ref(path: str | bytes | Path) -> str:
    """Return the reference of a path. Names that are not UTF-8 are preserved: their bytes are percent-encoded."""
    folder, name = os.path.split(os.fsencode(path))
    if name in (b"", b".", b".."):
        return "file://" + quote_from_bytes(os.path.abspath(os.fsencode(path)))
    return f"{_folder_ref(folder, os.getcwdb() if not folder.startswith(b'/') else b'')}{quote_from_bytes(name)}"


@lru_cache(maxsize=1024)
def _folder_ref(folder: bytes, here: bytes) -> str:
    """Return the reference of a folder, with a trailing slash. Cached: thousands of files share few folders."""
    absolute = os.path.abspath(os.path.join(here, folder) if here else folder)
    return "file://" + quote_from_bytes(absolute).rstrip("/") + "/"


def store_ref(relative: str) -> str:
    """Return the reference of an artifact inside a library."""
    return f"store:{relative}"


def memory_ref(sha256_hex: str) -> str:
    """Return the reference of content that is not stored."""
    return f"memory:sha256:{sha256_hex}"


def parse_ref(ref: str) -> Ref:
    """Parse a reference.

    Raises:
        ValueError: the scheme is unknown, or a store path leaves the library.
    """
    name, _, value = ref.partition(":")
    scheme = _SCHEMES.get(name) if len(name) < len(ref) else None
    if scheme is None:
        raise ValueError(f"{ref!r} is not an artifact reference; expected one of {', '.join(RefScheme)} before a colon")
    if scheme is RefScheme.STORE and (value.startswith("/") or ".." in value.split("/")):
        raise ValueError(f"{ref!r} leaves the library")
    if scheme is RefScheme.MEMORY and not _MEMORY.fullmatch(value):
        raise ValueError(f"{ref!r} is not of the form memory:sha256:<64 hex digits>")
    return Ref(scheme, value)


def ref_path(ref: str) -> Path:
    """Return the path of a `file:` reference.

    Raises:
        ValueError: the reference has another scheme.
    """
    parsed = parse_ref(ref)
    if parsed.scheme is not RefScheme.FILE:
        raise ValueError(f"{ref!r} is not a file reference")
    return Path(os.fsdecode(unquote_to_bytes(parsed.value.removeprefix("//"))))
