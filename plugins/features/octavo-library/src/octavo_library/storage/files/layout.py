"""Where things stand in a library's folder (STO-2). Names only: nothing here touches the disk.

.octavo-library/                                      empty: it says that Octavo made the folder
index.sqlite                                          the index, the one truth about what is active
index-elsewhere.json                                  in its place: that the index is in a database on a server
originals/{hash}.{ext}                                bytes that came without a path of the user's
by_hash/{hash}/conversions/v{n}/…                     one conversion, never changed once it has its name
by_hash/{hash}/conversions/v{n}/chunks/{config}/…     its chunk sets, by chunking config
by_hash/{hash}/processing_log.json                    projection of the transition log
by_hash/{hash}/record.json                            copy of the index's rows about the document
library.json                                          copy of the index's rows about no document: corpora, decisions
ocr/{page fingerprint}/…                              recognised pages, shared by all documents
logs/…                                                events and audit, as lines of JSON
search/…                                              the chunk index and its vectors, made from the rest; safe to delete
reserve.bin                                           room for a purge on a full disk; see `octavo_library.storage.files.reserve`
locks/{owner}.lock  tmp/{owner}/…                     who writes, and what is not finished
"""

from __future__ import annotations

import re

INDEX = "index.sqlite"
INDEX_ELSEWHERE = "index-elsewhere.json"
ORIGINALS = "originals"
BY_HASH = "by_hash"
OCR = "ocr"
SEARCH = "search"
RESERVE = "reserve.bin"
TMP = "tmp"
LOCKS = "locks"
SEARCH = "search"
LOGS = "logs"
MARKER = ".octavo-library"
"""Made before anything else: what is swept or replaced in the folder is Octavo's own."""

FOLDERS = (ORIGINALS, BY_HASH, OCR, TMP, LOCKS, SEARCH, LOGS)
"""Every folder of a library. A folder that has one of them and is no library is not made one."""

FILES = (RESERVE, "library.json", f"{INDEX}-wal", f"{INDEX}-shm", f"{INDEX}-journal")
"""Files of a library beside its index. A folder that has one of them and is no library is not made one either: SQLite
removes what it takes for its own log."""

VERSION_FILE = "version.json"
"""In each version: size and SHA-256 of its other files, and the job that made it."""

CHUNK_FILE = "manifest.json"
"""In each chunk set: the chunks."""

PROCESSING_LOG = "processing_log.json"

RECORD = "record.json"
"""Of each document, and beside the index as `library.json`: see `octavo_library.storage.index.document_records`."""

LIBRARY_RECORD = "library.json"

_OWN = re.compile(
    r"/(?:by_hash/[0-9a-f]{64}/(?:record\.json|processing_log\.json|conversions/v[1-9][0-9]{0,8}/(?:converted\.md|canonical\.txt|"
    r"(?:anchors|pages|tool|quality_report|metadata|comparison|version)\.json|chunks/[^/]+/manifest\.json))"
    r"|ocr/[0-9a-f]{64}/[A-Za-z0-9._-]{1,70}-[A-Za-z0-9._-]{1,70}-[0-9a-f]{12}\.json)"
)
"""Path of a file that Octavo writes below `by_hash` or `ocr`."""
_HASH = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,119}")
_EXTENSION = re.compile(r"[a-z0-9]{1,10}")
_VERSION = re.compile(r"v([1-9][0-9]{0,8})")


def is_own_name(path: str) -> bool:
    """Whether a file below `by_hash` or `ocr` has a name that Octavo gives."""
    found = _OWN.search(path)
    return found is not None and found.end() == len(path)


def checked_hash(raw_hash: str) -> str:
    """The hash itself.

    Raises:
        ValueError: it is not 64 lower-case hex digits, so it must not become a path.
    """
    if not _HASH.fullmatch(raw_hash):
        raise ValueError(f"{raw_hash!r} is not a SHA-256 in lower-case hex")
    return raw_hash


def checked_name(name: str) -> str:
    """The name itself.

    Raises:
        ValueError: it could leave its folder or is not portable.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name for an artifact: letters, digits, '.', '_' and '-', not a dot first")
    return name


def conversions_folder(raw_hash: str) -> str:
    """The folder of all versions of a document."""
    return f"{BY_HASH}/{checked_hash(raw_hash)}/conversions"


def version_folder(raw_hash: str, version: int) -> str:
    """The folder of one version, from 1."""
    if version < 1:
        raise ValueError(f"versions count from 1, not {version}")
    return f"{conversions_folder(raw_hash)}/v{version}"


def version_number(folder_name: str) -> int | None:
    """The n of "v{n}", or None for another name."""
    match = _VERSION.fullmatch(folder_name)
    return int(match[1]) if match else None


def chunks_folder(raw_hash: str, version: int, config_version: str) -> str:
    """The folder of one chunk set (STO-7)."""
    return f"{version_folder(raw_hash, version)}/chunks/{checked_name(config_version)}"


def is_hash(name: str) -> bool:
    """Whether a name is one that `checked_hash` lets pass."""
    return _HASH.fullmatch(name) is not None


def is_original(name: str) -> bool:
    """Whether a file's name is one that `original_file` gives; another file was not stored by Octavo."""
    stem, dot, extension = name.partition(".")
    return is_hash(stem) and (not dot or _EXTENSION.fullmatch(extension) is not None)


def original_file(raw_hash: str, extension: str) -> str:
    """The file of a stored original. An extension that could do harm as a file name is left out."""
    clean = extension.lower().removeprefix(".")
    suffix = f".{clean}" if _EXTENSION.fullmatch(clean) else ""
    return f"{ORIGINALS}/{checked_hash(raw_hash)}{suffix}"


def hash_of_original(relative: str) -> str:
    """The hash that a stored original is named by."""
    return relative.rpartition("/")[2].partition(".")[0]


def ocr_file(page_fingerprint: str, name: str) -> str:
    """The file of one page's recognition by one engine, version and settings (OCR-3)."""
    return f"{OCR}/{checked_hash(page_fingerprint)}/{checked_name(name)}"


def ocr_folder(page_fingerprint: str) -> str:
    """The folder of one page's recognitions."""
    return f"{OCR}/{page_fingerprint}"


def record_file(raw_hash: str) -> str:
    """The file of a document's record."""
    return f"{BY_HASH}/{checked_hash(raw_hash)}/{RECORD}"


def log_file(raw_hash: str) -> str:
    """The file of a document's processing log (ENG-2)."""
    return f"{BY_HASH}/{checked_hash(raw_hash)}/{PROCESSING_LOG}"
