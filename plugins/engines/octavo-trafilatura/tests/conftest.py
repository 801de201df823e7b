"""What the tests of this engine share."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_trafilatura import plugin


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """`convert(data, **request)`: one call of the hook."""
    return ConvertCall(plugin.convert, tmp_path, media_type="text/html", name="page.html")
