"""Pages a second and peak memory on the same PDFs in one run: Octavo's profiles beside bare libraries.

Each side has one process that converts (Octavo: one worker) and has read one file before. Octavo's side has what a
user gets: the sandbox, hashes, anchors, scores, and the search for pages that need recognition. Memory is that of the
process, Octavo's of host and worker together. Usage: python -m tests.benchmarks.rate [--rounds 2] [--json]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pypdfium2

from .accuracy import peers
from .corpus import documents
from .overhead import TEXT_KINDS

PROFILES = ("fast", "measured")
PEERS = ("bare-pypdfium2", "bare-xberg", "bare-markitdown")
NEXT = "bare-xberg"
"""The peer that `fast` is compared with."""
TARGET = 2.0

_TIMED = """
import json, resource, sys, time
answer = sys.stdout
sys.stdout = sys.stderr
{setup}
paths = json.load(sys.stdin)
read(paths[0])
times, failed = [], []
for path in paths:
    begun = time.perf_counter()
    try:
        read(path)
    except Exception as error:
        failed.append(path)
    times.append(time.perf_counter() - begun)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 + worker_mb
print(json.dumps({{"times": times, "failed": failed, "mb": peak}}), file=answer)
"""
_OCTAVO = """
import octavo
from octavo.runtime import Runtime
from octavo.settings import Settings
worker_mb = 0.0
runtime = Runtime(Settings(workers=1, profile={profile!r}))
def read(path):
    global worker_mb
    result = octavo.convert(path, runtime=runtime)
    assert result.conversion_artifact_ref is not None, result.failure_receipts
    worker_mb = max(worker_mb, *(attempt.peak_rss_mb or 0.0 for attempt in result.attempts))
"""


def measure(setup: str, paths: Sequence[Path]) -> dict[str, Any]:
    """`times`, seconds of each document; `failed`, those that raised; `mb`, the peak of memory in MiB.

    Args:
        setup: a program that defines `read(path)` and `worker_mb`.
        paths: what to read.
    """
    given = json.dumps([str(path) for path in paths])
    done = subprocess.run(
        [sys.executable, "-c", _TIMED.format(setup=setup)], input=given, capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def sides() -> dict[str, str]:
    """Name → program."""
    ours = {profile: _OCTAVO.format(profile=profile) for profile in PROFILES}
    there = set(peers.available())
    return ours | {name: "worker_mb = 0.0\n" + peers.PEERS[name][2] for name in PEERS if name in there}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=2, help="times each side reads all; the best of each document counts"
    )
    parser.add_argument("--sides", help="with commas, such as fast,bare-xberg; by default all")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    paths = documents(kinds=TEXT_KINDS)
    if not paths:
        raise SystemExit("no corpus: set OCTAVO_CORPUS")
    pages = sum(_pages(path) for path in paths)
    chosen = {name: setup for name, setup in sides().items() if not options.sides or name in options.sides.split(",")}
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in chosen}
    for _ in range(options.rounds):
        for name, setup in chosen.items():
            runs[name].append(measure(setup, paths))
    figures = {
        name: {
            "seconds": (seconds := sum(map(min, zip(*(run["times"] for run in found), strict=True)))),
            "pages_per_second": pages / seconds,
            "peak_mib": max(run["mb"] for run in found),
            "failed": len(found[-1]["failed"]),
        }
        for name, found in runs.items()
    }
    if options.json:
        print(json.dumps({"documents": len(paths), "pages": pages, "sides": figures}, indent=1))
        return
    print(f"{len(paths)} text PDFs, {pages} pages, best of {options.rounds} rounds\n")
    print("| | seconds | pages a second | peak MiB | failed |\n| --- | --- | --- | --- | --- |")
    for name, row in figures.items():
        rate = f"{row['seconds']:.1f} | {row['pages_per_second']:.0f}"
        print(f"| {name} | {rate} | {row['peak_mib']:.0f} | {row['failed']} |")
    if {"fast", NEXT} <= figures.keys():
        ratio = figures["fast"]["pages_per_second"] / figures[NEXT]["pages_per_second"]
        print(f"\nfast reads {ratio:.2f} times as many pages a second as {NEXT} (target {TARGET})")


def _pages(path: Path) -> int:
    with pypdfium2.PdfDocument(path) as pdf:
        return len(pdf)


if __name__ == "__main__":
    main()
