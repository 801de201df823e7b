"""Rich text as Pandoc 2.17 reads it whole: it drops the text of a link whose parts are not groups of their own."""

from __future__ import annotations

import re

from octavo_contracts import SourceCorrupt

from .program import PLUGIN

_UNICODE_NUMBER = re.compile(rb"(?<!\\)((?:\\\\)*\\u-?\d+)(?=[^\\{}\s\d])")
_GROUPS = re.compile(rb"\\[{}\\]|[{}]")
_PART_OF_FIELD = re.compile(rb"\{\s*(?:\\\*\s*)?\\fld(?:inst|rslt)(?![a-z])(?![ \r\n]*\{)[ \r\n]*")


def ready_rich_text(data: bytes) -> bytes:
    """Return rich text with a blank behind each Unicode number, and the parts of fields as groups of their own.

    Without the blank, Pandoc 2.17 takes two characters for one.

    Raises:
        SourceCorrupt: the bytes do not begin as rich text does.
    """
    if not data.lstrip().startswith(b"{\\rtf"):
        raise SourceCorrupt("the document does not begin as rich text does", plugin=PLUGIN)
    return _with_groups(_UNICODE_NUMBER.sub(rb"\1 ", data))


def _with_groups(data: bytes) -> bytes:
    r"""`{\fldrslt text}` → `{\fldrslt{text}}`, for instructions and results of fields that begin with text."""
    if b"\\fld" not in data:
        return data
    pieces: list[bytes] = []
    done = 0
    is_part: list[bool] = []  # of each open group: whether it is a part of a field
    for brace in _GROUPS.finditer(data):
        if brace[0] == b"{":
            start = _PART_OF_FIELD.match(data, brace.start())
            is_part.append(start is not None)
            if start is not None:
                pieces += [data[done : start.end()], b"{"]
                done = start.end()
        elif brace[0] == b"}" and is_part and is_part.pop():
            pieces += [data[done : brace.start()], b"}"]
            done = brace.start()
    return b"".join(pieces) + data[done:]
