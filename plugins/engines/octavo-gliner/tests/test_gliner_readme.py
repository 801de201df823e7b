"""The README's example runs as it stands."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.mark.skipif(not find_spec("octavo_gliner"), reason="octavo-gliner is not installed: it asks for torch")
def test_the_example_runs_and_says_that_there_are_no_weights(capsys: pytest.CaptureFixture[str]) -> None:
    readme = Path(__file__).parents[1] / "README.md"
    (example,) = re.findall(r"```python\n(.*?)```", readme.read_text("utf-8"), re.DOTALL)
    exec(compile(example, str(readme), "exec"), {"__name__": "example"})
    assert "gliner_config.json" in capsys.readouterr().out
