"""Score engines and the router: `python tests/benchmarks/accuracy/run.py --manifest FILE`; see `--help`."""

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    # This folder's place on the path is the repository's: the modules here are those of a package.
    sys.path[0] = str(Path(__file__).resolve().parents[3])
    runpy.run_module("tests.benchmarks.accuracy", run_name="__main__", alter_sys=True)
