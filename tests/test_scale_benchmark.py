"""The benchmark of several nodes: two nodes give what one machine gives."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

RUN = Path(__file__).parent / "benchmarks" / "scale" / "run.py"


@pytest.mark.slow
def test_two_nodes_give_the_texts_of_one_machine_byte_for_byte() -> None:
    """ENG-6."""
    if not all(find_spec(name) for name in ("obstore", "psycopg", "moto", "flask")):
        pytest.skip("needs the extra `scale` and an S3 server: pip install 'moto[s3,server]'")
    if not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or shutil.which("bash") is None:
        pytest.skip("needs a PostgreSQL server: apt-get install postgresql")

    command = [sys.executable, RUN, "--nodes", "2", "--documents", "6", "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)

    assert ended.returncode == 0, ended.stderr
    figures = json.loads(ended.stdout)
    assert (figures["nodes"], figures["documents"]) == (2, 6)
    assert (figures["lost"], figures["duplicated"], figures["different"]) == (0, 0, 0)
