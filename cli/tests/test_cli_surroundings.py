"""Odd arguments, and a standard output, input or working folder that is not as it should be."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from octavo_contracts import ExitCode

NOT_UTF8 = os.fsdecode(b"\xff")
# As the installed script, which does not look for modules in the working folder.
OCTAVO = f'"{sys.executable}" -P -c "import sys; from octavo_cli import main; sys.exit(main())"'

posix = pytest.mark.skipif(sys.platform == "win32", reason="the shell, /dev/full and bytes in names are POSIX")
full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")


def shell(
    command: str, folder: os.PathLike[str], env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command line of bash in which `octavo` is this Octavo."""
    script = f'octavo() {{ {OCTAVO} "$@"; }}\n{command}'
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False, timeout=120, errors="replace",
        env={**os.environ, **(env or {})},
    )  # fmt: skip


def assert_one_clear_message(stderr: str) -> None:
    """One line that says what was wrong, and perhaps one that says what to do; nothing of Python."""
    lines = stderr.splitlines()
    assert 1 <= len(lines) <= 2, stderr
    assert lines[0].startswith("octavo: ")
    assert lines[0].endswith("]")
    assert "Traceback" not in stderr
    assert "this is a bug" not in stderr


@posix
@pytest.mark.parametrize(
    "arguments",
    [
        ("convert", "papers/tides.md", "--password", NOT_UTF8),
        ("convert", "papers/tides.md", "--with", NOT_UTF8),
        ("convert", "papers/tides.md", "--profile", NOT_UTF8),
        ("convert", "papers/tides.md", "--timeout", "nan"),
        ("convert", "papers/tides.md", "--timeout", "inf"),
        ("ingest", "papers", "--corpus", NOT_UTF8),
        ("ingest", "papers", "--password", NOT_UTF8),
        ("ingest", "papers", "--library", ""),
        ("ingest", "papers", "--timeout", "nan"),
        ("corpus", "create", NOT_UTF8),
        ("corpus", "show", NOT_UTF8),
        ("show", NOT_UTF8),
        ("purge", NOT_UTF8),
        ("schema", NOT_UTF8),
        ("list", "--library", NOT_UTF8),
        (NOT_UTF8,),
    ],
    ids=lambda arguments: " ".join(arguments).encode("ascii", "replace").decode(),
)
def test_an_odd_argument_is_a_usage_error_in_one_line(octavo, documents, tmp_path, arguments):
    octavo("corpus", "create", "harbour")
    ended = octavo(*arguments)
    assert ended.code == ExitCode.USAGE
    assert_one_clear_message(ended.stderr)
    assert ended.stdout == b""


@posix
def test_bytes_that_are_no_text_arrive_from_a_real_command_line(documents, tmp_path):
    ended = shell("octavo convert papers/tides.md --password $'\\xff'", tmp_path)
    assert ended.returncode == ExitCode.USAGE
    assert_one_clear_message(ended.stderr)


@posix
def test_a_password_in_the_environment_that_is_no_text_is_a_usage_error(documents, tmp_path):
    ended = shell("OCTAVO_PASSWORD=$'\\xff' octavo convert papers/tides.md", tmp_path)
    assert ended.returncode == ExitCode.USAGE
    assert_one_clear_message(ended.stderr)


@posix
def test_names_with_control_characters_and_odd_bytes_stay_on_their_line(octavo, documents):
    """One object a line, one row a document, and nothing that a terminal would obey."""
    odd = [
        "new\nline.txt",
        "bell\x07.txt",
        "colour\x1b[31m.txt",
        "right\u202eto-left.txt",
        os.fsdecode(b"byte\xff.txt"),
    ]
    for name in odd:
        (documents / name).write_text(f"words of {name!a}")
    listed = octavo("ingest", "papers", "--jsonl")
    assert len(listed.lines) == 4 + len(odd)
    sources = {line["source"] for line in listed.lines}
    assert {"papers/new\ufffdline.txt", "papers/bell\ufffd.txt", "papers/byte\ufffd.txt"} <= sources
    for shown in (
        octavo("ingest", "papers").out,
        octavo("list").out,
        octavo("convert", documents / "absent\x1b.md").stderr,
    ):
        assert not any(sign in shown for sign in "\x07\x1b\u202e")
    table = octavo("ingest", "papers").out.splitlines()
    assert len([line for line in table if line.startswith("papers/")]) == 4 + len(odd)


