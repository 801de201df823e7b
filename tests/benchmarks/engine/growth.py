"""What the engine costs beside its bare parts, and whether a document costs more in a large library than in a small one.

The parts, each measured on the very documents of the engine's run, block by block, so that a busy machine slows both:
the conversions without a library; the same artifact bytes, written by the same protocol (temporary name, flush, one
step that makes them visible, flush of the folder) at the same concurrency; the same rows, inserted by the sqlite3
module in transactions of 100 documents. Usage: python tests/benchmarks/engine/growth.py [--documents 5000] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

import psutil
from octavo import convert
from octavo.runtime import Runtime
from octavo.settings.engine import CareSettings, EngineSettings
from octavo.settings.settings import Settings
from octavo_library import Library

BLOCK = 1250
GROUP = 100
WORKERS = 2
THREADS = 2 * WORKERS
TARGET = 1.3
GROWTH_TARGET = 1.1
COMPARED = 5000
"""Documents that are compared with the bare parts; beyond them only the engine's own cost is measured."""
UNHELD = CareSettings(load_stop=1e6, load_go=1e5, memory_stop=101.0, memory_go=100.0)
"""A machine that is busy with something else makes the engine hold back, and would not make its bare parts."""
WORDS = ["tide", "harbour", "seal", "storm", "pebble", "gull", "rope", "anchor", "lantern", "fog", "mast", "keel"]


@dataclass
class Cost:
    """Seconds: by the clock, and of processor time of this process and of its workers."""

    wall: float = 0.0
    cpu: float = 0.0

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Add what the block takes."""
        wall, cpu = time.perf_counter(), _cpu()
        try:
            yield
        finally:
            self.wall += time.perf_counter() - wall
            self.cpu += _cpu() - cpu


def _cpu() -> float:
    used = time.process_time()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    used += children.ru_utime + children.ru_stime
    for child in psutil.Process().children(recursive=True):
        try:
            times = child.cpu_times()
        except psutil.Error:
            continue
        used += times.user + times.system
    return used


def make_documents(folder: Path, *, first: int, number: int) -> list[Path]:
    """Texts of 1,024 bytes, no two alike."""
    chance = random.Random(first)
    paths = []
    for serial in range(first, first + number):
        text = f"Note {serial}\n\n"
        while len(text) < 1024:
            text += " ".join(chance.choices(WORDS, k=12)) + ".\n"
        path = folder / f"{serial:06}.txt"
        path.write_text(text[:1024])
        paths.append(path)
    return paths


def convert_bare(runtime: Runtime, documents: list[Path]) -> None:
    """The conversions, and nothing kept."""
    with ThreadPoolExecutor(THREADS) as pool:
        for result in pool.map(lambda path: convert(path, runtime=runtime).result, documents):
            assert result.ingestion_status == "complete"


@dataclass(frozen=True)
class Artifacts:
    """The files of one document: the version's, the chunk set's, the log's; and where they go."""

    version: str
    files: dict[str, bytes]
    chunks: dict[str, bytes]
    log: tuple[str, bytes]


def read_artifacts(library: Path, hashes: list[str]) -> list[Artifacts]:
    """What the engine wrote for these documents."""
    found = []
    for raw_hash in hashes:
        folder = library / "by_hash" / raw_hash
        version = folder / "conversions" / "v1"
        log = folder / "processing_log.json"
        found.append(
            Artifacts(
                version=str(version.relative_to(library)),
                files={path.name: path.read_bytes() for path in version.iterdir() if path.is_file()},
                chunks={
                    str(path.relative_to(library)): path.read_bytes() for path in version.glob("chunks/*/manifest.json")
                },
                log=(str(log.relative_to(library)), log.read_bytes()),
            )
        )
    return found


def write_artifacts(root: Path, documents: list[Artifacts]) -> None:
    """The same bytes by the same protocol at the same concurrency."""
    (root / "tmp").mkdir(exist_ok=True)
    serial = count()
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in pool.map(lambda one: _write_document(root, one, serial), documents):
            pass


