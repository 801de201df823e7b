"""Kill -9 at random instants of a research run, then resume it: what that costs (RES-2).

Each run is executed by a process of its own, which is killed at a random instant, and then resumed to its end. Printed are the runs that did
not complete, the steps that were executed again although they were committed, and the reports that differ from that of an unkilled
run. Usage: python tests/benchmarks/research/faults.py [--kills 20] [--seed N] [--json]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from octavo import Settings
from octavo_library import Library
from octavo_research import Research

SAMPLES = Path(__file__).parents[3] / "docs" / "samples"
NAMES = ("field-notes.md", "harbour-seals.html", "visitors-book.txt", "annual-report.pdf")
QUESTION = "How many harbour seals were counted, and how was the water level measured in November?"
READY = b"ready\n"
PROGRESS = 10
"""Kills after which the findings so far are written to standard error."""


@dataclass
class Findings:
    """What kills cost: every number but `kills` has to be 0."""

    kills: int = 0
    lost: int = 0
    duplicated_calls: int = 0
    different_reports: int = 0
    steps_at_kill: int = 0


def main() -> int:
    """Kill and resume."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--victim", nargs=2, metavar=("LIBRARY", "ID"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.victim:
        return victim(Path(asked.victim[0]), asked.victim[1])
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder) / "library", kills=asked.kills, chance=random.Random(asked.seed))
    sys.stdout.write(json.dumps(asdict(found)) + "\n" if asked.json else f"{found}\n")
    return int(bool(found.lost or found.duplicated_calls or found.different_reports))


def victim(folder: Path, research_id: str) -> int:
    """Execute a run; the other process kills this one."""
    with Library.open(folder, create=False, settings=Settings(workers=1)) as library:
        research = Research(library)
        sys.stdout.buffer.write(READY)
        sys.stdout.buffer.flush()
        research.run(research_id)
    return 0


def measure(folder: Path, *, kills: int, chance: random.Random) -> Findings:
    """Kill and resume this often."""
    found = Findings()
    with Library.open(folder, settings=Settings(workers=1, sampling=False)) as library:
        for name in NAMES:
            library.ingest(SAMPLES / name)
        started = time.monotonic()
        expected = _report(library, _run(library, []))
        seconds = 1.5 * (time.monotonic() - started)
        while found.kills < kills:
            _kill_and_resume(library, folder, chance.uniform(0, seconds), expected, found)
            if found.kills % PROGRESS == 0:
                sys.stderr.write(json.dumps(asdict(found)) + "\n")
    return found


def _kill_and_resume(library: Library, folder: Path, after: float, expected: dict[str, Any], found: Findings) -> None:
    research_id = Research(library).start(QUESTION).research_id
    arguments = [sys.executable, __file__, "--victim", str(folder), research_id]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == READY
        time.sleep(after)
        process.kill()
    done = {step.name for step in Research(library).steps(research_id)}
    executed: list[str] = []
    _run(library, executed, research_id)
    found.kills += 1
    found.steps_at_kill += len(done)
    found.lost += Research(library).get(research_id).status != "completed"
    found.duplicated_calls += len(done.intersection(executed)) + len(executed) - len(set(executed))
    found.different_reports += _report(library, research_id) != expected


def _run(library: Library, executed: list[str], research_id: str | None = None) -> str:
    def note(event: str, name: str) -> None:
        if event == "start":
            executed.append(name)

    research = Research(library, observer=note)
    return research.run(research_id or research.start(QUESTION).research_id).research_id


def _report(library: Library, research_id: str) -> dict[str, Any]:
    return {**Research(library).report(research_id).to_dict(), "research_id": None}


if __name__ == "__main__":
    raise SystemExit(main())
