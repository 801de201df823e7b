"""Runs the hook `convert` outside the sandbox, in a process with another environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from octavo_contracts import ContractViolation, ConversionTimeout

from .evidence import Observed


def convert_outside(task: dict[str, Any], *, import_paths: Sequence[Path], seconds: float) -> Observed:
    """Convert in a plain process, with another hash seed, time zone and locale.

    All workers of the sandbox have the same environment and prevent forbidden access. Only outside the sandbox can the
    suite see whether the plugin depends on its environment.

    Args:
        task: input of `octavo_conformance.elsewhere`.
        import_paths: folders from which the process imports, besides Python's own.
        seconds: timeout after which the process is killed.
    """
    environment = os.environ | {
        "PYTHONHASHSEED": "4711",
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "C",
        "PYTHONUTF8": "1",
        "PYTHONPATH": os.pathsep.join([*map(str, import_paths), *_python_path()]),
    }
    try:
        done = subprocess.run(
            [sys.executable, "-m", "octavo_conformance.elsewhere"],
            input=json.dumps(task).encode(),
            capture_output=True,
            env=environment,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"the conversion takes more than {seconds:g} s outside the sandbox"
        return Observed.failed(ConversionTimeout(message, plugin=task["plugin"]))
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        return Observed.failed(
            ContractViolation(f"the conversion fails outside the sandbox: {last[0]}", plugin=task["plugin"])
        )
    return Observed(answer=done.stdout.decode(), error=None, facts=None, seconds=0.0, peak_rss_mb=0.0)


def _python_path() -> list[str]:
    return [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
