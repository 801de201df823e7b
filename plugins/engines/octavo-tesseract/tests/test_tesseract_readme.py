"""The README's example runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from octavo_conformance.page_pictures import text_page


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    readme = Path(__file__).parents[1] / "README.md"
    (code,) = re.findall(r"```python\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "page.png").write_bytes(text_page().png)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    assert "The keeper lit the lamp" in capsys.readouterr().out
