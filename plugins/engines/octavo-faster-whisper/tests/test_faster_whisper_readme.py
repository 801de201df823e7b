"""The README's example runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest


def test_the_example_runs(capsys, monkeypatch, sounds, write, listen):
    path = write("interview.wav", sounds.wav(sounds.tone(1, loudness=0)))
    monkeypatch.chdir(path.parent)
    readme = Path(__file__).parents[1] / "README.md"
    (example,) = re.findall(r"```python\n(.*?)```", readme.read_text("utf-8"), re.DOTALL)
    exec(compile(example, str(readme), "exec"), {"__name__": "example"})
    assert capsys.readouterr().out.startswith("00:00:00")
    assert listen(path).pages[0].label == "00:00:00"


@pytest.mark.parametrize("heading", ["Install", "Example", "Capabilities", "Limits", "Licence of the engine"])
def test_the_headings_are_there(heading):
    readme = Path(__file__).parents[1] / "README.md"
    assert f"\n## {heading}\n" in readme.read_text("utf-8")
