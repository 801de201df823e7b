"""A run in a process of its own leaves nothing behind in the process that started it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from octavo_research.background_run import start_in_background


def test_the_exit_status_of_a_background_run_is_collected(tmp_path: Path) -> None:
    """There is no library, so that the process ends at once."""
    process = start_in_background(str(tmp_path / "none"), "none", log=tmp_path / "logs" / "run.log")
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    else:
        pytest.fail("the process is still there, or a zombie")
    assert "there is no library" in (tmp_path / "logs" / "run.log").read_text()
