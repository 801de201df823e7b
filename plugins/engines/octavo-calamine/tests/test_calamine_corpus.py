"""The corpus of real workbooks: each ends well, and the cells are the ones that were expected."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

CORPUS = Path(os.environ.get("OCTAVO_CORPUS", Path(__file__).parents[5] / "shared/corpus/dev"))
TYPES = {
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xls": "application/vnd.ms-excel",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
}
SCRIPT = """
import sys
from octavo_contracts import ConvertRequest, FileSource, HookContext, OctavoError
from pathlib import Path
from octavo_calamine.plugin import convert
CONTEXT = HookContext(work_dir=Path("."), deadline=float("inf"))
try:
    print(convert(FileSource(sys.argv[1], media_type=sys.argv[2]), ConvertRequest(media_type=sys.argv[2]), CONTEXT).to_json())
except OctavoError as error:
    print('"' + type(error).__name__ + '"')
"""

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real documents is not here"),
]
WORKBOOKS = sorted(path for path in CORPUS.rglob("*") if path.suffix in TYPES)
GRIDS = [path for path in WORKBOOKS if path.with_suffix(".gt.grid.json").exists()]


def convert_in_child(path: Path) -> dict[str, object] | str:
    """The conversion as JSON, or the name of the error."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path), TYPES[path.suffix]], capture_output=True, timeout=60, check=True
    )
    return json.loads(done.stdout)  # type: ignore[no-any-return]  # JSON


@pytest.mark.parametrize("path", WORKBOOKS, ids=lambda path: path.name)
def test_a_real_workbook_converts_or_is_refused_with_a_typed_error(path: Path) -> None:
    """No crash and no hang; an encrypted workbook is named so, any other has text."""
    result = convert_in_child(path)
    if path.name.startswith("enc-"):
        assert result == "SourceEncrypted"
    else:
        assert isinstance(result, dict)
        assert any(page["markdown"] for page in result["pages"])  # type: ignore[attr-defined]  # JSON


def _same(value: str) -> str:
    """A value in one form: numbers to the nine digits that the truth gives, dates without a midnight."""
    try:
        return f"{float(value):.9g}"
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(value).isoformat().removesuffix("T00:00:00")
    except ValueError:
        return " ".join(value.split())


def _predicted(result: dict[str, object]) -> set[tuple[str, int, int, str]]:
    cells = set()
    for place, page in zip(result["metadata"]["fields"]["sheets"], result["pages"], strict=True):  # type: ignore[index, call-overload]  # JSON
        for table in page["tables"]:
            for row, texts in enumerate(table["rows"], start=place["first_row"]):
                for column, text in enumerate(texts, start=place["first_column"]):
                    if text:
                        cells.add((page["label"], row, column, _same(text)))
    return cells


def _expected(path: Path) -> set[tuple[str, int, int, str]]:
    truth = json.loads(path.with_suffix(".gt.grid.json").read_text(encoding="utf-8"))
    return {
        (sheet["name"], cell["row"], cell["col"], _same(str(cell["value"])))
        for sheet in truth["sheets"]
        for cell in sheet["cells"]
        if cell.get("value") not in (None, "")
    }


@pytest.mark.parametrize("path", GRIDS, ids=lambda path: path.name)
def test_cells_are_the_expected_ones(path: Path) -> None:
    """F1 on (sheet, row, column, value) of at least 0.95."""
    result = convert_in_child(path)
    assert isinstance(result, dict)
    found, expected = _predicted(result), _expected(path)
    assert 2 * len(found & expected) / (len(found) + len(expected)) >= 0.95
