"""Docstrings, signatures and values as markdown, for the reference pages."""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from octavo_contracts import Model
from pydantic import BaseModel


def markdown(docstring: str | None, *, attributes: bool = True) -> str:
    """A Google-style docstring as markdown; `attributes` False leaves the section of that name out."""
    paragraphs: list[str] = []
    for paragraph in re.split(r"\n{2,}", docstring or ""):
        head, _, body = paragraph.partition("\n")
        if re.fullmatch(r"(Args|Attributes|Returns|Raises|Yields|Example):", head):
            if attributes or head != "Attributes:":
                paragraphs.append(f"**{head}**\n\n{_section(inspect.cleandoc(body), listed=head != 'Returns:')}")
        else:
            paragraphs.append(paragraph if paragraph.startswith(("    ", "|")) else " ".join(paragraph.split()))
    return "\n\n".join(paragraphs)


def _section(body: str, *, listed: bool) -> str:
    if not listed:
        return " ".join(body.split())
    return "\n".join(f"- `{name}`: {text}" for name, text in _entries(body))


def _entries(body: str) -> Iterable[tuple[str, str]]:
    for entry in re.split(r"\n(?=\S)", body):
        name, _, text = entry.partition(":")
        yield name, " ".join(text.split())


def attribute_notes(cls: type) -> dict[str, str]:
    """What a dataclass's docstring says of each field in its section `Attributes`."""
    found = re.search(r"^Attributes:\n((?:(?: .*)?\n?)+)", inspect.getdoc(cls) or "", re.MULTILINE)
    return dict(_entries(inspect.cleandoc(found.group(1)).strip())) if found else {}


def first_sentence(item: Any) -> str:
    """The first line of what something says of itself."""
    return (inspect.getdoc(item) or "").partition("\n")[0]


def attribute_docs(cls: type) -> dict[str, str]:
    """Member → the string literal below it: Python throws these away, so the source is read."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(tree, ast.ClassDef)  # the source of a class is one class
    notes: dict[str, str] = {}
    for before, after in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(before, ast.Assign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            name = before.targets[0]
            assert isinstance(name, ast.Name)  # an enumeration's members are plain names
            notes[name.id] = " ".join(str(after.value.value).split())
    return notes


def signature_text(name: str, function: Callable[..., Any]) -> str:
    """A function as a caller writes it, one parameter a line where it is long."""
    signature = inspect.signature(function)
    parts: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        parts.append(f"{parameter.name}: {parameter.annotation}{default}")
    returned = f" -> {signature.return_annotation}"
    line = f"{name}({', '.join(parts)}){returned}"
    if len(line) <= 100:
        return line
    lines = "".join(f"    {part},\n" for part in parts)
    return f"{name}(\n{lines}){returned}"


def code_block(text: str) -> str:
    """A fenced block without a language: a signature is no program, and the tests run every block that is one."""
    return f"```\n{text}\n```"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    cells = [" | ".join(cell.replace("|", r"\|") for cell in line) for line in lines]
    return "\n".join(f"| {line} |" for line in cells)


def plain_type(annotation: str) -> str:
    """An annotation as markdown, its alternatives joined by "or": a bar would end the cell of a table.

    Constraints are left out; the descriptions repeat them.
    """
    bare = re.sub(r"Annotated\[(\w+), Field\(.*?\)\]", r"\1", annotation)
    return " or ".join(f"`{part.replace('|', 'or')}`" for part in re.split(r" \| (?![^\[]*\])", bare))


def field_default(field: dataclasses.Field[Any]) -> object:
    """What a dataclass field is when nobody sets it."""
    return field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default


def value_text(value: object) -> str:
    """A default as a reader would write it."""
    if isinstance(value, bool) or value is None or value == "":
        return repr(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, frozenset):
        return "none"
    if dataclasses.is_dataclass(value) or isinstance(value, Model):
        return f"{type(value).__name__}()"
    return str(value.value) if isinstance(value, enum.Enum) else str(value)


def model_table(item: type) -> str:
    """Return the table of the fields of a model, or of the values of an enumeration."""
    if issubclass(item, enum.Enum):
        notes = attribute_docs(item)
        if not notes:
            return ", ".join(f"`{member.value}`" for member in item)
        return table(("value", "meaning"), [(f"`{member.value}`", notes.get(member.name, "")) for member in item])
    assert issubclass(item, BaseModel)  # the caller looked
    annotations = {
        name: kind for base in reversed(item.__mro__) for name, kind in inspect.get_annotations(base).items()
    }
    rows = []
    for name, field in item.model_fields.items():
        needed = "required" if field.is_required() else f"`{value_text(field.get_default(call_default_factory=True))}`"
        rows.append((f"`{name}`", plain_type(annotations[name]), needed, field.description or ""))
    return table(("field", "type", "default", "meaning"), rows)
