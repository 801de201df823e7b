"""The README's example runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_text


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It reads `report.pdf` of the folder it is run in."""
    readme = Path(__file__).parents[1] / "README.md"
    (example,) = re.findall(r"```python\n(.*?)```", readme.read_text("utf-8"), re.DOTALL)
    page = PdfPage(show_text("Annual report", 72, 700))
    (tmp_path / "report.pdf").write_bytes(PdfFile([page]).to_bytes())
    monkeypatch.chdir(tmp_path)

    exec(compile(example, str(readme), "exec"), {"__name__": "example"})

    assert "Annual report" in capsys.readouterr().out
