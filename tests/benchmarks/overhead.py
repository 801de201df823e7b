"""What confinement, routing, hashing, anchors and reports cost: `octavo.convert` beside bare pypdfium2, in one run.

Both sides use the same number of processes, one: the bare loop in a child of its own, Octavo's converters in one
worker. The sandbox is on in every figure of Octavo's; recognition is not, for pypdfium2 reads no pictures, but the
search for pages that need it is. CPU seconds of host and worker together stand beside wall time. Usage: python -m tests.benchmarks.overhead [--rounds N]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import octavo
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrSettings
from octavo.settings.settings import Settings

from .corpus import documents

TEXT_KINDS = {"pdf-text-native", "pdf-typeset", "pdf-table-heavy", "pdf-table", "qa-pdf", "pdf-multi-column"}
BATCH_TARGET = 1.3
WARM_TARGET_MS = 60
FIRST_TARGET_MS = 250

BARE = """
import json, sys, time, resource
import pypdfium2
paths = json.load(sys.stdin)
times = []
for path in paths:
    begun = time.perf_counter()
    with open(path, "rb") as stream:
        data = stream.read()
    document = pypdfium2.PdfDocument(data)
    for page in document:
        textpage = page.get_textpage()
        textpage.get_text_range()
        textpage.close()
        page.close()
    document.close()
    times.append(time.perf_counter() - begun)
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"times": times, "cpu": usage.ru_utime + usage.ru_stime}))
"""


def bare(paths: list[Path]) -> dict[str, object]:
    """Seconds a document and CPU seconds of the bare loop, in a process of its own that has read one file before."""
    given = [str(paths[0]), *map(str, paths)]
    done = subprocess.run(
        [sys.executable, "-c", BARE], input=json.dumps(given), capture_output=True, text=True, check=True
    )
    measured = json.loads(done.stdout)
    return {"times": measured["times"][1:], "cpu": measured["cpu"]}


def octavos(paths: list[Path]) -> dict[str, object]:
    """Seconds a document, and CPU seconds of host and worker, with one worker that has read one file before."""
    with Runtime(Settings(workers=1, profile="fast", ocr=OcrSettings(automatic=False))) as runtime:
        octavo.convert(paths[0], runtime=runtime)
        before = _cpu(runtime)
        times = []
        for path in paths:
            begun = time.perf_counter()
            octavo.convert(path, runtime=runtime)
            times.append(time.perf_counter() - begun)
        return {"times": times, "cpu": _cpu(runtime) - before}


def first_call(path: Path) -> float:
    """Seconds of the first call of a fresh process, interpreter start and imports left out."""
    code = (
        "import sys, time; begun = time.perf_counter(); import octavo; octavo.convert(sys.argv[1]); "
        "print(time.perf_counter() - begun)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    paths = documents(kinds=TEXT_KINDS)
    if not paths:
        raise SystemExit("no corpus: set OCTAVO_CORPUS")
    ours, theirs = [], []
    for _ in range(options.rounds):
        theirs.append(bare(paths))
        ours.append(octavos(paths))
    our_times = [min(times) for times in zip(*(run["times"] for run in ours), strict=True)]
    bare_times = [min(times) for times in zip(*(run["times"] for run in theirs), strict=True)]
    added = sorted((a - b) * 1000 for a, b in zip(our_times, bare_times, strict=True))
    first = min(first_call(_smallest(paths)) for _ in range(options.rounds))
    figures = {
        "documents": len(paths),
        "bare_wall_s": sum(bare_times),
        "octavo_wall_s": sum(our_times),
        "wall_ratio": sum(our_times) / sum(bare_times),
        "bare_cpu_s": min(run["cpu"] for run in theirs),
        "octavo_cpu_s": min(run["cpu"] for run in ours),
        "added_ms_median": statistics.median(added),
        "added_ms_p95": added[int(len(added) * 0.95)],
        "first_call_ms": first * 1000,
    }
    if options.json:
        print(json.dumps(figures, indent=1))
        return
    print(f"{len(paths)} text PDFs, best of {options.rounds} rounds, one process a side, sandbox on")
    print(
        f"  wall time   bare {figures['bare_wall_s']:6.2f} s   octavo {figures['octavo_wall_s']:6.2f} s   ratio {figures['wall_ratio']:.2f}   (target {BATCH_TARGET})"
    )
    print(
        f"  CPU time    bare {figures['bare_cpu_s']:6.2f} s   octavo {figures['octavo_cpu_s']:6.2f} s   ratio {figures['octavo_cpu_s'] / figures['bare_cpu_s']:.2f}"
    )
    print(
        f"  added a file, warm worker   median {figures['added_ms_median']:.1f} ms   p95 {figures['added_ms_p95']:.1f} ms   (target {WARM_TARGET_MS} ms)"
    )
    print(f"  first call of a process     {figures['first_call_ms']:.0f} ms   (target {FIRST_TARGET_MS} ms)")


def _cpu(runtime: Runtime) -> float:
    import psutil

    own = resource.getrusage(resource.RUSAGE_SELF)
    workers = (child.cpu_times() for child in psutil.Process(os.getpid()).children(recursive=True))
    return own.ru_utime + own.ru_stime + sum(times.user + times.system for times in workers)


def _smallest(paths: list[Path]) -> Path:
    return min(paths, key=lambda path: path.stat().st_size)


if __name__ == "__main__":
    main()
