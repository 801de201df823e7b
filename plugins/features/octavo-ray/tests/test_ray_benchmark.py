"""The benchmark of supervisors beside bare Ray tasks, on a local cluster."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[4] / "tests" / "benchmarks" / "scale" / "ray_tasks.py"


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="needs octavo-ray[ray]: run `tox -e ray`")
@pytest.mark.skipif(sys.platform != "linux", reason="needs the address 127.0.0.2, which Linux has")
def test_supervisors_tasks_and_one_machine_give_the_same_texts() -> None:
    """Also: `--ray-address local` starts a cluster that ends with the run."""
    ended = subprocess.run(
        [sys.executable, SCRIPT, "--documents", "4", "--json"], capture_output=True, text=True, timeout=600, check=False
    )
    assert ended.returncode == 0, ended.stderr
    figures = json.loads(ended.stdout)
    assert (figures["documents"], figures["different"]) == (4, 0)
    assert figures["ratio"] > 0.0
    assert figures["coordination"] > 0.0
