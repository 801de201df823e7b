"""Outlook messages: the engine gives sender, receiver, subject and body; date and attachments are read here."""

from __future__ import annotations

import hashlib
import io
import struct
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from octavo_contracts import (
    Attachment,
    ConversionWarning,
    DocumentMetadata,
    SourceCorrupt,
    ToolUnavailable,
)
from pydantic import JsonValue

from .engine import INSTALL, PLUGIN, run_engine
from .formats import Format
from .pages import Reading

if TYPE_CHECKING:
    from olefile import OleFileIO  # type: ignore[import-untyped]  # ships no types

_ATTACHMENT = "__attach_version1.0_#"
_DATA = "__substg1.0_37010102"
_EMBEDDED_MESSAGE = "__substg1.0_3701000D"
_NAMES = ("3707", "3704", "3001")
_TYPE = "370E"
_SENDER_NAME, _RECEIVERS, _COPIES = "0C1A", "0E04", "0E03"
_PROPERTIES = "__properties_version1.0"
_HEADER_BYTES, _ENTRY_BYTES = 32, 16
_SUBMITTED, _DELIVERED = 0x00390040, 0x0E060040
"""Property tags of the two dates ([MS-OXPROPS] 2.846, 2.905), of type FILETIME."""


def read_mail(data: bytes, *, form: Format, media_type: str) -> Reading:
    """Convert a msg.

    Raises:
        SourceCorrupt: no compound file, or one without a message.
    """
    try:
        import olefile
    except ImportError as error:
        raise ToolUnavailable(f"olefile cannot be imported: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as mail:
            if not mail.exists(_PROPERTIES):
                raise SourceCorrupt("the compound file holds no message", plugin=PLUGIN)
            metadata = _metadata(mail)
            attachments, warnings = _attachments(mail)
            has_body = mail.exists("__substg1.0_1000001F") or mail.exists("__substg1.0_1000001E")
    except (OSError, ValueError, IndexError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise SourceCorrupt(f"olefile failed with {type(error).__name__}: {error}", plugin=PLUGIN) from error
    result = run_engine(data, form=form, media_type=media_type)
    if not has_body:
        message = "The message has no plain text body; its other body is not read."
        warnings.append(ConversionWarning(code="partial_conversion", message=message))
    return Reading(
        markdown=result.markdown,
        title=result.title,
        metadata=metadata,
        attachments=attachments,
        warnings=(*result.warnings, *warnings),
    )


def _metadata(mail: OleFileIO) -> DocumentMetadata:
    fields: dict[str, JsonValue] = {
        name: text for name, tag in (("to", _RECEIVERS), ("cc", _COPIES)) if (text := _text(mail, tag))
    }
    return DocumentMetadata(author=_text(mail, _SENDER_NAME) or None, date=_date(mail), fields=fields)


def _text(mail: OleFileIO, tag: str, *, storage: str = "") -> str:
    """A string property, wide or narrow; '' where there is none."""
    for suffix, encoding in (("001F", "utf-16-le"), ("001E", "cp1252")):
        path = f"{storage}/__substg1.0_{tag}{suffix}".lstrip("/")
        if mail.exists(path):
            raw: bytes = mail.openstream(path).read()
            return raw.decode(encoding, errors="replace").strip("\x00").strip()
    return ""


def _date(mail: OleFileIO) -> str | None:
    """When it was sent, else delivered, in UTC."""
    content: bytes = mail.openstream(_PROPERTIES).read()
    found: dict[int, int] = {}
    for place in range(_HEADER_BYTES, len(content) - _ENTRY_BYTES + 1, _ENTRY_BYTES):
        tag = int.from_bytes(content[place : place + 4], "little")
        found[tag] = int.from_bytes(content[place + 8 : place + 16], "little")
    ticks = found.get(_SUBMITTED) or found.get(_DELIVERED)
    if not ticks:
        return None
    try:
        moment = datetime(1601, 1, 1) + timedelta(microseconds=ticks // 10)
    except OverflowError:
        return None
    return moment.replace(microsecond=0).isoformat() + "Z"


def _attachments(mail: OleFileIO) -> tuple[tuple[Attachment, ...], list[ConversionWarning]]:
    storages = sorted({path[0] for path in mail.listdir() if path[0].startswith(_ATTACHMENT)})
    found: list[Attachment] = []
    warnings: list[ConversionWarning] = []
    for storage in storages:
        name = next((text for tag in _NAMES if (text := _text(mail, tag, storage=storage))), None)
        if not mail.exists(f"{storage}/{_DATA}"):
            what = "a message" if mail.exists(f"{storage}/{_EMBEDDED_MESSAGE}") else "no file"
            message = f"Attachment {name or storage!r} is {what} and was not taken out."
            warnings.append(ConversionWarning(code="partial_conversion", message=message))
            continue
        data: bytes = mail.openstream(f"{storage}/{_DATA}").read()
        found.append(
            Attachment(
                name=name,
                media_type=_text(mail, _TYPE, storage=storage) or "application/octet-stream",
                sha256=hashlib.sha256(data).hexdigest(),
                size=len(data),
                data=data,
            )
        )
    return tuple(found), warnings
