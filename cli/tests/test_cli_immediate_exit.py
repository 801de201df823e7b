"""The end of a process: at once where a feature requests it, else with exit handlers, with code and output of its command."""

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


TORN_DOWN = """
import atexit, sys, threading, time
from octavo_cli import main
class Witness:
    def __del__(self):
        print("destroyed", file=sys.__stderr__)
witness = Witness()
atexit.register(print, "handler ran", file=sys.stderr)
threading.Thread(target=lambda: (time.sleep(0.2), print("thread ended", file=sys.stderr))).start()
code = main()
print("torn down", file=sys.stderr)
sys.exit(code)
"""


def test_a_short_command_ends_without_destroying_objects_but_with_threads_and_handlers(tmp_path) -> None:
    """Exit handlers remove temporary files and end workers; destroying modules has no effect that a user sees."""
    text = tmp_path / "line.txt"
    text.write_text("A line of text.\n", encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "-c", TORN_DOWN, "convert", str(text)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert (done.returncode, done.stdout) == (0, "A line of text.\n")
    assert done.stderr.splitlines() == ["thread ended", "handler ran"]


def test_a_failure_keeps_its_code_and_message(tmp_path) -> None:
    """ENG-15."""
    done = subprocess.run(
        [sys.executable, "-c", TORN_DOWN, "convert", str(tmp_path / "missing.txt")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode not in (0, 1)
    assert "source_missing" in done.stderr
    assert "destroyed" not in done.stderr
