"""The actor of a node and its child, without Ray: what ends with what."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
from octavo_library import Library
from octavo_ray.node_spec import NodeSpec

ACTOR = """
import sys, time
from octavo_ray.supervisor import Supervisor
supervisor = Supervisor(sys.argv[1])
while not (said := supervisor.report(1.0))["lines"]:
    assert said["exit"] is None
print(said["pid"], flush=True)
time.sleep(600)
"""
PARENT = f"""
import subprocess, sys
actor = subprocess.Popen([sys.executable, "-c", {ACTOR!r}, sys.argv[1]])
print(actor.pid, flush=True)
actor.wait()
"""
END_SECONDS = 60.0


def test_an_actor_whose_parent_dies_ends_and_so_does_its_child(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library") as library:
        spec = NodeSpec(library=str(tmp_path / "library"), settings={}, slots=1, owner=library.context.artifacts.owner)
        with subprocess.Popen(
            [sys.executable, "-c", PARENT, spec.to_json()], stdout=subprocess.PIPE, text=True
        ) as parent:
            assert parent.stdout is not None
            actor, child = (psutil.Process(int(parent.stdout.readline())) for _ in range(2))
            assert actor.is_running()
            assert child.cmdline()[-1] == "octavo_ray.node"
            parent.send_signal(signal.SIGKILL)
        until = time.monotonic() + END_SECONDS
        while (alive := [one for one in (actor, child) if lives(one)]) and time.monotonic() < until:
            time.sleep(0.1)
        for process in alive:
            process.kill()
        assert alive == []


def lives(process: psutil.Process) -> bool:
    """Whether a process runs. A zombie has ended."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
