"""The README's example runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from octavo_contracts import Locator

README = Path(__file__).resolve().parents[1] / "README.md"


def test_the_example_prints_five_quotations_with_their_places(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"^```python\n(.+?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)

    exec(compile(code, "README.md", "exec"), {})

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert all(Locator.parse(line.partition(" ")[0]) for line in lines)
    assert "harbour" in " ".join(lines)
