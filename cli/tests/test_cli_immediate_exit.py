"""A feature may have the process end at once, with the code and the output of its command."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import atexit, os, sys
from octavo_cli import main
from octavo_cli.toolkit import immediate_exit
atexit.register(os._exit, 99)  # as the clean-up of a library does
if sys.argv.pop(1) == "at once":
    immediate_exit.request()
code = main()
sys.exit(code)
"""


def ended(how: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, how, *arguments], capture_output=True, text=True, check=False, timeout=60
    )


def test_the_clean_up_of_a_library_does_not_change_the_exit_code() -> None:
    """ENG-15: a documented exit code, whatever ends with the process."""
    assert ended("as usual", "convert").returncode == 99

    at_once = ended("at once", "convert", "--no-such-option")

    assert at_once.returncode == 2
    assert "--no-such-option" in at_once.stderr


def test_what_a_command_wrote_is_whole() -> None:
    at_once = ended("at once", "plugins")

    assert at_once.returncode == 0
    assert at_once.stdout == ended("as usual", "plugins").stdout != ""
