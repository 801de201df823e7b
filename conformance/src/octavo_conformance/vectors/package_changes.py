"""Changes parts of the office packages that `office_bytes` writes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from xml.sax.saxutils import escape

from ..office_writer import zipped

_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_LINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"


def changed(package: bytes, **changes: Callable[[str], str]) -> bytes:
    """Change parts of an office package, each named by the end of its path without the suffix."""
    files = _texts(package)
    for name, text in files.items():
        part = name.rpartition("/")[2].partition(".")[0]
        if part in changes and name.endswith(".xml"):
            files[name] = changes[part](text)
    return zipped(files, compress=True)


def linked(package: bytes, links: Mapping[str, Sequence[str]]) -> bytes:
    """Add relationships to an office package.

    Args:
        package: the package.
        links: path of a file of relationships → targets, which become the relationships `rIdLink1` and so on.
    """
    files = _texts(package)
    for name, targets in links.items():
        listed = "".join(
            f'<Relationship Id="rIdLink{number}" Type="{_LINK}" Target="{escape(target)}" TargetMode="External"/>'
            for number, target in enumerate(targets, start=1)
        )
        known = files.get(name, f'<Relationships xmlns="{_RELATIONS}"></Relationships>')
        files[name] = known.replace("</Relationships>", f"{listed}</Relationships>")
    return zipped(files, compress=True)


def _texts(package: bytes) -> dict[str, str]:
    """Return the parts of a package."""
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}
