"""A run in a process of its own leaves nothing behind in the process that started it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from octavo_research.background_run import start_in_background


@pytest.mark.parametrize(
    ("library", "said"), [("none", "there is no library at {cwd}/none"), ("s3://", "s3://BUCKET/PREFIX")]
)
def test_the_exit_status_of_a_background_run_is_collected(
    library: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no such library, so that the process ends at once."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCTAVO_INDEX", "postgresql://127.0.0.1:9/none")
    process = start_in_background(library, "none", log=tmp_path / "logs" / "run.log")
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    else:
        pytest.fail("the process is still there, or a zombie")
    assert said.format(cwd=tmp_path) in (tmp_path / "logs" / "run.log").read_text()
