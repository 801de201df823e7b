"""Data files: CSV and TSV, JSON, notebooks."""

from __future__ import annotations

import csv
import io
import json
from pathlib import PurePath

from octavo_contracts import ConversionWarning, Page, SourceCorrupt, Table

from .engine import PLUGIN, run_engine
from .formats import Format
from .pages import Reading
from .pipe_tables import read_tables
from .text_input import decode

_DELIMITERS = ",;\t|"
_SNIFFED = 1 << 16


def read_grid(data: bytes, *, form: Format, media_type: str, name: str) -> Reading:
    """Convert a CSV or TSV: one sheet. The engine knows commas only, so that other delimiters are replaced first.

    Args:
        data: the file's bytes.
        form: the format for the engine.
        media_type: distinguishes tabs from other delimiters.
        name: the file's name; its stem is the sheet's label.

    Raises:
        SourceCorrupt: a field that the CSV rules do not allow.
    """
    text, warnings = decode(data)
    delimiter = "\t" if media_type == "text/tab-separated-values" else delimiter_of(text)
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    except csv.Error as error:
        raise SourceCorrupt(f"the file breaks the rules of CSV: {error}", plugin=PLUGIN) from error
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows(rows)
    content = buffer.getvalue().encode("utf-8", "replace")
    result = run_engine(content, form=form, media_type="text/csv", charset="utf-8")
    tables = (Table(rows=tuple(map(tuple, rows))),) if rows else ()
    markdown, _ = read_tables(result.markdown)
    sheet = Page(number=1, label=PurePath(name).stem or None, kind="sheet", markdown=markdown, tables=tables)
    return Reading(pages=(sheet,), warnings=(*warnings, *result.warnings))


def delimiter_of(text: str) -> str:
    """The delimiter that cuts most of the first lines into the same number of fields, more than one; else a comma."""
    sample = text[:_SNIFFED]
    best, best_score = ",", 0
    for delimiter in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter) if row]
        except csv.Error:
            continue
        wide = [width for width in widths if width > 1]
        score = max((wide.count(width) * min(width, 3) for width in set(wide)), default=0)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def read_data(data: bytes, *, form: Format, media_type: str) -> Reading:
    """Convert JSON: a code block in the markdown, the text itself as text."""
    text, warnings = decode(data)
    result = run_engine(text.encode("utf-8", "replace"), form=form, media_type=media_type, charset="utf-8")
    longest = max((len(run) for run in result.markdown.replace("\n", " ").split() if set(run) == {"`"}), default=0)
    fence = "`" * max(3, longest + 1)
    body = result.markdown.strip()
    markdown = f"{fence}json\n{body}\n{fence}\n" if body else ""
    return Reading(markdown=markdown, text=body, tables=(), warnings=(*warnings, *result.warnings))


def read_notebook(data: bytes, *, form: Format, media_type: str) -> Reading:
    """Convert a notebook: its cells in order; their outputs are counted in a warning.

    Raises:
        SourceCorrupt: no JSON object, or cells that are none.
    """
    text, decoding = decode(data)
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SourceCorrupt(f"the notebook is no JSON: {error}", plugin=PLUGIN) from error
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise SourceCorrupt("the notebook has no list of cells", plugin=PLUGIN)
    result = run_engine(text.encode("utf-8", "replace"), form=form, media_type=media_type, charset="utf-8")
    warnings = [*decoding, *result.warnings]
    outputs = sum(len(cell.get("outputs") or ()) for cell in notebook["cells"] if isinstance(cell, dict))
    if outputs:
        what = (
            "1 output of the notebook's cells is" if outputs == 1 else f"{outputs} outputs of the notebook's cells are"
        )
        message = f"{what} not read."
        warnings.append(ConversionWarning(code="partial_conversion", message=message))
    return Reading(markdown=result.markdown, title=result.title, warnings=tuple(warnings))
