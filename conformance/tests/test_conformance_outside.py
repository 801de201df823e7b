"""Calls outside the sandbox: they end with the suite, and what a plugin leaves behind is told and ended."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from octavo_conformance.plugin_folder import importable
from octavo_conformance.reference import PluginText, catalogue_of, install, reference_text
from octavo_conformance.subject import Subject
from octavo_conformance.vectors import load_golden
from octavo_contracts import ConversionTimeout, ConvertRequest

GOOD = reference_text("sheaf")
BEGIN = '    """See `octavo.hookspecs.convert`."""\n'
VECTOR = next(vector for vector in load_golden() if vector.family == "sheaf")
RUN_IT = """
import sys
from pathlib import Path
from octavo_conformance.plugin_folder import importable
from octavo_conformance.reference import catalogue_of
from octavo_conformance.subject import Subject
from octavo_conformance.vectors import load_golden
from octavo_contracts import ConversionTimeout, ConvertRequest

site = Path(sys.argv[1])
vector = next(vector for vector in load_golden() if vector.family == "sheaf")
with importable(site), Subject("mine", catalogue=catalogue_of(site), import_paths=(site,)) as subject:
    subject.convert_elsewhere(vector)
"""


def plugin(site: Path, *lines: str, manifest: tuple[str, str] = ("", "")) -> None:
    """Install the reference converter, which first runs some lines."""
    code = GOOD.code.replace(BEGIN, BEGIN + "".join(f"    {line}\n" for line in lines))
    assert code != GOOD.code
    install(site, "mine", PluginText(code=code, manifest=GOOD.manifest.replace(*manifest)))


def soon(holds: Callable[[], bool]) -> bool:
    """Whether something holds within some seconds."""
    until = time.monotonic() + 30
    while not holds() and time.monotonic() < until:
        time.sleep(0.05)
    return holds()


def test_a_call_ends_with_the_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite that is killed leaves no process of a plugin, nor the one that these are forked from."""
    site, temporary = tmp_path / "site", tmp_path / "temporary"
    site.mkdir()
    temporary.mkdir()
    plugin(
        site,
        'os = __import__("os")',
        'if os.environ.get("USER") == "somebody":',
        '    open(os.path.expanduser("~/pids"), "w").write(f"{os.getpid()} {os.getppid()}")',
        '    __import__("time").sleep(300)',
    )
    monkeypatch.setenv("TMPDIR", str(temporary))
    suite = subprocess.Popen([sys.executable, "-c", RUN_IT, str(site)])
    try:
        assert soon(lambda: any(file.read_text() for file in temporary.rglob("pids")))
        of_the_call = [int(pid) for file in temporary.rglob("pids") for pid in file.read_text().split()]
        below = [child.pid for child in psutil.Process(suite.pid).children()]
    finally:
        suite.send_signal(signal.SIGKILL)
        suite.wait()
    assert len(of_the_call) == 2
    assert below
    assert soon(lambda: not any(map(psutil.pid_exists, {*of_the_call, *below})))


def test_a_process_that_hides_from_its_call_is_told_and_ended(tmp_path: Path) -> None:
    """Neither a session of its own nor an empty environment hides it."""
    plugin(
        tmp_path,
        '__import__("subprocess").Popen(["/bin/sleep", "291"], start_new_session=True, env={})',
        manifest=('"passwords"]', '"passwords", "subprocess"]'),
    )
    with importable(tmp_path), Subject("mine", catalogue=catalogue_of(tmp_path), import_paths=(tmp_path,)) as subject:
        facts = subject.convert_elsewhere(VECTOR).facts
    assert facts is not None
    assert facts.programs == ["/bin/sleep 291"]
    assert not [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == ["/bin/sleep", "291"]]


def test_a_call_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    """It is ended with what it started."""
    plugin(
        tmp_path,
        'if __import__("os").environ.get("USER") == "somebody":',
        '    __import__("subprocess").run(["/bin/sleep", "293"])',
        manifest=('"passwords"]', '"passwords", "subprocess"]'),
    )
    with importable(tmp_path), Subject("mine", catalogue=catalogue_of(tmp_path), import_paths=(tmp_path,)) as subject:
        request = ConvertRequest(media_type=VECTOR.media_type)
        made = subject.call_elsewhere("convert", {"request": request}, vector=VECTOR, seconds=1.0)
    assert isinstance(made.error, ConversionTimeout)
    assert not [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == ["/bin/sleep", "293"]]
