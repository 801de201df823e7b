"""What the tests of this engine share."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_plaintext import plugin


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """`convert(data, media_type, name=..., **request)`: one call of the hook."""
    return ConvertCall(plugin.convert, tmp_path)
