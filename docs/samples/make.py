"""Make the sample documents: `python docs/samples/make.py [--check]`. The work is done in `.make` beside this file."""

import runpy
from pathlib import Path

runpy.run_path(str(Path(__file__).with_name(".make")), run_name="__main__")
