"""The Tesseract program: path, version, installed languages, and running it.

The program is called directly, with the image on stdin and the result table on stdout: no temporary
file, no shell, and no Python wrapper (the usual one imports pandas).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from octavo_contracts import ConversionTimeout, OcrFailed, ToolUnavailable

PLUGIN = "tesseract"
COMMAND = "tesseract"
INSTALL = "Run: apt-get install tesseract-ocr (Debian, Ubuntu) or brew install tesseract (macOS)"
ORIENTATION_DATA = "osd"
"""The language file for orientation detection."""

_VERSION = re.compile(r"tesseract\s+v?(\d[\w.\-]*)")
_ASK_SECONDS = 20.0


def find_program() -> str:
    """Find the path of the program.

    Raises:
        ToolUnavailable: the program is not on the PATH.
    """
    found = shutil.which(COMMAND)
    if found is None:
        raise ToolUnavailable(f"the program {COMMAND!r} is not on the PATH", plugin=PLUGIN, remedy=INSTALL)
    return found


@cache
def version(program: str) -> str:
    """The version, such as '5.3.0'."""
    found = _VERSION.search(_ask(program, "--version"))
    return found.group(1) if found else "unknown"


@cache
def installed_languages(program: str) -> frozenset[str]:
    """Names of the installed language files, such as 'eng', and 'osd' for orientation."""
    lines = _ask(program, "--list-langs").splitlines()
    return frozenset(line.strip() for line in lines if re.fullmatch(r"[\w/\-]+", line.strip()))


def run(program: str, arguments: Sequence[str], *, picture: bytes, seconds: float, work_dir: Path) -> str:
    """Run the program on an image and return its output.

    Args:
        program: path of the program.
        arguments: arguments after the two file names.
        picture: bytes of an image file.
        seconds: timeout after which the program is killed.
        work_dir: working directory.

    Raises:
        OcrFailed: the program failed; the message ends with its last output.
        ConversionTimeout: the program was killed after the timeout.
    """
    try:
        done = subprocess.run(
            [program, "stdin", "stdout", *arguments],
            input=picture,
            capture_output=True,
            timeout=max(0.1, seconds),
            cwd=work_dir,
            env=_environment(),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ConversionTimeout(f"Tesseract took longer than {seconds:.0f} s for the page", plugin=PLUGIN) from error
    except OSError as error:
        raise ToolUnavailable(f"{program} cannot be started: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["nothing"]
        raise OcrFailed(f"Tesseract ended with code {done.returncode} and said: {said[-1][:300]}", plugin=PLUGIN)
    return done.stdout.decode("utf-8", "replace")


def _ask(program: str, question: str) -> str:
    try:
        done = subprocess.run(
            [program, question], capture_output=True, timeout=_ASK_SECONDS, env=_environment(), check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolUnavailable(f"{program} {question} failed: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    return (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace")


def _environment() -> dict[str, str]:
    # With more threads than free cores its OpenMP loops wait for each other: a page then takes six times as long.
    return {**os.environ, "OMP_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1"}
