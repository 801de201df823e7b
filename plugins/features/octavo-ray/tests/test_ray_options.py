"""The options of the executor, and what happens where there is no Ray or no cluster."""

from __future__ import annotations

import socket
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from octavo_contracts import ExitCode

WITHOUT_RAY = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "ray":
            raise ModuleNotFoundError("No module named 'ray'", name="ray")
sys.meta_path.insert(0, Refuse())
from octavo_cli import main
sys.exit(main())
"""
IMPORTS = """
import sys
from octavo_cli import main
code = main()
print(sorted(name for name in sys.modules if name.partition(".")[0] in ("ray", "octavo_ray")))
sys.exit(code)
"""
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs octavo-ray[ray]: run `tox -e ray`")


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_text("# Tides\n\nHigh water at noon.\n")
    return path


def test_without_ray_the_error_names_what_installs_it(octavo: Any, note: Path, tmp_path: Path) -> None:
    ended = octavo("ingest", note, "--executor", "ray", script=WITHOUT_RAY)
    assert ended.returncode == ExitCode.TOOL_UNAVAILABLE
    assert "octavo: --executor ray needs Ray, which is not installed [tool_unavailable]" in ended.stderr
    assert "octavo-ray[ray]" in ended.stderr
    assert not (tmp_path / "octavo-library").exists(), "no library is created in vain"


def test_nothing_of_ray_is_imported_without_the_executor(octavo: Any, note: Path) -> None:
    ended = octavo("ingest", note, script=IMPORTS)
    assert ended.returncode == ExitCode.OK, ended.stderr
    assert ended.stdout.splitlines()[-1] == "[]"


def test_the_help_shows_the_options_without_importing_ray(octavo: Any) -> None:
    ended = octavo("ingest", "--help", script=WITHOUT_RAY)
    assert ended.returncode == ExitCode.OK, ended.stderr
    assert all(name in ended.stdout for name in ("--executor", "--ray-address", "--ray-nodes", "--ray-resource"))


def test_an_option_of_ray_needs_the_executor(octavo: Any, note: Path) -> None:
    ended = octavo("ingest", note, "--ray-nodes", "2")
    assert ended.returncode == ExitCode.USAGE
    assert ended.stderr.startswith("octavo: --ray-nodes needs --executor ray [usage]")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--ray-address", "ray://head:10001"), "addresses of ray client are not supported"),
        (("--ray-address", "head"), "'head' is not auto, local or host:port"),
        (("--ray-address", "head:0"), "'head:0' is not auto, local or host:port"),
        (("--ray-resource", "ocr"), "'ocr' is not name=amount with a positive amount"),
        (("--ray-resource", "ocr=-1"), "'ocr=-1' is not name=amount with a positive amount"),
        (("--ray-resource", "ocr=nan"), "'ocr=nan' is not name=amount with a positive amount"),
        (("--ray-nodes", "0"), "0 is not in the range"),
    ],
)
def test_wrong_options_are_refused(given: tuple[str, str], said: str, octavo: Any, note: Path) -> None:
    ended = octavo("ingest", note, "--executor", "ray", *given)
    assert ended.returncode == ExitCode.USAGE
    assert said in ended.stderr.lower()


@needs_ray
def test_an_address_where_nothing_answers_is_said_at_once(octavo: Any, note: Path, tmp_path: Path) -> None:
    """Ray itself would try for more than a minute, and then end the process."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.2", 0))
        address = f"127.0.0.2:{unused.getsockname()[1]}"
        began = time.monotonic()
        ended = octavo("ingest", note, "--executor", "ray", "--ray-address", address)
    assert time.monotonic() - began < 40
    assert ended.returncode == ExitCode.TOOL_UNAVAILABLE
    assert f"no Ray cluster can be used at {address}: Connection refused [tool_unavailable]" in ended.stderr
    assert "Start one with `ray start --head`, or give --ray-address local" in ended.stderr
    assert not (tmp_path / "octavo-library").exists()


@needs_ray
def test_no_running_cluster_is_said(octavo: Any, note: Path, tmp_path: Path) -> None:
    octavo.variables["RAY_TMPDIR"] = str(tmp_path)
    ended = octavo("ingest", note, "--executor", "ray")
    assert ended.returncode == ExitCode.TOOL_UNAVAILABLE
    assert "no Ray cluster can be used on this machine: " in ended.stderr


@needs_ray
def test_a_password_and_a_new_conversion_are_refused(octavo: Any, note: Path, cluster: Any) -> None:
    """Neither is stored in the queue; the error says what to do."""
    common = ("--executor", "ray", "--ray-address", cluster.address)
    ended = octavo("ingest", note, "--reingest", *common)
    assert ended.returncode == ExitCode.USAGE
    assert "known documents are not converted again through the queue" in ended.stderr
    octavo.variables["OCTAVO_PASSWORD"] = "x"
    ended = octavo("ingest", note, *common)
    assert ended.returncode == ExitCode.USAGE
    assert "a password is not stored in the queue" in ended.stderr