def _write_document(root: Path, one: Artifacts, serial: Iterator[int]) -> None:
    staged = f"{root}/tmp/{os.getpid()}-{next(serial)}"
    os.mkdir(staged, 0o700)
    for name, data in one.files.items():
        _write(f"{staged}/{name}", data)
    _sync(staged)
    target = f"{root}/{one.version}"
    _make_folder(os.path.dirname(target))
    os.rename(staged, target)
    _sync(os.path.dirname(target))
    for relative, data in one.chunks.items():
        target = f"{root}/{relative}"
        _write(staged, data)
        _make_folder(os.path.dirname(target))
        os.link(staged, target)
        os.unlink(staged)
        _sync(os.path.dirname(target))
    relative, data = one.log
    target = f"{root}/{relative}"
    _write(staged, data)
    os.replace(staged, target)
    _sync(os.path.dirname(target))


def _write(path: str, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(descriptor, data)
    os.fsync(descriptor)
    os.close(descriptor)


def _sync(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(descriptor)
    os.close(descriptor)


def _make_folder(path: str) -> None:
    if os.path.isdir(path):
        return
    _make_folder(os.path.dirname(path))
    with suppress(FileExistsError):  # another thread made it meanwhile
        os.mkdir(path, 0o700)
    _sync(os.path.dirname(path))


Rows = dict[str, list[tuple[object, ...]]]


class RawIndex:
    """The engine's rows in a database of the same tables and settings, inserted by sqlite3 and nothing else."""

    def __init__(self, index: Path, copy: Path) -> None:
        self._read = sqlite3.connect(f"file:{index}?mode=ro", uri=True)
        self._write = sqlite3.connect(copy, isolation_level=None)
        # Foreign keys are not checked here, though the engine's are: groups are cut by number, not by document.
        for pragma in ("journal_mode = WAL", "synchronous = FULL"):
            self._write.execute(f"PRAGMA {pragma}")
        made = self._read.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, rowid")
        for name, sql in made.fetchall():
            if not name.startswith("sqlite_"):
                self._write.execute(sql)
        self._seen: dict[str, int] = {}

    def new_rows(self) -> Rows:
        """The rows that came since the last call, by table, in the order in which keys allow them."""
        names = ("documents", "jobs", "transitions", "conversions", "activations", "content_hashes")
        names += ("document_original_paths", "document_corpus_memberships", "document_source_instances")
        rows: Rows = {}
        for name in (*names, "ingest_events"):
            last = self._seen.get(name, 0)
            found = self._read.execute(f"SELECT rowid, * FROM {name} WHERE rowid > ? ORDER BY rowid", (last,))
            fetched = found.fetchall()
            self._seen[name] = fetched[-1][0] if fetched else last
            rows[name] = [row[1:] for row in fetched]
        return rows

    def insert(self, rows: Rows, *, documents: int) -> None:
        """All of them, in as many transactions as the engine's policy makes of so many documents."""
        groups = max(1, documents // GROUP)
        todo = {name: iter(found) for name, found in rows.items()}
        for _ in range(groups):
            self._write.execute("BEGIN IMMEDIATE")
            for name, found in rows.items():
                part = list(islice(todo[name], -(-len(found) // groups)))
                if part:
                    marks = ", ".join("?" * len(part[0]))
                    self._write.executemany(f"INSERT INTO {name} VALUES ({marks})", part)
            self._write.execute("COMMIT")

    def close(self) -> None:
        """Close both."""
        self._read.close()
        self._write.close()


def rss_mb() -> float:
    """Resident size of this process, without its workers."""
    return psutil.Process().memory_info().rss / 1e6


def measure(folder: Path, documents: int, *, say: Callable[[str], None]) -> dict[str, object]:
    """Grow one library block by block, and measure the parts beside the first blocks."""
    sources = folder / "documents"
    bare = folder / "bare"
    sources.mkdir()
    bare.mkdir()
    costs = {name: Cost() for name in ("engine", "conversions", "artifacts", "rows")}
    sizes: list[dict[str, float]] = []
    compared = 0
    with (
        Runtime(Settings(workers=WORKERS, engine=EngineSettings(care=UNHELD))) as runtime,
        Library.open(folder / "library", runtime=runtime) as library,
    ):
        warm = make_documents(sources, first=900_000, number=20)
        for _ in library.ingest_many(warm):
            pass
        convert_bare(runtime, warm)
        with closing(RawIndex(folder / "library" / "index.sqlite", folder / "raw.sqlite")) as raw:
            raw.insert(raw.new_rows(), documents=len(warm))
            done = 0
            while done < documents:
                number = min(BLOCK, documents - done)
                paths = make_documents(sources, first=done, number=number)
                before = Cost(costs["engine"].wall, costs["engine"].cpu)
                with costs["engine"].measured():
                    hashes = [item.result.content_hashes.raw_file_hash for item in library.ingest_many(paths)]
                done += number
                sizes.append(
                    {
                        "documents": done,
                        "number": number,
                        "ms": (costs["engine"].wall - before.wall) / number * 1000,
                        "cpu_ms": (costs["engine"].cpu - before.cpu) / number * 1000,
                        "rss_mb": rss_mb(),
                    }
                )
                say(" ".join(f"{key} {value:.1f}" for key, value in sizes[-1].items()))
                if done <= COMPARED:
                    compared = done
                    rows = raw.new_rows()
                    written = read_artifacts(folder / "library", [name for name in hashes if name is not None])
                    with costs["conversions"].measured():
                        convert_bare(runtime, paths)
                    with costs["artifacts"].measured():
                        write_artifacts(bare, written)
                    with costs["rows"].measured():
                        raw.insert(rows, documents=number)
                    shutil.rmtree(bare / "by_hash")
                for path in paths:
                    path.unlink()
    return _report(costs, sizes, compared=compared)


def _report(costs: dict[str, Cost], sizes: list[dict[str, float]], *, compared: int) -> dict[str, object]:
    parts = [costs[name] for name in ("conversions", "artifacts", "rows")]
    engine_wall = sum(size["ms"] * size["number"] for size in sizes if size["documents"] <= compared) / 1000
    engine_cpu = sum(size["cpu_ms"] * size["number"] for size in sizes if size["documents"] <= compared) / 1000
    return {
        "compared": compared,
        "engine_s": engine_wall,
        "engine_cpu_s": engine_cpu,
        "parts_s": {name: cost.wall for name, cost in costs.items() if name != "engine"},
        "parts_cpu_s": {name: cost.cpu for name, cost in costs.items() if name != "engine"},
        "ratio": engine_wall / sum(part.wall for part in parts),
        "cpu_ratio": engine_cpu / sum(part.cpu for part in parts),
        "target": TARGET,
        "sizes": sizes,
        "growth": sizes[-1]["ms"] / sizes[0]["ms"],
        "cpu_growth": sizes[-1]["cpu_ms"] / sizes[0]["cpu_ms"],
        "growth_target": GROWTH_TARGET,
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=COMPARED)
    parser.add_argument("--folder", type=Path, help="where the libraries are made; by default for temporary files")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    say: Callable[[str], None] = (lambda _: None) if options.json else print
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = measure(Path(folder), options.documents, say=say)
    if options.json:
        print(json.dumps(found, indent=1))
        return
    parts = found["parts_s"]
    assert isinstance(parts, dict)
    print(f"\n{found['compared']} documents of 1 KB, {WORKERS} workers")
    print(f"  engine              {found['engine_s']:8.2f} s")
    for name, seconds in parts.items():
        print(f"  {name:18}  {seconds:8.2f} s")
    print(f"  engine / parts      {found['ratio']:8.2f}   target {TARGET}; by processor time {found['cpu_ratio']:.2f}")
    print(
        f"  last block / first  {found['growth']:8.2f}   target {GROWTH_TARGET}; "
        f"by processor time {found['cpu_growth']:.2f}"
    )


if __name__ == "__main__":
    main()
