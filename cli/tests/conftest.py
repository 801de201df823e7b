"""The command line as the tests call it: in this process for speed, in one of its own where the process matters."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from octavo_cli import main
from octavo_conformance.plugin_folder import plugin_folder


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    stdout: bytes
    stderr: str

    @property
    def out(self) -> str:
        """Standard output as text."""
        return self.stdout.decode()

    @property
    def json(self) -> Any:
        """Standard output as one JSON value."""
        return json.loads(self.stdout)

    @property
    def lines(self) -> list[Any]:
        """Standard output as JSON lines."""
        return [json.loads(line) for line in self.stdout.splitlines()]


Octavo = Callable[..., Ended]


@pytest.fixture
def octavo(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Octavo]:
    """Runs a command line in this process, with a folder of the test's own as the working folder."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("OCTAVO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody"))
    monkeypatch.delenv("COLUMNS", raising=False)  # readline sets it for the workers of pytest-xdist
    hook = sys.excepthook

    def run(*arguments: str | os.PathLike[str]) -> Ended:
        capfdbinary.readouterr()
        code = main([os.fspath(argument) for argument in arguments])
        sys.stdout.flush()
        captured = capfdbinary.readouterr()
        return Ended(code, captured.out, captured.err.decode())

    yield run
    sys.excepthook = hook


@pytest.fixture
def octavo_process(tmp_path: Path) -> Octavo:
    """Runs a command line in a process of its own."""

    def run(*arguments: str | os.PathLike[str], env: dict[str, str] | None = None, stdin: bytes = b"") -> Ended:
        done = subprocess.run(
            process_arguments(*arguments),
            cwd=tmp_path,
            env=process_environment(env),
            input=stdin,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr.decode())

    return run


AS_OTHERS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
"""Takes from root what lets root pass over permissions."""


@pytest.fixture
def limited(tmp_path: Path) -> Octavo:
    """Runs a command line that permissions hold for, also where the tests run as root."""
    if os.name != "posix":
        pytest.skip("permissions are POSIX only")
    is_root = os.geteuid() == 0
    if is_root and shutil.which(AS_OTHERS[0]) is None:
        pytest.skip("root may read every file, and there is no setpriv")

    def run(*arguments: str) -> Ended:
        done = subprocess.run(
            [*(AS_OTHERS if is_root else ()), *process_arguments(*arguments)],
            cwd=tmp_path,
            env=process_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr.decode())

    return run


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts a command line in a process of its own and waits until it has a worker; what is left at the end is killed."""
    started: list[subprocess.Popen[bytes]] = []

    def run(*arguments: str | os.PathLike[str]) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            process_arguments(*arguments),
            cwd=tmp_path,
            env=process_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        started.append(process)
        _wait_for_worker(process)
        return process

    yield run
    for process in started:
        with process:
            process.kill()


def _wait_for_worker(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has a worker, or has ended."""
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(psutil.NoSuchProcess):
            # The first child is what workers are forked from; it is there before the command looks for interrupts.
            if len(psutil.Process(process.pid).children(recursive=True)) > 1:
                return
        time.sleep(0.05)


def process_arguments(*arguments: str | os.PathLike[str]) -> list[str]:
    """The command of a process that runs a command line."""
    call = "import sys; from octavo_cli import main; sys.exit(main())"
    return [sys.executable, "-c", call, *map(os.fspath, arguments)]


def process_environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    """This process's environment without Octavo's variables, and `extra`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OCTAVO_")}
    return {**kept, **(extra or {})}


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """A folder `papers` with two good documents, an empty file and a broken PDF."""
    folder = tmp_path / "papers"
    (folder / "letters").mkdir(parents=True)
    (folder / "tides.md").write_text("# Tides\n\nHigh water at noon. Ebb: 潮 🌊\n", encoding="utf-8")
    (folder / "letters" / "anna.txt").write_text("Dear Anna,\n\nthe buoy is back.\n", encoding="utf-8")
    (folder / "empty.txt").touch()
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing follows")
    return folder


def make_pdf(pages: list[str]) -> bytes:
    """A PDF with one line of text on each page, written by hand."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids = []
    for text in pages:
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
        font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
        kids.append(len(objects) + 1)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 %s >> >> >>"
            % (len(objects) + 2, font)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(b"%d 0 R" % kid for kid in kids))
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """A PDF of three pages with enough text that no page looks scanned."""
    path = tmp_path / "log.pdf"
    sentence = "The observatory measured wind, waves and salinity every hour of the day and kept the log. "
    path.write_bytes(make_pdf([f"Day {number}. " + sentence * 4 for number in (1, 2, 3)]))
    return path


PLUGIN = """
from octavo_contracts import Conversion, Page, hookimpl

@hookimpl
def convert(source, request, context):
{body}
    return Conversion(pages=(Page(number=1, kind="whole", markdown="made by {name}"),), paginated=False)
"""

MANIFEST = """
[plugin]
name = "{name}"
contract = "{contract}"
description = "A plugin of the tests."
hooks = ["convert"]
media_types = {media_types}
{keys}

[plugin.engine]
licence = "Apache-2.0"
{engine}
"""


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Installs a plugin for this test; gives the folder of installed plugins."""
    with plugin_folder(tmp_path / "site") as make:

        def add(
            name: str,
            *,
            body: str = "    pass",
            contract: str = "1.0",
            keys: str = "",
            engine: str = "",
            media_types: tuple[str, ...] = ("text/plain", "text/markdown"),
            tail: str = "",
        ) -> Path:
            filled = MANIFEST.format(
                name=name, contract=contract, keys=keys, engine=engine, media_types=json.dumps(media_types)
            )
            manifest = filled + tail
            return make(name, PLUGIN.format(name=name, body=body), manifest=manifest, version="0.1").parent

        yield add


@pytest.fixture
def terminal(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Runs a command line on a pseudo-terminal; gives the exit code and everything shown."""
    pty = pytest.importorskip("pty", reason="pseudo-terminals are POSIX only")

    def run(*arguments: str | os.PathLike[str], env: dict[str, str] | None = None) -> tuple[int, str]:
        outer, inner = pty.openpty()
        settings = process_environment({"TERM": "xterm", "COLUMNS": "120", **(env or {})})
        with subprocess.Popen(
            process_arguments(*arguments), cwd=tmp_path, env=settings, stdin=inner, stdout=inner, stderr=inner
        ) as process:
            os.close(inner)
            shown = bytearray()
            with contextlib.suppress(OSError):  # EIO: the process closed its side
                while block := os.read(outer, 65536):
                    shown += block
            code = process.wait(timeout=120)
        os.close(outer)
        return code, shown.decode(errors="replace")

    return run
