"""What supervisors cost beside bare Ray tasks: seconds for the same conversions on one machine.

The tasks convert with `octavo.convert`, one document a task, in as many Ray workers as documents are converted in parallel, and
give the texts back through Ray's object store; nothing is stored. The executor `ray` stores versions, chunks, logs and the
index, as an ingestion on one machine does, which is measured too.

Usage: python tests/benchmarks/scale/ray_tasks.py [--documents 40] [--slots 1] [--json]

JSON:
    - `documents`, `slots`: as given.
    - `tasks`, `executor`, `local`: for each, `start`, seconds until the first result with the start of Ray, and `rest`, from
      the first to the last one.
    - `ratio`: `rest` of the executor divided by that of the tasks: durable, supervised documents beside bare conversions.
    - `coordination`: `rest` of the executor divided by that of the ingestion on one machine without Ray.
    - `different`: documents whose canonical text is not the same in all three.
    - `load`: load average of this machine over one minute, before and after.

The exit code is 1 if a document is different.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # run as a script: what the benchmarks share lies beside it

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
    return octavo.convert(path, runtime=runtime).text

names = sorted(os.listdir(sys.argv[1]))
waiting = {convert.remote(os.path.join(sys.argv[1], name)): name for name in names}
while waiting:
    (done,), _ = ray.wait(list(waiting), num_returns=1)
    name = waiting.pop(done)
    print(time.perf_counter() - began, hash_of(ray.get(done)), flush=True)
"""
HASH = "import hashlib\ndef hash_of(text): return hashlib.sha256(text.encode()).hexdigest()\n"
INGEST = "import sys; from octavo_cli import main; sys.exit(main())"

Results = tuple[dict[str, float], list[str]]
"""Seconds, and the hashes of the canonical texts in order."""


def measured(times: list[float]) -> dict[str, float]:
    """Seconds until the first result, and from there to the last."""
    return {"start": round(times[0], 2), "rest": round(times[-1] - times[0], 2)}


def run_tasks(papers: Path, slots: int) -> Results:
    """Convert by bare Ray tasks."""
    command = [sys.executable, "-c", HASH + TASKS, str(papers), str(slots)]
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    rows = [line.split() for line in ended.stdout.splitlines()]
    return measured([float(seconds) for seconds, _ in rows]), sorted(text for _, text in rows)


def run_ingest(papers: Path, library: Path, slots: int, *more: str) -> Results:
    """Ingest by the command line."""
    command = [sys.executable, "-c", INGEST, "ingest", str(papers), "--library", str(library), "--jsonl"]
    began = time.perf_counter()
    times, texts = [], []
    with subprocess.Popen([*command, "--workers", str(slots), *more], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None  # a pipe
        for line in process.stdout:
            times.append(time.perf_counter() - began)
            texts.append(str(json.loads(line)["result"]["content_hashes"]["normalized_text_hash"]))
    if process.returncode:
        raise SystemExit("the ingestion failed")
    return measured(times), sorted(texts)


def measure(work: Path, *, documents: int, slots: int) -> dict[str, object]:
    """Convert the same documents in the three ways, and compare."""
    papers = work / "papers"
    write_documents(papers, documents)
    load = [os.getloadavg()[0]]
    tasks, expected = run_tasks(papers, slots)
    executor, by_executor = run_ingest(papers, work / "ray", slots, "--executor", "ray", "--ray-address", "local")
    local, by_local = run_ingest(papers, work / "local", slots)
    load.append(os.getloadavg()[0])
    return {
        "documents": documents,
        "slots": slots,
        "tasks": tasks,
        "executor": executor,
        "local": local,
        "ratio": round(executor["rest"] / max(tasks["rest"], 0.01), 3),
        "coordination": round(executor["rest"] / max(local["rest"], 0.01), 3),
        "different": documents - len(set(expected) & set(by_executor) & set(by_local)),
        "load": [round(one, 1) for one in load],
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Supervisors beside bare Ray tasks.")
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--slots", type=int, default=1)
    parser.add_argument("--json", action="store_true", dest="as_json")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="octavo-ray-", dir="/tmp"))
    try:
        figures = measure(work, documents=options.documents, slots=options.slots)
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
