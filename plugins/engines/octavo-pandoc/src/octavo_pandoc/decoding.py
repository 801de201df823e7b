"""Text and XML in the encoding that Pandoc reads, which is UTF-8 alone: it takes anything else for Latin-1.

What says its encoding is decoded by it. What says none, and is no UTF-8, is refused: an engine that guesses may follow.
"""

from __future__ import annotations

import codecs
import re

from octavo_contracts import SourceCorrupt

from .program import PLUGIN

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z][\w.:-]{0,40})["']""")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_INPUT_ENCODING = re.compile(rb"\\usepackage\s*\[\s*([A-Za-z0-9-]{1,40})\s*\]\s*\{inputenc\}")
_LATEX_NAMES = {"latin9": "iso8859-15", "ansinew": "cp1252", "applemac": "mac-roman", "utf8x": "utf-8"}
"""Names of LaTeX that Python calls otherwise."""


def xml_in_utf8(data: bytes) -> bytes:
    """An XML document in UTF-8, without a declaration that says otherwise.

    Raises:
        SourceCorrupt: it is not in the encoding that it declares, or the encoding is unknown.
    """
    encoding = _marked(data)
    if encoding is None:
        declared = _DECLARED.match(data[:400])
        encoding = declared[1].decode("ascii") if declared else "utf-8"
    text = _decoded(data, encoding)
    return _DECLARATION.sub("", text, count=1).encode() if encoding.lower() not in ("utf-8", "utf8") else data


def text_in_utf8(data: bytes) -> bytes:
    """A text in UTF-8: by its byte order mark, else as it is, else as LaTeX says.

    Raises:
        SourceCorrupt: it is no UTF-8, and says nothing else.
    """
    encoding = _marked(data)
    if encoding is None:
        try:
            data.decode()
        except UnicodeDecodeError:
            said = _INPUT_ENCODING.search(data)
            name = said[1].decode("ascii") if said else "utf-8"
            encoding = _LATEX_NAMES.get(name, name)
        else:
            return data
    return _decoded(data, encoding).encode()


def _marked(data: bytes) -> str | None:
    return next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except LookupError as error:
        raise SourceCorrupt(
            f"the document says that it is in {encoding!r}, which is no encoding", plugin=PLUGIN
        ) from error
    except (UnicodeError, ValueError) as error:
        raise SourceCorrupt(f"the document is not in {encoding}", plugin=PLUGIN) from error
