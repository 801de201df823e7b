"""Jupyter notebooks: markdown cells as they are, code and its text output fenced."""

from __future__ import annotations

import json
import re
from typing import Any

from octavo_contracts import Conversion, ConversionWarning, DocumentMetadata, Page, SourceCorrupt
from octavo_contracts.authoring import fence

from . import jsontext

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_HEADING = re.compile(r"(?m)^# ++(.+)$")
_CLOSING = re.compile(r"(?<! ) ++#+\Z")
"""The marks that close a heading."""


def read_notebook(text: str, *, name: str) -> Conversion:
    """A notebook as one whole.

    Args:
        text: the decoded file.
        name: the file's name, for messages.

    Raises:
        SourceCorrupt: no JSON, nested too deep, or JSON without cells.
    """
    notebook = _load(text, name)
    cells = _cells(notebook)
    if cells is None:
        raise SourceCorrupt("the JSON has no list of cells, so it is no notebook", source=name, plugin="plaintext")
    language = _language(notebook)
    blocks: list[str] = []
    left_out = 0
    for cell in cells:
        found, lost = _cell(cell, language)
        blocks += found
        left_out += lost
    markdown = "\n\n".join(block for block in blocks if block.strip())
    warnings = []
    if left_out:
        message = f"{left_out} outputs that are no text, such as pictures and widgets, were left out."
        warnings.append(ConversionWarning(code="outputs_left_out", message=message))
    page = Page(number=1, kind="whole", markdown=markdown, has_images=bool(left_out))
    return Conversion(
        pages=(page,), paginated=False, metadata=_metadata(notebook, markdown, language), warnings=tuple(warnings)
    )


def _load(text: str, name: str) -> dict[str, Any]:
    if problem := jsontext.check(text):
        raise SourceCorrupt(f"the notebook cannot be read. {problem.rstrip('.')}", source=name, plugin="plaintext")
    loaded = json.loads(text)
    if not isinstance(loaded, dict):
        raise SourceCorrupt("the JSON is no object, so it is no notebook", source=name, plugin="plaintext")
    return loaded


def _cells(notebook: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Cells of format 4, or of the worksheets of format 3."""
    cells = notebook.get("cells")
    if cells is None and isinstance(sheets := notebook.get("worksheets"), list):
        cells = [cell for sheet in sheets if isinstance(sheet, dict) for cell in sheet.get("cells") or []]
    if not isinstance(cells, list):
        return None
    return [cell for cell in cells if isinstance(cell, dict)]


def _cell(cell: dict[str, Any], language: str) -> tuple[list[str], int]:
    """Return a cell's blocks, and the number of its outputs that are not text."""
    source = _joined(cell.get("source", cell.get("input")))
    kind = cell.get("cell_type")
    if kind == "markdown":
        attached = cell.get("attachments")
        return [source.strip("\n")], len(attached) if isinstance(attached, dict) else 0
    if kind == "heading":
        level = cell.get("level")
        return [f"{'#' * (level if isinstance(level, int) and 1 <= level <= 6 else 1)} {' '.join(source.split())}"], 0
    if kind != "code":
        return [fence(source)] if source.strip() else [], 0
    blocks = [fence(source, language=language)] if source.strip() else []
    outputs = cell.get("outputs")
    texts = [_output(output) for output in outputs if isinstance(output, dict)] if isinstance(outputs, list) else []
    blocks += [fence(text) for text in texts if text and text.strip()]
    return blocks, sum(text is None for text in texts)


def _output(output: dict[str, Any]) -> str | None:
    """An output's text; None where it has none to show."""
    kind = output.get("output_type")
    if kind == "stream":
        return _ANSI.sub("", _joined(output.get("text")))
    if kind in {"error", "pyerr"}:
        trace = output.get("traceback")
        lines = trace if isinstance(trace, list) and trace else [f"{output.get('ename')}: {output.get('evalue')}"]
        return _ANSI.sub("", "\n".join(str(line) for line in lines))
    data = output.get("data")
    shown = data if isinstance(data, dict) else output
    plain = _joined(shown.get("text/plain", shown.get("text")))
    pictured = any(key.startswith("image/") or key in {"png", "jpeg", "svg"} for key in shown)
    return None if pictured or not plain.strip() else plain


def _joined(value: object) -> str:
    """Notebooks keep text as a string or as a list of lines."""
    if isinstance(value, list):
        return "".join(str(line) for line in value)
    return value if isinstance(value, str) else ""


def _language(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata")
    info = metadata.get("language_info") if isinstance(metadata, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) and re.fullmatch(r"[\w+#.-]{1,20}", name) else "python"


def _metadata(notebook: dict[str, Any], markdown: str, language: str) -> DocumentMetadata:
    held = notebook.get("metadata")
    given = held.get("title") if isinstance(held, dict) else None
    heading = _HEADING.search(markdown)
    title = given if isinstance(given, str) and given else _CLOSING.sub("", heading[1]).strip() if heading else None
    return DocumentMetadata(title=title, fields={"programming_language": language})
