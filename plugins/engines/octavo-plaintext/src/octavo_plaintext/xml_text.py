"""Converts XML of a kind that no reader knows: text by elements; like records become a table."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from octavo_contracts import Conversion, ConversionWarning, DegradedFlag, DocumentMetadata, Page, SourceCorrupt, Table
from octavo_contracts.authoring import collapse, escape, markdown

from .xml_tree import local_name, parse_xml

MAX_INDENT = 8
"""Deepest list; what nests deeper stands at this depth."""

FEWEST_RECORDS = 2
"""Fewer elements of one name are no table."""


def read_xml(text: str, *, name: str) -> Conversion:
    """An XML document as nested lists of its elements, attributes and texts, in order.

    Args:
        text: the decoded file.
        name: the file's name, for messages.

    Raises:
        SourceCorrupt: the file is no XML.
    """
    tree = parse_xml(text)
    if tree is None:
        raise SourceCorrupt("the file is not well-formed XML", source=name, plugin="plaintext")
    writer = _Writer()
    writer.element(tree.root, 0)
    message = (
        f"No reader knows XML of the kind '{local_name(tree.root)}': its texts stand under the names of their elements."
    )
    warnings = [ConversionWarning(code="generic_xml", message=message)]
    if tree.mended:
        fault = "The file is not well-formed XML; loose ampersands, unknown entities or control characters were mended."
        warnings.append(ConversionWarning(code=DegradedFlag.ENCODING_REPAIRED, message=fault))
    page = Page(number=1, kind="whole", markdown="\n".join(writer.lines).strip("\n"), tables=tuple(writer.tables))
    metadata = DocumentMetadata(fields={"root": local_name(tree.root)})
    return Conversion(pages=(page,), paginated=False, metadata=metadata, warnings=tuple(warnings))


class _Writer:
    """Lines of the list, and the tables in it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.tables: list[Table] = []

    def element(self, root: Element, depth: int) -> None:
        """Write an element and all in it, without recursion."""
        waiting: list[tuple[Element | Sequence[Element] | str, int]] = [(root, depth)]
        while waiting:
            current, depth = waiting.pop()
            if isinstance(current, str):
                self._line(depth, escape(current))
            elif isinstance(current, Element):
                waiting.extend(reversed(self._open(current, depth)))
            else:
                self._table(current)

    def _open(self, element: Element, depth: int) -> list[tuple[Element | Sequence[Element] | str, int]]:
        """Write an element's own line; what is left to write below it."""
        is_leaf = _is_inline(element)
        attributes = "; ".join(
            f"{escape(key.rpartition('}')[2])} = {escape(value)}" for key, value in element.attrib.items()
        )
        text = collapse("".join(element.itertext()) if is_leaf else element.text or "").strip()
        head = f"**{escape(local_name(element))}**" + (f" ({attributes})" if attributes else "")
        self._line(depth, f"{head}: {escape(text)}" if text else head)
        if is_leaf:
            return []
        inner: list[tuple[Element | Sequence[Element] | str, int]] = []
        children = list(element)
        place = 0
        while place < len(children):
            run = _records(children, place)
            inner.append((children[place] if len(run) < FEWEST_RECORDS else run, depth + 1))
            place += max(1, len(run))
            if tail := collapse(children[place - 1].tail or "").strip():
                inner.append((tail, depth + 1))
        return inner

    def _line(self, depth: int, text: str) -> None:
        self.lines.append(f"{'  ' * min(depth, MAX_INDENT)}- {text}")

    def _table(self, records: Sequence[Element]) -> None:
        columns = list(dict.fromkeys(key for record in records for key in _fields(record)))
        rows = [[_fields(record).get(column, "") for column in columns] for record in records]
        self.tables.append(Table(rows=tuple(map(tuple, [columns, *rows])), header_rows=1))
        shown = [[escape(cell) for cell in row] for row in [columns, *rows]]
        name = escape(local_name(records[0]))
        # A table in a list would have to be indented, which few readers of markdown follow: it stands by itself.
        self.lines += ["", f"**{name}**, {len(records)} records:", "", markdown.pipe_table(shown), ""]


def _records(children: Sequence[Element], place: int) -> list[Element]:
    """The run of like records from a place on: elements of one name that hold short texts only."""
    first = children[place]
    run: list[Element] = []
    for at in range(place, len(children)):  # a slice would copy the rest for each run
        child = children[at]
        if child.tag != first.tag or not _fields(child) or collapse(child.tail or "").strip() or not _is_record(child):
            break
        run.append(child)
    return run


def _is_record(element: Element) -> bool:
    names = [local_name(child) for child in element]
    if collapse(element.text or "").strip() and names:
        return False
    if len(set(names)) < len(names):
        return False
    return (
        all(not len(child) and not collapse(child.tail or "").strip() for child in element)
        and len(_fields(element)) > 1
    )


def _fields(element: Element) -> dict[str, str]:
    """A record's attributes and the texts of its children, by name; attributes of a child after a dot."""
    found = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
    if text := collapse(element.text or "").strip():
        found[local_name(element)] = text
    for child in element:
        found[local_name(child)] = collapse(child.text or "").strip()
        found |= {f"{local_name(child)}.{key.rpartition('}')[2]}": value for key, value in child.attrib.items()}
    return found


def _is_inline(element: Element) -> bool:
    """Text with markup inside it, or an element without children: written as one text."""
    if not len(element):
        return True
    mixed = bool(collapse(element.text or "").strip()) or any(collapse(child.tail or "").strip() for child in element)
    return mixed and all(not len(child) and not child.attrib for child in element)