WRITERS = [
    "convert papers/tides.md", "convert papers/tides.md --json", "ingest papers/tides.md", "ingest papers/tides.md --jsonl",
    "ingest papers/tides.md --json", "plugins", "schema", "--version", "--help", "ingest --help", "completion bash",
    "doctor --json",
]  # fmt: skip


@posix
@full
@pytest.mark.parametrize("command", WRITERS)
def test_a_full_disk_behind_standard_output_is_named(documents, tmp_path, command):
    ended = shell(f"octavo {command} > /dev/full", tmp_path)
    assert ended.returncode == ExitCode.HARD_FAILURES
    assert_one_clear_message(ended.stderr)
    assert "standard output cannot be written: No space left on device [storage_exhausted]" in ended.stderr


@posix
@pytest.mark.parametrize("command", ["convert papers/tides.md", "ingest papers/tides.md", "schema"])
def test_a_closed_standard_output_is_named(documents, tmp_path, command):
    ended = shell(f"octavo {command} >&-", tmp_path)
    assert ended.returncode == ExitCode.HARD_FAILURES
    assert_one_clear_message(ended.stderr)
    assert "standard output cannot be written: Bad file descriptor" in ended.stderr


@posix
def test_a_failure_that_prints_nothing_needs_no_standard_output(tmp_path):
    ended = shell("octavo convert absent.md >&-", tmp_path)
    assert ended.returncode == ExitCode.HARD_FAILURES
    assert "[source_missing]" in ended.stderr


@posix
@pytest.mark.parametrize("command", ["convert papers/tides.md", "--version", "--help", "ingest --help", "schema"])
def test_a_reader_that_is_gone_is_an_interruption(documents, tmp_path, command):
    ended = shell(f"octavo {command} | true; exit ${{PIPESTATUS[0]}}", tmp_path)
    assert ended.returncode == ExitCode.INTERRUPTED
    assert ended.stderr == ""


@posix
@full
@pytest.mark.parametrize("where", ["&-", "/dev/full"])
def test_an_error_that_nobody_can_be_told_keeps_its_code(documents, tmp_path, where):
    ended = shell(f"octavo convert papers/broken.pdf 2>{where}", tmp_path)
    assert (ended.returncode, ended.stderr) == (ExitCode.HARD_FAILURES, "")


@posix
def test_a_closed_standard_input_is_a_usage_error(tmp_path):
    ended = shell("octavo convert - <&-", tmp_path)
    assert ended.returncode == ExitCode.USAGE
    assert_one_clear_message(ended.stderr)


@posix
@pytest.mark.parametrize("command", ["convert tides.md", "ingest tides.md", "list"])
def test_a_working_folder_that_was_removed_is_a_usage_error(tmp_path, command):
    ended = shell(f"mkdir gone && cd gone && rmdir ../gone && octavo {command}", tmp_path)
    assert ended.returncode == ExitCode.USAGE
    assert "octavo: the working directory no longer exists [usage]" in ended.stderr


def test_a_damaged_version_is_called_by_its_name(octavo, documents, tmp_path):
    """STO-8, ENG-18: `show` says so, and an ingest of the original converts it again."""
    octavo("ingest", "papers/tides.md")
    (path,) = (tmp_path / "octavo-library").rglob("canonical.txt")
    path.chmod(0o600)
    path.write_text("High water at six.")
    shown = octavo("show", "papers/tides.md", "--page", "1")
    assert shown.code == ExitCode.HARD_FAILURES
    assert "version 1 is damaged: canonical.txt was altered after it was stored [library_damaged]" in shown.stderr
    assert "octavo verify-store" in shown.stderr
    metadata = path.with_name("metadata.json")
    metadata.unlink()
    again = octavo("ingest", "papers/tides.md", "papers/letters", "--json")
    assert again.code == ExitCode.OK
    assert (again.json["summary"]["complete"], again.json["summary"]["failed"]) == (2, 0)
    assert octavo("show", "papers/tides.md", "--page", "1").code == ExitCode.OK
