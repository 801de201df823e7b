"""Detects password protection: LibreOffice fails on a protected document without saying so."""

from __future__ import annotations

import io
import struct
import zipfile

from octavo_contracts import SourceCorrupt

from .program import PLUGIN

COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_SLIDES = 0xF3D1C4DF
_FILE_PASS = 0x2F
_WORKBOOK_GLOBALS = 200
"""Records of a workbook that are looked at: the one that says it is locked is the second or third."""


def is_locked(data: bytes) -> bool:
    """Whether a password is wanted.

    Raises:
        SourceCorrupt: a compound file that cannot be opened.
    """
    if data.startswith(COMPOUND_FILE):
        return _locked_compound_file(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            names = package.namelist()
            manifest = "META-INF/manifest.xml"
            return manifest in names and b"encryption-data" in package.read(manifest)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, RuntimeError, OSError, EOFError):
        return False  # not for this function to say: LibreOffice repairs some of them


def _locked_compound_file(data: bytes) -> bool:
    import olefile  # type: ignore[import-untyped]  # ships no types

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            if file.exists("EncryptedPackage"):
                return True
            streams = {
                name: file.openstream(name).read(1 << 16)
                for name in ("WordDocument", "Current User", "Workbook", "Book")
                if file.exists(name)
            }
    except (OSError, ValueError, IndexError, struct.error, TypeError, AttributeError) as error:
        # olefile raises its own OleFileError, an OSError, and these on tables that point nowhere.
        raise SourceCorrupt(f"the compound file cannot be opened: {error}", plugin=PLUGIN) from error
    word, user = streams.get("WordDocument", b""), streams.get("Current User", b"")
    if len(word) > 11 and word[11] & 1:
        return True
    if len(user) >= 16 and struct.unpack_from("<I", user, 12)[0] == _ENCRYPTED_SLIDES:
        return True
    return any(_has_file_pass(streams[name]) for name in ("Workbook", "Book") if name in streams)


def _has_file_pass(stream: bytes) -> bool:
    place = 0
    for _ in range(_WORKBOOK_GLOBALS):
        if place + 4 > len(stream):
            return False
        kind, size = struct.unpack_from("<HH", stream, place)
        if kind == _FILE_PASS:
            return True
        place += 4 + size
    return False
