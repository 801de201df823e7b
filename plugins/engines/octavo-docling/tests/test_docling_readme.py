"""The README's example runs as it stands."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.mark.skipif(
    not all(map(find_spec, ("octavo_docling", "docling"))),
    reason="octavo-docling is not installed with its engine: half a gigabyte, in an extra of its own",
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # docling warns of its own fields
def test_the_example_runs() -> None:
    readme = Path(__file__).parents[1] / "README.md"
    (example,) = re.findall(r"```python\n(.*?)```", readme.read_text("utf-8"), re.DOTALL)
    names: dict[str, object] = {"__name__": "example"}
    exec(compile(example, str(readme), "exec"), names)
    assert "conversion" in names
