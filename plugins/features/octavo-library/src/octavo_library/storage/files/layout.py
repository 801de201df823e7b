"""The layout of a library's folder (STO-2). Names only: this module does not access the disk.

.octavo-library/                                      empty: marks a folder that Octavo created
index.sqlite                                          the index, authoritative for which version is active
index-elsewhere.json                                  instead of it, if the index is in a database on a server
originals/{hash}.{ext}                                bytes of sources without a path of the user's
originals/{hash}-{n}.{ext}                            the same, stored after the document was purged for the n-th time
by_hash/{hash}/conversions/v{n}/…                     one conversion, never changed once the folder has this name
by_hash/{hash}/conversions/v{n}/chunks/{config}/…     its chunk sets, by chunking config
by_hash/{hash}/conversions/v{n}/summaries/…           summaries made of it, one file for each maker and its version
by_hash/{hash}/conversions/v{n}/extractions/{run}/…    what one run of an engine extracted from it, by hash of the content
by_hash/{hash}/processing_log.json                    projection of the transition log
by_hash/{hash}/record.json                            copy of the index's rows about the document
library.json                                          copy of the index rows of no document: corpora, decisions
ocr/{page fingerprint}/…                              recognised pages, shared by all documents
logs/…                                                events and audit, as JSON lines
search/…                                              the chunk index and its vectors, derived data; safe to delete
search/graph/…                                        what a graph intake keeps, and documents that it has yet to get
reserve.bin                                           disk space for a purge; see `octavo_library.storage.files.reserve`
locks/{owner}.lock  tmp/{owner}/…                     the active writers and their unfinished files
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
LOGS = "logs"
MARKER = ".octavo-library"
"""Created before anything else: it proves that what is swept or replaced in the folder is Octavo's own."""

FOLDERS = (ORIGINALS, BY_HASH, OCR, TMP, LOCKS, SEARCH, LOGS)
"""Every folder of a library. A folder that contains one of them and is not a library is never turned into one."""

FILES = (RESERVE, "library.json", f"{INDEX}-wal", f"{INDEX}-shm", f"{INDEX}-journal")
"""Files of a library beside its index. A folder that contains one of them and is not a library is never turned into one
either: SQLite removes a file that it takes for its own log."""

VERSION_FILE = "version.json"
"""In each version: size and SHA-256 of the other files, and the id of the job that made it."""

CHUNKS = "chunks"
"""In each version: the folder of its chunk sets."""

CHUNK_FILE = "manifest.json"
"""In each chunk set: the chunks."""

SUMMARIES = "summaries"
"""In each version: the folder of the summaries made of it. See `octavo_library.summaries`."""

EXTRACTIONS = "extractions"
"""In each version: the folder of the extraction runs from it. See `octavo_library.entities.extraction_file`."""

EXTRACTION_FILE = "observations.json"
"""In each extraction run: what was found."""

PROCESSING_LOG = "processing_log.json"

RECORD = "record.json"
"""In each document's folder; beside the index, `library.json`. See `octavo_library.storage.index.document_records`."""

LIBRARY_RECORD = "library.json"

_DOCUMENT = rf"{BY_HASH}/([0-9a-f]{{64}})"
_VERSION = rf"{_DOCUMENT}/conversions/(v[1-9][0-9]{{0,8}})"
_SUFFIX = r"(-[1-9][0-9]{0,5})?(\.[a-z0-9]{1,10})?"

DOCUMENT = re.compile(rf"{_DOCUMENT}(?:/.*)?")
"""A document's folder, or a file in it; group 1 is the hash."""

VERSION = re.compile(_VERSION)
"""A version's folder; the groups are the hash and "v{n}"."""

IN_VERSION = re.compile(rf"{_VERSION}/([^/]+)")
"""A file of a version; the groups are the hash, "v{n}" and the name of the file."""

ORIGINAL = re.compile(rf"{ORIGINALS}/([0-9a-f]{{64}})({_SUFFIX})")
"""A stored original; the groups are the hash, and what follows it: the generation, if any, and the extension."""

_OWN = re.compile(
    rf"/(?:{_DOCUMENT}/(?:record\.json|processing_log\.json)|{_VERSION}/(?:converted\.md|canonical\.txt|"
    r"(?:anchors|pages|tool|quality_report|metadata|comparison|version)\.json|chunks/[^/]+/manifest\.json|summaries/[^/]+\.json|extractions/[^/]+/observations\.json)"
    r"|ocr/[0-9a-f]{64}/[A-Za-z0-9._-]{1,70}-[A-Za-z0-9._-]{1,70}-[0-9a-f]{12}\.json)"
)
"""Path of a file that Octavo writes in `by_hash` or `ocr`."""
_HASH = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,119}")
_EXTENSION = re.compile(r"[a-z0-9]{1,10}")
_FOLDER = re.compile(r"v([1-9][0-9]{0,8})")
_OF_VERSION = re.compile(rf"{_VERSION}(?:\.zip|/.*)?")
_STORED = re.compile(rf"([0-9a-f]{{64}}){_SUFFIX}")


