"""Several nodes beside one machine: seconds for the same documents, and whether the texts are equal byte for byte.

One machine ingests into a folder with one slot. The nodes are processes with one slot and a workspace of their own each; they
share nothing but a PostgreSQL server and moto's S3 server, which both run on this machine too. Seconds include the start
of the processes, and the cluster's include the submission.

Usage: python tests/benchmarks/scale/run.py [--nodes 2] [--documents 100] [--json]

JSON:
    - `nodes`, `documents`: as given.
    - `single`, `cluster`: seconds.
    - `ratio`: `single / cluster`; more than 1 means that the nodes are faster together.
    - `lost`: documents that the cluster has no complete version of.
    - `duplicated`: versions beyond the first of a document, and jobs that are counted by more than one node.
    - `different`: documents whose canonical text or markdown differs from that of one machine.
    - `load`: load average of this machine over one minute, before and after.

The exit code is 1 if a document was lost, duplicated or different.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

from octavo.settings.object_store import ObjectStoreSettings
from octavo.settings.settings import Settings
from octavo_library import Library

POSTGRES = Path(__file__).resolve().parents[3] / ".ci" / "postgres"
HOST = "127.0.0.1"
BUCKET = "papers"
START_SECONDS = 60.0
SINGLE = """
import sys
from octavo.settings.settings import Settings
from octavo_library import Library
with Library.open(sys.argv[1], settings=Settings(workers=1)) as library:
    for _ in library.ingest_many([sys.argv[2]], workers=1):
        pass
"""
NODE = """
import sys
from octavo.settings.object_store import ObjectStoreSettings
from octavo.settings.settings import Settings
from octavo_library import Library
url, index, workspace = sys.argv[1:]
settings = Settings(workers=1, objects=ObjectStoreSettings(workspace=workspace, originals="stored"))
with Library.open(url, index=index, settings=settings) as library:
    print(library.queue.work(until_empty=True, slots=1).ended)
"""
Texts = dict[str, tuple[str, str]]
"""Title of a document → its canonical text and its markdown."""


def write_documents(folder: Path, count: int) -> None:
    """Web pages of a few paragraphs and a table, each with a title of its own."""
    folder.mkdir()
    for number in range(count):
        rows = "".join(f"<tr><td>{hour}:00</td><td>{(number * 7 + hour * 13) % 90} cm</td></tr>" for hour in range(24))
        body = "".join(
            f"<h2>Week {week}</h2><p>In week {week} gauge {number} was read at dawn and at dusk by its keeper.</p>"
            for week in range(20)
        )
        page = f"<html><head><title>Gauge {number}</title></head><body><h1>Gauge {number}</h1>{body}<table>{rows}</table></body></html>"
        (folder / f"gauge-{number:06}.html").write_text(page, encoding="utf-8")


@contextmanager
def servers(folder: Path) -> Iterator[str]:
    """A PostgreSQL server and an S3 server with one bucket; gives the URL of an empty database.

    The variables of the S3 client are set in this process.
    """
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = int(probe.getsockname()[1])
    endpoint = f"http://{HOST}:{port}"
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": endpoint,
    }
    database = folder / "postgres"
    started = subprocess.run([POSTGRES, "start", database], stdout=subprocess.PIPE, text=True, check=True)
    store = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", HOST, "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        give_up = time.monotonic() + START_SECONDS
        while True:
            try:
                urlopen(Request(f"{endpoint}/{BUCKET}", method="PUT"), timeout=5).close()
                break
            except OSError:
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.1)
        yield started.stdout.strip().splitlines()[-1].replace("+psycopg", "")
    finally:
        store.kill()
        store.wait()
        subprocess.run([POSTGRES, "stop", database], check=False)


def texts_of(library: Library) -> tuple[Texts, int]:
    """The texts of the complete documents, and the number of versions beyond the first."""
    documents = library.documents()
    texts = {str(one.title): (one.canonical_text, one.markdown) for one in documents if one.status == "complete"}
    return texts, sum(len(one.versions) - 1 for one in documents) + len(documents) - len({one.id for one in documents})


def run_nodes(url: str, index: str, work: Path, count: int) -> int:
    """Run the nodes until the queue is empty; return the sum of the documents that they ended."""
    nodes = [
        subprocess.Popen(
            [sys.executable, "-c", NODE, url, index, str(work / f"node-{number}")], stdout=subprocess.PIPE, text=True
        )
        for number in range(count)
    ]
    ended = [node.communicate()[0] for node in nodes]
    if any(node.returncode for node in nodes):
        raise SystemExit("a node failed")
    return sum(int(one.split()[-1]) for one in ended)


def measure(work: Path, *, nodes: int, documents: int) -> dict[str, object]:
    """Ingest the same documents by one machine and by the nodes, and compare."""
    papers = work / "papers"
    write_documents(papers, documents)
    load = [os.getloadavg()[0]]
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", SINGLE, str(work / "single"), str(papers)], check=True)
    single = time.perf_counter() - begun
    with Library.open(work / "single") as library:
        expected, _ = texts_of(library)
    url = f"s3://{BUCKET}/library"
    with servers(work) as index:
        settings = Settings(objects=ObjectStoreSettings(workspace=str(work / "submitter"), originals="stored"))
        begun = time.perf_counter()
        with Library.open(url, index=index, settings=settings) as library:
            library.queue.submit([papers])
            ended = run_nodes(url, index, work, nodes)
            cluster = time.perf_counter() - begun
            found, more_versions = texts_of(library)
    load.append(os.getloadavg()[0])
    return {
        "nodes": nodes,
        "documents": documents,
        "single": round(single, 2),
        "cluster": round(cluster, 2),
        "ratio": round(single / cluster, 3),
        "lost": documents - len(found),
        "duplicated": more_versions + max(0, ended - documents),
        "different": sum(found.get(title) != texts for title, texts in expected.items()) + documents - len(expected),
        "load": [round(one, 1) for one in load],
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Several nodes beside one machine.")
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--json", action="store_true", dest="as_json")
    options = parser.parse_args()
    # Below /tmp: the path of PostgreSQL's socket must be short, and the server's user must reach it.
    work = Path(tempfile.mkdtemp(prefix="octavo-scale-", dir="/tmp"))
    work.chmod(0o755)
    try:
        figures = measure(work, nodes=options.nodes, documents=options.documents)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if options.as_json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name}: {value}")
    return int(any(figures[name] for name in ("lost", "duplicated", "different")))


if __name__ == "__main__":
    raise SystemExit(main())
