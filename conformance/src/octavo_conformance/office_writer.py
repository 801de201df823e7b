"""Writes the zip containers of office formats from XML supplied by a test.

data = zipped(docx_parts("<w:p><w:r><w:t>Fog</w:t></w:r></w:p>"))
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def zipped(parts: Mapping[str, bytes | str], *, compress: bool = True) -> bytes:
    """Return a zip file.

    Args:
        parts: name → content, in the order of the file; text is written as UTF-8.
        compress: False stores the parts, so that the bytes depend on the parts alone and not on the version of zlib.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name, content in parts.items():
            facts = zipfile.ZipInfo(name, date_time=(2026, 1, 1, 0, 0, 0))
            facts.external_attr = 0o644 << 16
            package.writestr(facts, content, zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED)
    return out.getvalue()


def docx_parts(body: str, **further: str) -> dict[str, bytes | str]:
    """Return the parts of a Word document with a given body; a test may change them before calling `zipped`.

    Args:
        body: the XML inside `w:body`.
        further: XML inside the root element of further parts, by kind: "styles", "comments", "numbering".
    """
    relations = "".join(
        f'<Relationship Id="r{kind}" Type="{_RELATIONS}/{kind}" Target="{kind}.xml"/>' for kind in further
    )
    return {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_RELATIONS}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": _root("document", f"<w:body>{body}</w:body>"),
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>',
        **{f"word/{kind}.xml": _root(kind, content) for kind, content in further.items()},
    }


def _root(kind: str, content: str) -> str:
    return f'<w:{kind} xmlns:w="{_WORD}">{content}</w:{kind}>'
