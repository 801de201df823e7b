"""What the tests of this engine share: convert a page as the host would, over a real file."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from octavo_contracts import Conversion, ConvertRequest, FileSource, HookContext
from octavo_trafilatura import plugin

Convert = Callable[..., Conversion]


@pytest.fixture
def convert(tmp_path: Path) -> Convert:
    """`convert(data, media_type=..., **request)`: one call of the hook."""

    def run(data: bytes | str, media_type: str = "text/html", **request: Any) -> Conversion:
        path = tmp_path / "page.html"
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        source = FileSource(path, media_type=media_type)
        context = HookContext(work_dir=tmp_path, deadline=time.monotonic() + 60)
        return plugin.convert(source, ConvertRequest(media_type=media_type, **request), context)

    return run
