"""Scales a picture to the size that a model is sent."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

from octavo_contracts import ContentTooLarge, OcrFailed, ToolUnavailable

from .names import PLUGIN

MAX_PIXELS = 100_000_000
"""Width times height of the largest picture that is decoded."""


def scaled_png(png: bytes, *, longest_side: int) -> bytes:
    """Return a picture as PNG whose longer side has at most `longest_side` pixels; a smaller one is returned unchanged.

    Raises:
        OcrFailed: the bytes are no PNG, or a damaged one.
        ContentTooLarge: the picture has more than `MAX_PIXELS`.
        ToolUnavailable: Pillow cannot be imported.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise ToolUnavailable(
            f"Pillow cannot be imported: {error}", plugin=PLUGIN, remedy="Run: pip install octavo-vision"
        ) from error
    # Pillow's own limit is a warning; the check below is an error.
    Image.MAX_IMAGE_PIXELS = None
    try:
        with Image.open(BytesIO(png), formats=("PNG",)) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                raise ContentTooLarge(
                    f"the picture is {picture.width:,} pixels wide and {picture.height:,} pixels high; at most {MAX_PIXELS:,} in all are decoded",
                    plugin=PLUGIN,
                )
            if max(picture.size) <= longest_side:
                picture.load()
                return png
            picture.thumbnail((longest_side, longest_side), Image.Resampling.LANCZOS)
            out = BytesIO()
            picture.save(out, "PNG")
            return out.getvalue()
    except (OSError, SyntaxError, ValueError, ArithmeticError, LookupError, struct.error, zlib.error) as error:
        raise OcrFailed(f"the picture cannot be decoded: {type(error).__name__}", plugin=PLUGIN) from error
