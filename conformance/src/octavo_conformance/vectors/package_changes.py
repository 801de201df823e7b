"""Changes parts of the office packages that `office_bytes` writes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from xml.sax.saxutils import escape

from ..office_writer import zipped

_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_LINK = f"{_OFFICE}/hyperlink"


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


def added(package: bytes, name: str, content: str, *, kind: str) -> bytes:
    """Add a part to a Word document or a workbook, with its type and its relationship to the main part.

    Args:
        package: the package.
        name: path of the part, in the folder of the main part.
        content: its XML.
        kind: its type, such as "wordprocessingml.settings".
    """
    files = _texts(package)
    relation = kind.rpartition(".")[2]
    override = f'<Override PartName="/{name}" ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/>'
    linked_part = (
        f'<Relationship Id="rId{relation.title()}" Type="{_OFFICE}/{relation}" Target="{name.rpartition("/")[2]}"/>'
    )
    for part, end, more in (
        ("[Content_Types].xml", "</Types>", override),
        (_MAIN[name.partition("/")[0]], "</Relationships>", linked_part),
    ):
        files[part] = files[part].replace(end, f"{more}{end}")
    return zipped({**files, name: content}, compress=True)


_MAIN = {"word": "word/_rels/document.xml.rels", "xl": "xl/_rels/workbook.xml.rels"}
"""Folder of a package → the relationships of its main part."""


def with_parts(
    package: bytes, owner: str, change: Callable[[str], str], parts: Mapping[str, tuple[str, str, str, str]]
) -> bytes:
    """Change a part of an office package, and add parts that it refers to.

    Args:
        package: the package.
        owner: path of the part that is changed.
        change: the change.
        parts: path → id and kind of the relationship, type of the content, and content.
    """
    files = _texts(package)
    files[owner] = change(files[owner])
    folder, _, name = owner.rpartition("/")
    relations = f"{folder}/_rels/{name}.rels"
    for path, (number, relation, kind, content) in parts.items():
        override = (
            f'<Override PartName="/{path}" ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/>'
        )
        link = f'<Relationship Id="{number}" Type="{_OFFICE}/{relation}" Target="/{path}"/>'
        files["[Content_Types].xml"] = files["[Content_Types].xml"].replace("</Types>", f"{override}</Types>")
        files[relations] = files[relations].replace("</Relationships>", f"{link}</Relationships>")
        files[path] = content
    return zipped(files, compress=True)
