"""What supervisors cost beside bare Ray tasks: seconds for the same conversions on one machine.

The tasks convert with `octavo.convert`, one document a task, in as many Ray workers as documents are converted in parallel, and
give the texts back through Ray's object store; nothing is stored. The executor `ray` stores versions, chunks, logs and the
index, as an ingestion on one machine does, which is measured too.

The documents are made: web pages of a few paragraphs and a table, which are quick to convert, so that what a document costs
besides its conversion weighs most. With `--corpus` they are drawn evenly from a folder of ordinary documents (Word, PDF, EPUB,
web pages, spreadsheets, slides and text). Those that `octavo.convert` refuses or finds empty are left out of all three: to an
ingestion they are failures. So are those with attachments, which an ingestion converts as documents of their own.

Usage: python tests/benchmarks/scale/ray_tasks.py [--corpus FOLDER] [--documents 40] [--slots 1] [--rounds 1] [--json]

JSON:
    - `documents`, `slots`, `rounds`: as given. The three ways take turns; seconds are the sums of all rounds.
    - `tasks`, `executor`, `local`: for each, `start`, seconds until the first result with the start of Ray, and `rest`, from
      the first to the last one.
    - `ratio`: `rest` of the executor divided by that of the tasks: durable, supervised documents beside bare conversions.
    - `coordination`: `rest` of the executor divided by that of the ingestion on one machine without Ray.
    - `different`: documents whose canonical text is not the same in all three; their names are printed to standard error.
    - `load`: load average of this machine over one minute, before and after.

The exit code is 1 if a document is different.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # run as a script: what the benchmarks share lies beside it

from octavo_contracts import ExitCode
from octavo_library import Library
from run import write_documents

TASKS = """
import os, sys, time
began = time.perf_counter()
import ray
ray.init(address="local", num_cpus=int(sys.argv[2]), include_dashboard=False, object_store_memory=80 << 20, log_to_driver=False,
         logging_level="ERROR", _node_ip_address="127.0.0.2")

@ray.remote(num_cpus=1)
def convert(path):
    import octavo
    global runtime
    if "runtime" not in globals():
        runtime = octavo.Runtime(octavo.Settings(workers=1))
    try:
        return octavo.convert(path, runtime=runtime).text or None
    except octavo.OctavoError:
        return None

names = sorted(os.listdir(sys.argv[1]))
waiting = {convert.remote(os.path.join(sys.argv[1], name)): name for name in names}
while waiting:
    (done,), _ = ray.wait(list(waiting), num_returns=1)
    name = waiting.pop(done)
    print(time.perf_counter() - began, hash_of(ray.get(done)), name, flush=True)
