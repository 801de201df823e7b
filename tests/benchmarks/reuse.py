"""What a known file costs: ingesting it again beside reading and hashing it with hashlib, in one run.

Every file is hashed again each time; there is no short cut by modification time. Results are ids; loading the full
results is a second figure. Usage: python -m tests.benchmarks.reuse [--scale 1.0]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
import time
from pathlib import Path

from octavo.settings.settings import Settings
from octavo_library import Library

SMALL = (10_000, 10_000)
LARGE = (300, 4_000_000)
SMALL_TARGET = 3.0
LARGE_TARGET = 0.80


def hash_all(paths: list[Path]) -> float:
    """Seconds to read and hash the files with hashlib."""
    begun = time.perf_counter()
    for path in paths:
        with path.open("rb") as stream:
            hashlib.file_digest(stream, "sha256").hexdigest()
    return time.perf_counter() - begun


def ingest_again(library: Library, paths: list[Path]) -> tuple[float, float]:
    """Seconds to ingest known files, as ids; and to load the results of the first thousand besides."""
    begun = time.perf_counter()
    known = list(library.ingest_many(paths))
    ids = time.perf_counter() - begun
    assert all(item.reused for item in known)
    begun = time.perf_counter()
    for item in known[:1000]:
        _ = item.result
    return ids, (time.perf_counter() - begun) / len(known[:1000])


def make_files(folder: Path, count: int, size: int) -> list[Path]:
    """Text files, each different in its first line."""
    folder.mkdir()
    body = ("The tide gauge at the old pier was read at every hour of the day. " * (size // 66 + 1))[:size]
    paths = []
    for number in range(count):
        path = folder / f"{number:05}.txt"
        path.write_text(f"Reading {number}\n\n{body}"[:size])
        paths.append(path)
    return paths


def measure(folder: Path, count: int, size: int) -> dict[str, float]:
    """Make the files, take them in once, then measure."""
    paths = make_files(folder / "files", count, size)
    with Library.open(folder / "library", settings=Settings(workers=2)) as library:
        for _ in library.ingest_many(paths):
            pass
        hashing = min(hash_all(paths) for _ in range(3))
        runs = [ingest_again(library, paths) for _ in range(3)]
    return {
        "count": count,
        "size": size,
        "hash_s": hashing,
        "ingest_s": min(run[0] for run in runs),
        "result_ms": min(run[1] for run in runs) * 1000,
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the files to use")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = {}
    for name, (count, size) in {"small": SMALL, "large": LARGE}.items():
        with tempfile.TemporaryDirectory() as folder:
            figures[name] = measure(Path(folder), max(1, int(count * options.scale)), size)
    if options.json:
        print(json.dumps(figures, indent=1))
        return
    small, large = figures["small"], figures["large"]
    print(
        f"{small['count']:.0f} known files of 10 KB: hashlib {small['hash_s']:.2f} s, ingest {small['ingest_s']:.2f} s, {small['ingest_s'] / small['hash_s']:.2f} x (target at most {SMALL_TARGET} x)"
    )
    print(
        f"{large['count']:.0f} known files of 4 MB: hashlib {large['hash_s']:.2f} s, ingest {large['ingest_s']:.2f} s, {large['hash_s'] / large['ingest_s']:.0%} of its speed (target at least {LARGE_TARGET:.0%})"
    )
    print(
        f"loading a full result: {small['result_ms']:.2f} ms for a small file, {large['result_ms']:.2f} ms for a large one"
    )


if __name__ == "__main__":
    main()
