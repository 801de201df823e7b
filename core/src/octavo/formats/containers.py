"""Detects the document type of a zip container from its directory. Runs in the worker."""

from __future__ import annotations

import re
import zipfile
from typing import BinaryIO

from octavo_contracts.authoring.containers import DAMAGED

from .table import UNKNOWN, format_of

_READ_CAP = 1 << 20
_CONTENT_TYPE = re.compile(r'ContentType\s*=\s*["\']([^"\']+)["\']')
_ROOT_ENTRY = re.compile(r'full-path\s*=\s*["\']/["\']')
_MANIFEST_TYPE = re.compile(r'media-type\s*=\s*["\']([^"\']+)["\']')

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"

_MAIN_PARTS: dict[str, str] = {
    _WORD: _WORD,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template": _WORD,
    "application/vnd.ms-word.document.macroenabled": "application/vnd.ms-word.document.macroenabled.12",
    "application/vnd.ms-word.template.macroenabledtemplate": "application/vnd.ms-word.document.macroenabled.12",
    _SHEET: _SHEET,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.template": _SHEET,
    "application/vnd.ms-excel.sheet.macroenabled": "application/vnd.ms-excel.sheet.macroenabled.12",
    "application/vnd.ms-excel.template.macroenabled": "application/vnd.ms-excel.sheet.macroenabled.12",
    "application/vnd.ms-excel.sheet.binary.macroenabled": "application/vnd.ms-excel.sheet.binary.macroenabled.12",
    _SLIDES: _SLIDES,
    "application/vnd.openxmlformats-officedocument.presentationml.template": _SLIDES,
    "application/vnd.openxmlformats-officedocument.presentationml.slideshow": _SLIDES,
    "application/vnd.ms-powerpoint.presentation.macroenabled": "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    "application/vnd.ms-powerpoint.slideshow.macroenabled": "application/vnd.ms-powerpoint.presentation.macroenabled.12",
}
"""Content type of an OOXML main part, without '.main+xml', lower case → media type of the file."""

_MAIN_NAMES = {"word/document.xml": _WORD, "xl/workbook.xml": _SHEET, "ppt/presentation.xml": _SLIDES}


def zip_media_type(stream: BinaryIO) -> tuple[str, bool] | None:
    """Return the media type of the document in a zip container, and whether any of it is encrypted.

    Returns:
        None if the directory cannot be read: preflight then reports the problem.
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            return _media_type(archive), _is_encrypted(archive)
    except DAMAGED:
        return None


def _media_type(archive: zipfile.ZipFile) -> str:
    names = set(archive.namelist())
    if "mimetype" in names:
        declared = _read(archive, "mimetype").strip().removesuffix("-template")
        if format_of(declared) is not UNKNOWN:
            return declared
    if "[Content_Types].xml" in names:
        for content_type in _CONTENT_TYPE.findall(_read(archive, "[Content_Types].xml")):
            key = content_type.lower().removesuffix("+xml").removesuffix(".main")
            if content_type.lower() != key and key in _MAIN_PARTS:
                return _MAIN_PARTS[key]
        for part, media_type in _MAIN_NAMES.items():
            if part in names:
                return media_type
    if "META-INF/manifest.xml" in names:
        for entry in _read(archive, "META-INF/manifest.xml").split("<"):
            match = _MANIFEST_TYPE.search(entry)
            if match and _ROOT_ENTRY.search(entry):
                found = match.group(1).removesuffix("-template")
                return found if format_of(found) is not UNKNOWN else "application/zip"
    return "application/epub+zip" if "META-INF/container.xml" in names else "application/zip"


def _is_encrypted(archive: zipfile.ZipFile) -> bool:
    entries = archive.infolist()
    if any(entry.flag_bits & 1 for entry in entries):
        return True
    # OpenDocument encrypts its parts inside plain zip entries and records it in its manifest.
    return "META-INF/manifest.xml" in archive.NameToInfo and "encryption-data" in _read(
        archive, "META-INF/manifest.xml"
    )


def _read(archive: zipfile.ZipFile, name: str) -> str:
    """Return the first megabyte of an entry as text; '' if it is encrypted or uses an unusual compression method."""
    info = archive.getinfo(name)
    if info.flag_bits & 1 or info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return ""
    with archive.open(name) as part:
        return part.read(_READ_CAP).decode("utf-8", "replace")
