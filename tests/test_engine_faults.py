"""Killed with SIGKILL at any instant, a library comes back whole: nothing lost, doubled or left lying about (ENG-6).

The campaign of `tests/benchmarks/engine/faults.py`, with few kills; `OCTAVO_KILLS` asks for more.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CAMPAIGN = Path(__file__).parent / "benchmarks" / "engine" / "faults.py"
KILLS = int(os.environ.get("OCTAVO_KILLS", "12"))


@pytest.mark.slow
def test_kills_of_host_and_workers_lose_and_double_nothing():
    command = [sys.executable, str(CAMPAIGN), "--kills", str(KILLS), "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60 + 30 * KILLS, check=False)
    assert ended.returncode in (0, 1), ended.stderr
    found = json.loads(ended.stdout)
    wanted = {"kills": KILLS, "lost": 0, "duplicated": 0, "temp_files": 0, "illegal_transitions": 0, "integrity": "ok"}
    assert {name: found[name] for name in wanted} == wanted
    assert found["interrupted"] >= KILLS // 2, "the kills came too late to interrupt anything: this shows nothing"
