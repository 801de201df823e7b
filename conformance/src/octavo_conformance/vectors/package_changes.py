"""Changes parts of the office packages that `office_bytes` writes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from xml.sax.saxutils import escape

from ..office_writer import zipped

_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_LINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"


def changed(
    package: bytes, *, links: Mapping[str, Sequence[str]] | None = None, **changes: Callable[[str], str]
) -> bytes:
    """Change parts of an office package, each named by the end of its path without the suffix.

    Args:
        package: the package.
        links: path of a file of relationships → targets, which become the relationships `rIdLink1` and so on.
        **changes: what is done to a part.
    """
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        files: dict[str, bytes | str] = {}
        for name in archive.namelist():
            text = archive.read(name).decode()
            part = name.rpartition("/")[2].partition(".")[0]
            files[name] = changes[part](text) if part in changes and name.endswith(".xml") else text
    for name, targets in (links or {}).items():
        listed = "".join(
            f'<Relationship Id="rIdLink{number}" Type="{_LINK}" Target="{escape(target)}" TargetMode="External"/>'
            for number, target in enumerate(targets, start=1)
        )
        known = str(files.get(name, f'<Relationships xmlns="{_RELATIONS}"></Relationships>'))
        files[name] = known.replace("</Relationships>", f"{listed}</Relationships>")
    return zipped(files, compress=True)
