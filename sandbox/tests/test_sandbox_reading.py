"""What a hostile plugin can read: it tries, and what it got is compared with the list in SECURITY.md."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import octavo
import pytest
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_library import Library
from octavo_sandbox import probe_level
from octavo_sandbox.readable_paths import DATA, DEVICES, LIBRARIES, MACHINE, PROGRAMS

HOSTILE = '''
import json
import os
import socket

from octavo_contracts import Conversion, Page, hookimpl


def got(path):
    """Whether a path tells anything: a folder its names, a file a byte."""
    try:
        if os.path.isdir(path):
            os.listdir(path)
        else:
            with open(path, "rb") as stream:
                stream.read(1)
        return True
    except OSError:
        return False


@hookimpl
def convert(source, request, context):
    asked = json.loads(source.read_bytes())
    found = [path for path in asked["paths"] if got(path)]
    seen = []
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
        try:
            with socket.socket(family) as one:
                one.connect(asked["socket"] if family == socket.AF_UNIX else ("localhost", 9))
            seen.append(family.name)
        except OSError as error:
            if isinstance(error, ConnectionError):
                seen.append(family.name)
    with open("/proc/self/environ", "rb") as stream:
        own = stream.read().decode("utf-8", "replace")
    text = json.dumps({"found": found, "sockets": seen, "environ": own})
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text, text=text),), paginated=False)
'''


@pytest.fixture(autouse=True)
def fenced() -> None:
    level = probe_level()
    if level.name != "landlock+seccomp":
        pytest.skip(f"the protections are not up here: {level.missing}")


def two_levels() -> Iterator[str]:
    """Every entry of the root folder, and of its folders."""
    for top in sorted(os.listdir("/")):
        yield f"/{top}"
        if top not in ("proc", "dev", "sys") and os.path.isdir(f"/{top}"):
            yield from (f"/{top}/{name}" for name in sorted(os.listdir(f"/{top}"))[:300])


@pytest.mark.parametrize("starts_programs", [False, True], ids=["reader", "starter of programs"])
def test_a_hostile_plugin_reads_what_the_security_page_lists(
    make_plugin: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, starts_programs: bool
) -> None:
    more = 'capabilities = ["subprocess"]' if starts_programs else ""
    make_plugin("hostile", HOSTILE, media_types=["application/json"], more=more)
    monkeypatch.setenv("OCTAVO_TEST_SECRET", "hunter2")
    other = tmp_path / "other.txt"
    other.write_text("another document")
    home = Path.home()
    (ssh := tmp_path / "home" / ".ssh").mkdir(parents=True)
    (ssh / "id_ed25519").write_text("a key")
    with Library.open(tmp_path / "library"):
        pass
    never = [
        "/etc/passwd", "/etc/shadow", "/etc/hosts", "/etc/group", "/etc/resolv.conf", "/etc", "/var", "/home", "/tmp", "/proc",
        "/proc/1/environ", "/proc/1/cmdline", f"/proc/{os.getpid()}/environ", f"/proc/{os.getppid()}/environ",
        f"/proc/{os.getpid()}/fd", "/run", "/dev", "/dev/shm", "/sys/fs/cgroup", str(home), str(home / ".ssh"), str(home / ".bashrc"),
        str(ssh / "id_ed25519"), str(other), str(tmp_path), str(tmp_path / "library"), str(tmp_path / "library" / "index.sqlite"),
    ]  # fmt: skip
    address = str(tmp_path / "service")
    with socket.socket(socket.AF_UNIX) as service:
        service.bind(address)
        service.listen()
        ask = json.dumps({"paths": [*never, *two_levels(), *map(str, DEVICES)], "socket": address})
        with Runtime(Settings(workers=1)) as runtime:
            text = octavo.convert(ask.encode(), name="ask.json", plugin="hostile", runtime=runtime).text
    said = json.loads(text)
    allowed = [*LIBRARIES, *DATA, *MACHINE, *map(str, DEVICES), *(PROGRAMS if starts_programs else ())]
    allowed += [sys.prefix, sys.base_prefix, *(entry for entry in sys.path if entry.startswith("/"))]
    assert [path for path in said["found"] if path in never] == []
    beyond = [path for path in said["found"] if not is_below(path, allowed)]
    assert beyond == [], beyond
    assert set(map(str, DEVICES)) <= set(said["found"])
    assert set(said["sockets"]) <= ({"AF_UNIX"} if starts_programs else set()), "see SECURITY.md on local sockets"
    assert "hunter2" not in said["environ"]


def is_below(path: str, allowed: list[str]) -> bool:
    """Whether an allowed path is that one or holds it, whatever links lead there."""
    real = Path(path).resolve()
    if real.is_relative_to(f"/proc/{os.getpid()}"):  # a link to /proc/self, which is its own folder to the worker
        return not path.startswith("/proc")
    return any(real.is_relative_to(Path(one).resolve()) for one in allowed)


def test_workers_leave_no_byte_code(tmp_path: Path) -> None:
    """A worker imports its first modules before its protections are up: beside the sources nothing is written."""
    package = Path(octavo.__file__).parent
    copy = tmp_path / "copy" / "octavo"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    program = (
        "import octavo; print(octavo.__file__); print(octavo.convert(b'text', name='a.txt').result.ingestion_status)"
    )
    environment = {**os.environ, "PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == [str(copy / "__init__.py"), "complete"]
    assert list(copy.rglob("*.pyc")) == []
