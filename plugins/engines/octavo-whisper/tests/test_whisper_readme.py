"""The README's example runs as it stands."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.skipif(not find_spec("octavo_whisper"), reason="octavo-whisper is not installed: it asks for torch")
def test_the_example_runs_and_says_that_there_are_no_weights(capsys, monkeypatch, quiet):
    monkeypatch.chdir(quiet.parent)
    quiet.rename(quiet.parent / "interview.wav")
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    exec(compile(example, str(README), "exec"), {"__name__": "example"})
    assert "base.en.pt is no file" in capsys.readouterr().out


@pytest.mark.parametrize("heading", ["Install", "Example", "Capabilities", "Limits", "Licence of the engine"])
def test_the_headings_of_the_readme_are_there(heading):
    assert f"\n## {heading}\n" in README.read_text("utf-8")
