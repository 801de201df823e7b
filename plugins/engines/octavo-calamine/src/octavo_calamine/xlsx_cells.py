"""Reads what xlsx sheets say of single cells and the engine does not return: links and number formats."""

from __future__ import annotations

import re
from html import unescape

from octavo_contracts.authoring.number_formats import BUILT_IN, is_notable

from .package import Package, local_attributes, parse_xml

Place = tuple[int, int]
"""Row and column of a cell, from 0."""

_LINK = re.compile(rb"<(?:\w+:)?hyperlink\s([^<>]{1,4000})>")
_CELL = re.compile(rb"<(?:\w+:)?c\s([^<>]{1,300})>")
_ATTRIBUTE = re.compile(rb"([\w:]{1,40})\s{0,9}=\s{0,9}[\"']([^\"']{0,3000})[\"']")
_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_FORMULA_LINK = re.compile(
    rb"<(?:\w+:)?c\s([^<>]{1,300})><(?:\w+:)?f(?:\s[^<>]{0,200})?>\s{0,9}HYPERLINK\((?:\"|&quot;)([^\"<>&]{1,2000}(?:&amp;[^\"<>&]{0,2000}){0,50})(?:\"|&quot;)"
)
_NO_VALUE = re.compile(
    rb"(?:</(?:\w+:)?f>|<(?:\w+:)?f\s[^<>]{0,300}/>)(?:<(?:\w+:)?v\s?/>|<(?:\w+:)?v></(?:\w+:)?v>)?</(?:\w+:)?c>"
)
"""The end of a cell with a formula whose value was not stored: a program that computes nothing wrote it."""
_SCHEMES = ("http://", "https://", "mailto:", "ftp://")


def notable_styles(package: Package) -> dict[int, str]:
    """Indices of the cell formats that show more than a value, with their codes.

    Raises:
        SourceCorrupt: the part with the styles is not well-formed.
    """
    part = "xl/styles.xml"
    if part not in package:
        return {}
    codes: dict[str, str] = {str(number): code for number, code in BUILT_IN.items()}
    formats: list[str] = []
    inside: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        values = local_attributes(attributes)
        if name == "numFmt":
            codes[values.get("numFmtId", "")] = values.get("formatCode", "")
        elif name == "xf" and inside and inside[-1] == "cellXfs":
            formats.append(values.get("numFmtId", ""))
        inside.append(name)

    def end(name: str) -> None:
        inside.pop()

    parse_xml(package.read(part), part=part, start=start, end=end)
    found = {index: codes.get(number, "") for index, number in enumerate(formats)}
    return {index: code for index, code in found.items() if code and is_notable(code)}


def formatted_cells(sheet: bytes, styles: dict[int, str]) -> dict[Place, str]:
    """Places of a sheet's cells that have one of these formats, with its code; none in a sheet that is not encoded in UTF-8."""
    if not styles:
        return {}
    wanted = b"|".join(b"%d" % style for style in sorted(styles))
    # Nearly every program writes the place first and the style behind it; other sheets are read attribute by attribute.
    regular = re.compile(rb'<c r="([A-Z]{1,3}[0-9]{1,7})"(?: t="[a-z]{1,9}")? s="(' + wanted + rb')"')
    cells = [(place.decode("ascii"), int(style)) for place, style in regular.findall(sheet)]
    if len(cells) != len(re.findall(rb"<(?:\w+:)?c\s[^<>]{0,300}?\bs\s?=\s?[\"'](?:" + wanted + rb")[\"']", sheet)):
        tags = (_attributes(cell[1]) for cell in _CELL.finditer(sheet))
        cells = [(tag.get("r", ""), int(style)) for tag in tags if (style := tag.get("s", "")).isdigit()]
    return {place: styles[style] for name, style in cells if style in styles and (place := _place(name))}


def links(package: Package, part: str, sheet: bytes) -> dict[Place, str]:
    """Addresses that the cells of a sheet lead to, also by the formula `HYPERLINK`; of a merged range its first cell.

    Raises:
        SourceCorrupt: the relationships of the sheet are not well-formed.
    """
    tags = [_attributes(tag[1]) for tag in _LINK.finditer(sheet)]
    targets = _external_targets(package, part) if tags else {}
    found = {}
    for values in tags:
        place, target = _place(values.get("ref", "")), targets.get(values.get("id", ""), "")
        if place and target.lower().startswith(_SCHEMES):
            fragment = values.get("location", "")
            found[place] = f"{target}#{fragment}" if fragment and "#" not in target else target
    for cell in _FORMULA_LINK.finditer(sheet) if b"HYPERLINK(" in sheet else ():
        place, target = _place(_attributes(cell[1]).get("r", "")), unescape(cell[2].decode("utf-8", "replace"))
        if place and target.lower().startswith(_SCHEMES):
            found.setdefault(place, target)
    return found


def formulas_without_value(sheet: bytes) -> int:
    """Number of formulas whose values the file does not hold."""
    return sum(1 for _ in _NO_VALUE.finditer(sheet))


def _external_targets(package: Package, part: str) -> dict[str, str]:
    folder, _, base = part.rpartition("/")
    relations = f"{folder}/_rels/{base}.rels"
    targets: dict[str, str] = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        values = local_attributes(attributes)
        if name == "Relationship" and values.get("TargetMode", "").lower() == "external":
            targets[values.get("Id", "")] = values.get("Target", "")

    if relations in package:
        parse_xml(package.read(relations), part=relations, start=start)
    return targets


def _attributes(tag: bytes) -> dict[str, str]:
    found = {}
    for name, value in _ATTRIBUTE.findall(tag):
        key = name.rpartition(b":")[2].decode("ascii", "replace")
        found[key] = unescape(value.decode("utf-8", "replace"))
    return found


def _place(reference: str) -> Place | None:
    match = _REFERENCE.match(reference)
    if match is None:
        return None
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 64
    return int(match[2]) - 1, column - 1
