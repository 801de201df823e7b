"""Zip archives: a list of the files in it, each file an attachment. Nothing is unpacked to disk, and no name becomes a path.

Octavo has checked the archive before: number of entries, unpacked size, ratio, nesting. The limits here keep the result small
enough to be sent back.
"""

from __future__ import annotations

import hashlib
import io
import mimetypes
import zipfile
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from octavo_contracts import (
    Attachment,
    Conversion,
    ConversionWarning,
    DegradedFlag,
    Page,
    SourceCorrupt,
    SourceEncrypted,
)
from octavo_contracts.authoring import escape, pipe_table
from octavo_contracts.authoring.containers import DAMAGED

from .mail_body import MAX_ATTACHED_BYTES, MAX_ATTACHMENT_BYTES

MAX_FILES = 1_000
"""Files that are taken out of an archive; further ones are counted."""
_CLUTTER = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")
"""What operating systems add to archives: listed, and no document."""


def read_archive(data: bytes, *, name: str) -> Conversion:
    """Read a zip archive.

    Args:
        data: the archive.
        name: its name, for messages.

    Raises:
        SourceCorrupt: it has no readable directory.
        SourceEncrypted: all files in it are encrypted.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except DAMAGED as error:
        raise SourceCorrupt(f"the archive cannot be read: {error}", source=name, plugin="plaintext") from error
    with archive:
        reader = _Reader(archive, left=MAX_ATTACHED_BYTES)
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if entries and all(entry.flag_bits & 1 for entry in entries):
            raise SourceEncrypted("all files in the archive are encrypted", source=name, plugin="plaintext")
        for entry in entries[:MAX_FILES]:
            reader.take(entry)
    if len(entries) > MAX_FILES:
        reader.warn(f"{len(entries) - MAX_FILES} of {len(entries)} files were left out; the limit is {MAX_FILES}")
    markdown = pipe_table([["File", "Bytes"], *reader.rows]) if entries else ""
    text = "\n".join("\t".join(row) for row in reader.plain) if entries else ""
    return Conversion(
        pages=(Page(number=1, kind="whole", markdown=markdown, text=text),),
        paginated=False,
        attachments=tuple(reader.attachments),
        warnings=tuple(reader.warnings),
    )


@dataclass
class _Reader:
    archive: zipfile.ZipFile
    left: int
    rows: list[list[str]] = field(default_factory=list)
    plain: list[list[str]] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    warnings: list[ConversionWarning] = field(default_factory=list)

    def take(self, entry: zipfile.ZipInfo) -> None:
        """List a file, and take it out where the limits allow it."""
        shown = _shown(entry.filename)
        self.rows.append([escape(shown), str(entry.file_size)])
        self.plain.append([shown, str(entry.file_size)])
        if _is_clutter(entry.filename) or not entry.file_size:
            return
        if ".." in PurePosixPath(shown).parts or shown.startswith("/") or shown[1:2] == ":":
            self.warn(
                f"A file is named like a path elsewhere: {shown!r}. The name is kept as text only", "attachment_name"
            )
        if entry.flag_bits & 1:
            self.warn(f"The file {shown!r} is encrypted and was not taken out")
        elif entry.file_size > min(MAX_ATTACHMENT_BYTES, self.left):
            self.warn(f"The file {shown!r} has {entry.file_size} bytes and was not taken out")
        else:
            self._read(entry, shown)

    def _read(self, entry: zipfile.ZipInfo, shown: str) -> None:
        try:
            with self.archive.open(entry) as stream:
                content = stream.read(entry.file_size + 1)
        except DAMAGED as error:
            self.warn(f"The file {shown!r} is damaged and was not taken out: {error}")
            return
        self.left -= len(content)
        self.attachments.append(
            Attachment(
                name=shown,
                media_type=mimetypes.guess_type(shown)[0] or "application/octet-stream",
                sha256=hashlib.sha256(content).hexdigest(),
                size=len(content),
                data=content,
            )
        )

    def warn(self, message: str, code: str = DegradedFlag.PARTIAL_CONVERSION.value) -> None:
        """Add a warning."""
        self.warnings.append(ConversionWarning(code=code, message=message))


def _is_clutter(name: str) -> bool:
    return name.startswith(_CLUTTER[0]) or name.rpartition("/")[2] in _CLUTTER[1:]


def _shown(name: str) -> str:
    """A name on one line, without characters that cannot be shown."""
    return "".join(char if char.isprintable() else "\ufffd" for char in name.encode("utf-8", "replace").decode())
