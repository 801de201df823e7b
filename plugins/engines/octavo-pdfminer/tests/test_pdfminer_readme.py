"""The README's example runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest


def test_the_example_runs(
    pdf: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It reads `report.pdf` of the folder it is run in."""
    readme = Path(__file__).parents[1] / "README.md"
    (example,) = re.findall(r"```python\n(.*?)```", readme.read_text("utf-8"), re.DOTALL)
    page = pdf.Page(pdf.show("Annual report", 72, 700))
    (tmp_path / "report.pdf").write_bytes(pdf.File([page]).to_bytes())
    monkeypatch.chdir(tmp_path)

    exec(compile(example, str(readme), "exec"), {"__name__": "example"})

    assert "Annual report" in capsys.readouterr().out