"""
HASH = (
    "import hashlib\ndef hash_of(text): return hashlib.sha256(text.encode()).hexdigest() if text is not None else '-'\n"
)
KINDS = (".docx", ".epub", ".htm", ".html", ".md", ".odt", ".pdf", ".pptx", ".txt", ".xlsx")
INGEST = "import sys; from octavo_cli import main; sys.exit(main())"

Results = tuple[dict[str, float], dict[str, str]]
"""Seconds, and name of a document → hash of its canonical text."""


def draw_documents(corpus: Path, folder: Path, count: int) -> None:
    """Copy documents of a corpus, evenly by path, each with a name of its own."""
    found = sorted(one for one in corpus.rglob("*") if one.suffix.lower() in KINDS and ".gt." not in one.name)
    folder.mkdir()
    seen = set()
    for number in range(count):
        path = found[number * len(found) // count]
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest not in seen:
            seen.add(digest)
            shutil.copy(path, folder / f"{number:04}{path.suffix.lower()}")


def measured(times: list[float]) -> dict[str, float]:
    """Seconds until the first result, and from there to the last."""
    return {"start": round(times[0], 2), "rest": round(times[-1] - times[0], 2)}


def run_tasks(papers: Path, slots: int) -> Results:
    """Convert by bare Ray tasks."""
    command = [sys.executable, "-c", HASH + TASKS, str(papers), str(slots)]
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    rows = [line.split() for line in ended.stdout.splitlines()]
    for _, text, name in rows:
        if text == "-":
            (papers / name).unlink()
    return measured([float(seconds) for seconds, _, _ in rows]), {name: text for _, text, name in rows if text != "-"}


def run_ingest(papers: Path, library: Path, slots: int, *more: str) -> Results:
    """Ingest by the command line."""
    rows = ingested(papers, library, slots, *more)
    # From the library: a line is written when a document is complete, which may be before its second version is made.
    with Library.open(library, create=False) as opened:
        records = opened.context.index.documents.get_many([row["document_id"] for _, row in rows])
    texts = {one.document_id: str(one.normalized_text_hash) for one in records}
    names = {Path(row["source"]).name: texts[row["document_id"]] for _, row in rows}
    return measured([seconds for seconds, _ in rows]), names


def leave_out_parents(papers: Path, library: Path, slots: int) -> None:
    """Remove the documents that have attachments."""
    rows = [row for _, row in ingested(papers, library, slots)]
    parents = {row["attached_to"] for row in rows} - {None}
    for row in rows:
        if row["document_id"] in parents and row["attached_to"] is None:
            Path(row["source"]).unlink()
    shutil.rmtree(library)


def ingested(papers: Path, library: Path, slots: int, *more: str) -> list[tuple[float, dict[str, Any]]]:
    """Seconds and result of each document of an ingestion, in the order of their ends."""
    command = [sys.executable, "-c", INGEST, "ingest", str(papers), "--library", str(library), "--jsonl"]
    began = time.perf_counter()
    rows = []
    with subprocess.Popen([*command, "--workers", str(slots), *more], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None  # a pipe
        for line in process.stdout:
            rows.append((time.perf_counter() - began, json.loads(line)))
    if process.returncode not in (ExitCode.OK, ExitCode.DEGRADED, ExitCode.HARD_FAILURES):
        raise SystemExit(f"the ingestion failed with exit code {process.returncode}")
    return rows


def measure(work: Path, *, corpus: Path | None, documents: int, slots: int, rounds: int) -> dict[str, object]:
    """Convert the same documents in the three ways, and compare."""
    papers = work / "papers"
    if corpus is None:
        write_documents(papers, documents)
    else:
        draw_documents(corpus, papers, documents)
        run_tasks(papers, slots)  # leaves out what cannot be converted
        leave_out_parents(papers, work / "first", slots)
    load = [os.getloadavg()[0]]
    sums: dict[str, dict[str, float]] = {way: {"start": 0.0, "rest": 0.0} for way in ("tasks", "executor", "local")}
    different = 0
    for number in range(rounds):
        ray, local = work / f"ray-{number}", work / f"local-{number}"
        found = {
            "tasks": run_tasks(papers, slots),
            "executor": run_ingest(papers, ray, slots, "--executor", "ray", "--ray-address", "local"),
            "local": run_ingest(papers, local, slots),
        }
        for way, (seconds, _) in found.items():
            for name, value in seconds.items():
                sums[way][name] = round(sums[way][name] + value, 2)
        (_, expected), *others = found.values()
        unlike = {name for name in expected for _, texts in others if texts.get(name) != expected[name]}
        different += len(unlike)
        for name in sorted(unlike):
            print(name, {way: texts.get(name) for way, (_, texts) in found.items()}, file=sys.stderr)
        for folder in (ray, local):
            shutil.rmtree(folder, ignore_errors=True)
    load.append(os.getloadavg()[0])
    return {
        "documents": len(list(papers.iterdir())),
        "slots": slots,
        "rounds": rounds,
        **sums,
        "ratio": round(sums["executor"]["rest"] / max(sums["tasks"]["rest"], 0.01), 3),
        "coordination": round(sums["executor"]["rest"] / max(sums["local"]["rest"], 0.01), 3),
        "different": different,
        "load": [round(one, 1) for one in load],
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Supervisors beside bare Ray tasks.")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--slots", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--json", action="store_true", dest="as_json")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="octavo-ray-", dir="/tmp"))
    try:
        figures = measure(
            work, corpus=options.corpus, documents=options.documents, slots=options.slots, rounds=options.rounds
        )
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if options.as_json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name}: {value}")
    return int(bool(figures["different"]))


if __name__ == "__main__":
    raise SystemExit(main())
