"""Pages a second and peak memory on the same PDFs in one run: Octavo's profiles beside bare libraries.

Each side has one process that converts (Octavo: one worker) and has read one file before. Octavo's side has what a
user gets: the sandbox, hashes, anchors, scores, and the search for pages that need recognition. Memory is that of the
process, Octavo's of host and worker together. Every side reads the same documents: all, or a sample by name, for the
slow sides take nine minutes a round with the whole. How far it is, and each side's figures, are told on standard error.
Usage: python -m tests.benchmarks.rate [--sample all] [--rounds 2] [--json]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pypdfium2

from .accuracy import peers
from .corpus import documents
from .overhead import TEXT_KINDS

PROFILES = ("fast", "measured")
PEERS = ("bare-pypdfium2", "bare-kreuzberg-plain", "bare-kreuzberg", "bare-xberg", "bare-markitdown")
NEXT = ("bare-kreuzberg-plain", "bare-kreuzberg", "bare-xberg")
"""The peers that `fast` is compared with: one engine at two ages, asked for plain text and for markdown, which `fast` gives."""
TARGET = 2.0

SAMPLES: dict[str, int | None] = {"all": None, "up-to-100-pages": 100, "up-to-40-pages": 40}
"""Name → the most pages that a document of the sample has. `measured` asks a second plugin for the tables of a document of
at most 40 pages that lost any after the first one, so that the sample moves its figure."""

_TIMED = """
import json, resource, sys, time
answer = sys.stdout
sys.stdout = sys.stderr
{setup}
warm, *paths = json.load(sys.stdin)
read(warm)
for path in paths:
    begun, failed = time.perf_counter(), False
    try:
        read(path)
    except Exception as error:
        failed = True
    seconds = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 + worker_mb
    print(json.dumps({{"seconds": seconds, "failed": failed, "mb": peak}}), file=answer, flush=True)
"""
_OCTAVO = """
import octavo
from octavo.runtime import Runtime
from octavo.settings import Settings
worker_mb = 0.0
runtime = Runtime(Settings(workers=1, profile={profile!r}))
def read(path):
    global worker_mb
    result = octavo.convert(path, runtime=runtime).result
    assert result.conversion_artifact_ref is not None, result.failure_receipts
    worker_mb = max(worker_mb, *(attempt.peak_rss_mb or 0.0 for attempt in result.attempts))
"""


def measure(setup: str, paths: Sequence[Path]) -> dict[str, Any]:
    """`times`, seconds of each document; `failed`, those that raised or ended the process; `mb`, the peak of memory in MiB.

    A library that ends its process over a document is begun again with the next one, as its user would have to.

    Args:
        setup: a program that defines `read(path)` and `worker_mb`.
        paths: what to read.
    """
    rows: list[dict[str, Any]] = []
    while len(rows) < len(paths):
        begun = time.perf_counter()
        read = _read(setup, [paths[0], *paths[len(rows) :]])
        rows += read
        if len(rows) < len(paths):  # the time of the next one, and of a new process
            spent = time.perf_counter() - begun - sum(row["seconds"] for row in read)
            rows.append({"seconds": spent, "failed": True, "mb": 0.0})
    return {
        "times": [row["seconds"] for row in rows],
        "failed": [str(path) for path, row in zip(paths, rows, strict=True) if row["failed"]],
        "mb": max(row["mb"] for row in rows),
    }


def _read(setup: str, paths: Sequence[Path]) -> list[dict[str, Any]]:
    """What one process said of every path but the first one, as far as it came."""
    given = json.dumps([str(path) for path in paths])
    program = [sys.executable, "-c", _TIMED.format(setup=setup)]
    done = subprocess.run(program, input=given, capture_output=True, text=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


def sides() -> dict[str, str]:
    """Name → program."""
    ours = {profile: _OCTAVO.format(profile=profile) for profile in PROFILES}
    there = set(peers.available())
    return ours | {name: "worker_mb = 0.0\n" + peers.PEERS[name][2] for name in PEERS if name in there}


def sampled(name: str) -> dict[Path, int]:
    """The documents of a sample → their pages; empty where there is no corpus."""
    most = SAMPLES[name]
    counts = {path: _pages(path) for path in documents(kinds=TEXT_KINDS)}
    return {path: count for path, count in counts.items() if most is None or count <= most}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=2, help="times each side reads all; the best of each document counts"
    )
    parser.add_argument("--sides", help="with commas, such as fast,bare-xberg; by default all")
    parser.add_argument("--sample", choices=tuple(SAMPLES), default="all", help="which documents; by default all")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    counts = sampled(options.sample)
    if not counts:
        raise SystemExit("no corpus: set OCTAVO_CORPUS")
    pages = sum(counts.values())
    chosen = {name: setup for name, setup in sides().items() if not options.sides or name in options.sides.split(",")}
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in chosen}
    for _ in range(options.rounds):
        for name, setup in chosen.items():
            runs[name].append(measure(setup, list(counts)))
            print(f"{name}: {_figures(runs[name], pages=pages)}", file=sys.stderr, flush=True)
    figures = {name: _figures(found, pages=pages) for name, found in runs.items()}
    if options.json:
        print(
            json.dumps({"sample": options.sample, "documents": len(counts), "pages": pages, "sides": figures}, indent=1)
        )
        return
    print(f"{len(counts)} text PDFs ({options.sample}), {pages} pages, best of {options.rounds} rounds\n")
    print("| | seconds | pages a second | peak MiB | failed |\n| --- | --- | --- | --- | --- |")
    for name, row in figures.items():
        rate = f"{row['seconds']:.1f} | {row['pages_per_second']:.0f}"
        print(f"| {name} | {rate} | {row['peak_mib']:.0f} | {row['failed']} |")
    for name in NEXT:
        if {"fast", name} <= figures.keys():
            ratio = figures["fast"]["pages_per_second"] / figures[name]["pages_per_second"]
            print(f"\nfast reads {ratio:.2f} times as many pages a second as {name} (target {TARGET})")


def _figures(runs: Sequence[dict[str, Any]], *, pages: int) -> dict[str, Any]:
    """Of several rounds of one side: the best time of each document, the highest peak."""
    seconds = sum(map(min, zip(*(run["times"] for run in runs), strict=True)))
    return {
        "seconds": seconds,
        "pages_per_second": pages / seconds,
        "peak_mib": max(run["mb"] for run in runs),
        "failed": len(runs[-1]["failed"]),
    }


def _pages(path: Path) -> int:
    with pypdfium2.PdfDocument(path) as pdf:
        return len(pdf)


if __name__ == "__main__":
    main()
