"""What an error looks like, and what happens when nobody foresaw it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import Any

import pytest
from click.testing import CliRunner
from octavo_cli.app import cli
from octavo_cli.toolkit.output import size_text
from octavo_cli.toolkit.running import report
from octavo_contracts import ErrorRecord, ExitCode, OctavoError, SourceCorrupt, UsageError

BUG = (
    "import sys\n"
    "from octavo import plugins\n"
    "def broken(*args, **kwargs): raise ValueError('line one\\nline two')\n"
    "plugins.load_catalogue = broken\n"
    "from octavo_cli import main\n"
    "sys.exit(main(sys.argv[1:]))"
)
"""A process in which something that never fails does."""


def run_bug(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BUG, *arguments], capture_output=True, text=True, check=False, env=env, timeout=60
    )


def test_an_unexpected_exception_is_one_line_that_calls_itself_a_bug():
    ended = run_bug("doctor")
    assert ended.returncode == ExitCode.INTERNAL
    assert ended.stderr.splitlines() == [
        "octavo: this is a bug: ValueError: line one\ufffdline two [internal]",
        "  Report it with the output of `octavo doctor --bug-report`; OCTAVO_DEBUG=1 shows where it happened",
    ]


@pytest.mark.parametrize("arguments", [("--debug", "doctor"), ("doctor", "--debug")])
def test_debug_shows_where_it_happened(arguments):
    ended = run_bug(*arguments)
    assert ended.returncode == ExitCode.INTERNAL
    assert "Traceback (most recent call last)" in ended.stderr


def test_the_environment_may_ask_for_the_traceback():
    ended = run_bug("doctor", env={**os.environ, "OCTAVO_DEBUG": "1"})
    assert "Traceback (most recent call last)" in ended.stderr


def test_an_error_names_document_page_plugin_reason_and_remedy(capsys):
    report(SourceCorrupt("a stream is cut off", source="a.pdf", page=3, plugin="pdfium", remedy="Fetch it again"))
    assert capsys.readouterr().err == (
        "octavo: a.pdf, page 3, plugin pdfium: a stream is cut off [source_corrupt]\n  Fetch it again\n"
    )


def test_an_error_without_a_place_or_a_remedy_is_one_line(capsys):
    report(UsageError("there is no such thing"))
    assert capsys.readouterr().err == "octavo: there is no such thing [usage]\n"


def test_an_error_without_a_reason_code_still_has_a_bracket(capsys):
    report(OctavoError("something"))
    assert capsys.readouterr().err == "octavo: something [error]\n"


def test_an_error_can_not_send_control_sequences_to_a_terminal(capsys):
    report(SourceCorrupt("odd \x1b[2J name\nand a second line", source="\x1b]0;x\x07.pdf"))
    shown = capsys.readouterr().err
    assert "\x1b" not in shown
    assert shown.count("\n") == 2


def test_every_error_class_is_reported_in_at_most_two_lines(capsys):
    def all_below(kind: type[OctavoError]) -> list[type[OctavoError]]:
        return [kind, *(deeper for sub in kind.__subclasses__() for deeper in all_below(sub))]

    for kind in all_below(OctavoError):
        if kind.__init__ is not OctavoError.__init__:
            continue  # a feature's own, with arguments of its own: it does not cross processes
        report(ErrorRecord.of(kind("wrong", source="a.txt")).to_error())
        assert capsys.readouterr().err.count("\n") <= 2


def test_commands_behave_alike_in_a_host_program_of_click(tmp_path, monkeypatch):
    """Another click program may mount the group: exit codes and messages are the same without `main`."""
    monkeypatch.chdir(tmp_path)
    ended = CliRunner().invoke(cli, ["show", "abcdef"])
    assert ended.exit_code == ExitCode.USAGE
    assert "there is no library at" in ended.output


def test_a_prompt_that_is_not_answered_is_an_interruption(octavo_process, documents):
    """`--password` at the end of the line asks; the end of input is no answer."""
    ended = octavo_process("convert", "papers/tides.md", "--password")
    assert ended.code == ExitCode.INTERRUPTED
    assert "[interrupted]" in ended.stderr


def test_a_command_may_run_in_a_thread_of_a_host(octavo, documents):
    """Only the main thread may set signal handlers; any other does without them."""
    ended: list[Any] = []
    thread = threading.Thread(target=lambda: ended.append(octavo("convert", documents / "tides.md")))
    thread.start()
    thread.join()
    assert [item.code for item in ended] == [ExitCode.OK]


@pytest.mark.parametrize(("count", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (3 << 40, "3.0 TiB")])
def test_sizes_are_for_people(count, text):
    assert size_text(count) == text


@pytest.mark.parametrize("arguments", [(), ("corpus",)])
def test_a_group_without_a_command_shows_its_help_as_it_is(octavo, arguments):
    """Not as an error message: the lines and the lists of the help stay."""
    ended = octavo(*arguments)
    assert ended.stderr.startswith(" ".join(["Usage: octavo", *arguments]))
    assert ("\n\nCommands:\n" if arguments else "\n\nConvert:\n") in ended.stderr