def is_own_name(path: str) -> bool:
    """Whether a path in `by_hash` or `ocr` has the form of a file that Octavo writes."""
    found = _OWN.search(path)
    return found is not None and found.end() == len(path)


def is_kept_beside(ref: str) -> bool:
    """Whether a reference is that of a summary or an extraction run: derived, and no part of the version."""
    name = ref.removeprefix("store:")
    return is_own_name(f"/{name}") and name.split("/")[4:5] in ([SUMMARIES], [EXTRACTIONS])


def checked_hash(raw_hash: str) -> str:
    """Return the hash unchanged if it is valid.

    Raises:
        ValueError: the hash is not 64 lower-case hex digits, so it must not be used in a path.
    """
    if not _HASH.fullmatch(raw_hash):
        raise ValueError(f"{raw_hash!r} is not a SHA-256 in lower-case hex")
    return raw_hash


def checked_name(name: str) -> str:
    """Return the artifact name unchanged if it is valid.

    Raises:
        ValueError: the name could escape its folder or is not portable.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"invalid artifact name {name!r}: use letters, digits, '.', '_' and '-'; no leading dot")
    return name


def conversions_folder(raw_hash: str) -> str:
    """The folder of all versions of a document."""
    return f"{BY_HASH}/{checked_hash(raw_hash)}/conversions"


def version_folder(raw_hash: str, version: int) -> str:
    """The folder of one version; versions start at 1."""
    if version < 1:
        raise ValueError(f"version must be at least 1, got {version}")
    return f"{conversions_folder(raw_hash)}/v{version}"


def version_number(folder_name: str) -> int | None:
    """The n of "v{n}", or None for another name."""
    match = _FOLDER.fullmatch(folder_name)
    return int(match[1]) if match else None


def chunks_folder(raw_hash: str, version: int, config_version: str) -> str:
    """The folder of one chunk set (STO-7)."""
    return f"{version_folder(raw_hash, version)}/{CHUNKS}/{checked_name(config_version)}"


def summary_file(raw_hash: str, version: int, name: str) -> str:
    """The file of a summary of one version; `name` is that of its maker and the maker's version."""
    return f"{version_folder(raw_hash, version)}/{SUMMARIES}/{checked_name(name)}.json"


def extraction_file(raw_hash: str, version: int, run: str) -> str:
    """The file of an extraction run from one version."""
    return f"{version_folder(raw_hash, version)}/{EXTRACTIONS}/{checked_name(run)}/{EXTRACTION_FILE}"


def is_hash(name: str) -> bool:
    """Whether a name is a hash that `checked_hash` accepts."""
    return _HASH.fullmatch(name) is not None


def number_in(name: str) -> int | None:
    """The version to which a file in `by_hash` belongs; None if it is no version's."""
    match = _OF_VERSION.fullmatch(name)
    return version_number(match[2]) if match else None


def is_original(name: str) -> bool:
    """Whether a file name has the form of `original_file`; Octavo did not store files with other names."""
    return _STORED.fullmatch(name) is not None


def original_file(raw_hash: str, extension: str, *, generation: int = 0) -> str:
    """The file of a stored original. An extension that is unsafe in a file name is dropped.

    Args:
        raw_hash: SHA-256 of the bytes, hex.
        extension: with or without its dot.
        generation: how often the document was purged before these bytes were stored. A removal that a purge asked for may
            reach an object store late: it never has the name of what was stored since.
    """
    clean = extension.lower().removeprefix(".")
    suffix = f".{clean}" if _EXTENSION.fullmatch(clean) else ""
    return f"{ORIGINALS}/{checked_hash(raw_hash)}{f'-{generation}' if generation else ''}{suffix}"


def hash_of_original(relative: str) -> str:
    """The hash in the name of a stored original."""
    return relative.rpartition("/")[2].partition(".")[0].partition("-")[0]


def generation_of_original(relative: str) -> int:
    """The generation in the name of a stored original; see `original_file`."""
    found = _STORED.fullmatch(relative.rpartition("/")[2])
    return int((found[2] or "-0")[1:]) if found else 0


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
