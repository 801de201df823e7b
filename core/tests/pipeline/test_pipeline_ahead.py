"""The first call of a process: workers are made ready before the host has imported what it needs itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from octavo.plugins.models import BUILT
from octavo.plugins.prestart import WORKER_MODULES
from octavo_contracts import Conversion, DocumentClassification

SAMPLE = Path(__file__).parents[3] / "docs" / "samples" / "tide-table.csv"
LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux alone")

FIRST_CALL = """
import sys, psutil
import octavo
function = octavo.convert
assert "octavo_contracts" not in sys.modules, "the models are imported before the workers' process is started"
assert not psutil.Process().children(), "a process is started before anything is converted"
for _ in range(2):
    print(function(sys.argv[1]).result.ingestion_status)
print(len(psutil.Process().children()))
"""

GIVEN_A_RUNTIME = """
import sys, psutil
import octavo
from octavo.plugins.prestart import start_workers_ahead
from octavo.runtime import Runtime
start_workers_ahead()
print(len(psutil.Process().children()))
with Runtime() as runtime:
    print(octavo.convert(sys.argv[1], runtime=runtime).result.ingestion_status)
print(len(psutil.Process().children()))
"""


def lines_of(script: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", script, str(SAMPLE)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.split()


@LINUX_ONLY
def test_the_first_call_starts_one_process_and_the_pool_takes_it() -> None:
    assert lines_of(FIRST_CALL) == ["complete", "complete", "1"]


@LINUX_ONLY
def test_a_host_with_a_runtime_of_its_own_starts_nothing_ahead() -> None:
    assert lines_of(GIVEN_A_RUNTIME) == ["0", "complete", "0"]


def test_the_models_that_cross_are_built_in_the_workers_before_their_first_call() -> None:
    assert {Conversion, DocumentClassification} <= set(BUILT)
    assert all(model.__pydantic_complete__ for model in BUILT)
    assert "octavo.plugins.models" in WORKER_MODULES
