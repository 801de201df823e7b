"""Reads the metadata that a camera or scanner wrote in an image."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from octavo_contracts import DocumentMetadata

if TYPE_CHECKING:
    from PIL import Image
    from pydantic import JsonValue

_WIDTH, _HEIGHT = 256, 257
_ORIENTATION, _DESCRIPTION, _MAKE, _MODEL, _SOFTWARE, _DATE, _ARTIST = 274, 270, 271, 272, 305, 306, 315
_EXIF_FOLDER, _TAKEN = 0x8769, 36867
_DATE_FORM = re.compile(r"(\d{4}):(\d\d):(\d\d)(?: (\d\d:\d\d:\d\d))?")
_MAX_CHARS = 1000


def shown_size(picture: Image.Image) -> tuple[int, int]:
    """Width and height of the current page in pixels, with the EXIF orientation: from 5 on its sides are exchanged.

    Pillow exchanges the sides of some TIFF pages itself, so their stored size is read from the tags.
    """
    width, height = picture.size
    tags: Any = getattr(picture, "tag_v2", None)
    if tags is not None:
        width, height = tags.get(_WIDTH, width), tags.get(_HEIGHT, height)
    value = (picture.getexif() if tags is None else tags).get(_ORIENTATION, 1)
    return (height, width) if isinstance(value, int) and 5 <= value <= 8 else (width, height)


def read_metadata(picture: Image.Image, *, kind: str, frames: int) -> DocumentMetadata:
    """Date, artist, description, camera and program. Where a picture was taken is left out on purpose.

    Args:
        picture: open.
        kind: its format.
        frames: pages of a TIFF, or pictures of an animation.
    """
    exif = picture.getexif()
    taken = exif.get_ifd(_EXIF_FOLDER).get(_TAKEN)
    camera = " ".join(filter(None, (_text(exif.get(_MAKE)), _text(exif.get(_MODEL)))))
    fields: dict[str, JsonValue] = {"format": kind}
    if frames > 1 and kind != "TIFF":
        fields["animation_frames"] = frames
    if camera:
        fields["camera"] = camera
    if program := _text(exif.get(_SOFTWARE)):
        fields["software"] = program
    return DocumentMetadata(
        title=_text(exif.get(_DESCRIPTION)),
        author=_text(exif.get(_ARTIST)),
        date=_date(taken) or _date(exif.get(_DATE)),
        fields=fields,
    )


def _text(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    return " ".join(value.replace("\0", " ").split())[:_MAX_CHARS] or None


def _date(value: object) -> str | None:
    found = _DATE_FORM.match(value) if isinstance(value, str) else None
    if found is None or found[1] == "0000":
        return None
    year, month, day, time = found.groups()
    return f"{year}-{month}-{day}" + (f"T{time}" if time else "")
