"""Faults of nodes, database, object store and network while several nodes convert a queue. Counts what they cost.

Nodes share a PostgreSQL server and an S3 server (moto's), to which each has a way of its own: a proxy of the store, a relay
to the database and, for root on Linux, a network namespace. A fault is one of: a node killed (`kill`); a node suspended until
its lease has ended, which then works on (`suspend`); PostgreSQL stopped at once and started again (`database`); the store
answers 503 (`busy`), slowly (`slow`), or its answers to writes are lost (`lost_answer`); a namespace cut off (`partition`).
A reader looks at all documents meanwhile. At the end the nodes finish the queue, and the library is looked at whole.

Usage: python tests/benchmarks/scale/faults.py [--faults 50] [--nodes 2] [--seed 7] [--json]

JSON:
    - `faults`, `by_kind`, `seed`: what was done.
    - `documents`: how many were submitted.
    - `lost`: documents without a complete version, or whose job has not ended.
    - `duplicated`: versions beyond the first of a document, and second endings of a job.
    - `different`: documents whose text is not that of their source.
    - `half_visible`: documents that a reader saw as complete and could not read whole.
    - `illegal_transitions`: steps in the log of a job that the table does not allow.
    - `damaged`: files that the index names, and that are missing or altered.
    - `left`: objects that nothing names.
    - `re_executed`: jobs that were begun more than once; `re_claimed`: jobs that changed hands. Neither is an error.
    - `seconds`: of the campaign.

The exit code is 1 if any but the last three is not 0.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # run as a script: what the benchmarks share lies beside it

from faulty_network import DatabaseWay, Namespace, StoreWay, namespace
from octavo.settings.object_store import ObjectStoreSettings
from octavo.settings.settings import Settings
from octavo_contracts import TERMINAL_STATES, IllegalTransition, OctavoError, check_transition
from octavo_library import Library
from octavo_library.storage import Index, verify
from run import BUCKET, servers
from sqlalchemy import make_url

LEASE_SECONDS = 4.0
SETTLED = 300.0
"""Seconds in which the nodes have to finish the queue after the last fault."""
AHEAD = 25
"""Documents that wait in the queue while there are faults."""
BAD = ("lost", "duplicated", "different", "half_visible", "illegal_transitions", "damaged", "left")
NODE = """
import sys
from octavo.settings.object_store import ObjectStoreSettings
from octavo.settings.settings import Settings
from octavo_library import Library
from octavo_library.storage import verify
url, index, workspace, lease = sys.argv[1:]
objects = ObjectStoreSettings(workspace=workspace, originals="stored", lease_seconds=float(lease))
with Library.open(url, index=index, settings=Settings(workers=1, objects=objects)) as library:
    print("works", flush=True)
    library.queue.work(slots=1)
"""


class Node:
    """A node that is started again whenever it ends.

    Args:
        number: of the node.
        work: folder for its workspace and its messages.
        s3_port: of the S3 server.
        index: URL of the database.
        space: its network namespace, if there is one.
    """

    def __init__(self, number: int, work: Path, *, s3_port: int, index: str, space: Namespace | None) -> None:
        self.space = space
        host = space.host if space else "127.0.0.1"
        self.store = StoreWay(s3_port, host=host)
        place = make_url(index)
        assert place.port is not None  # `.ci/postgres` names it
        self.database = DatabaseWay(place.port, host=host)
        self._index = place.set(host=host, port=self.database.port).render_as_string(hide_password=False)
        self._workspace = work / f"node-{number}"
        self._log = (work / f"node-{number}.log").open("ab")
        self._process: subprocess.Popen[bytes] | None = None
        self.starts = 0

    def keep(self) -> None:
        """Start it, unless it runs."""
        if self._process is not None and self._process.poll() is None:
            return
        self.starts += 1
        command = [
            sys.executable,
            "-c",
            NODE,
            f"s3://{BUCKET}/library",
            self._index,
            str(self._workspace),
            str(LEASE_SECONDS),
        ]
        self._process = subprocess.Popen(
            [*(self.space.prefix if self.space else []), *command],
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
            env={**os.environ, "AWS_ENDPOINT_URL": self.store.endpoint},
        )

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the node, or kill it with its workers."""
        if self._process is None or self._process.poll() is not None:
            return
        if number is signal.SIGKILL:
            os.killpg(self._process.pid, number)
            self._process.wait()
        else:
            self._process.send_signal(number)

    def close(self) -> None:
        """End it."""
        self.signal(signal.SIGKILL)
        self.store.close()
        self.database.close()
        self._log.close()


class Campaign:
    """One library, its nodes, and the faults.

    Args:
        work: folder for all files.
        index: URL of the database.
        nodes: the nodes.
        chance: chooses.
    """

    def __init__(self, work: Path, *, index: str, nodes: list[Node], chance: random.Random) -> None:
        self.index = index
        self.nodes = nodes
        self.by_kind: Counter[str] = Counter()
        self.half_visible: set[str] = set()
        self.submitted: dict[str, str] = {}
        self._chance = chance
        self._papers = work / "papers"
        self._papers.mkdir()
        self._database = work / "postgres"
        self._stop = threading.Event()
        self._settings = Settings(
            objects=ObjectStoreSettings(workspace=str(work / "here"), originals="stored", lease_seconds=LEASE_SECONDS)
        )

    def open(self) -> Library:
        """Open the library here, with a way that does not fail."""
        return Library.open(f"s3://{BUCKET}/library", index=self.index, settings=self._settings)

    def run(self, faults: int) -> None:
        """Cause the faults, then let the nodes finish."""
        with self.open() as library:
            reader = threading.Thread(target=self._read, args=(library,))
            reader.start()
            try:
                self._fill(library)
                for _ in range(faults):
                    for node in self.nodes:
                        node.keep()
                    time.sleep(self._chance.uniform(0.0, 1.5))
                    self._cause()
                    self._fill(library)
                self._settle(library)
            finally:
                self._stop.set()
                reader.join()

    def _cause(self) -> None:
        kinds = ["kill", "suspend", "database", "busy", "slow", "lost_answer", "lost_answer"]
        node = self._chance.choice(self.nodes)
        kinds += ["partition"] * 2 if node.space else []
        kind = self._chance.choice(kinds)
        self.by_kind[kind] += 1
        seconds = self._chance.uniform(0.3, 3.0)
        if kind == "kill":
            node.signal(signal.SIGKILL)
        elif kind == "suspend":
            node.signal(signal.SIGSTOP)
            time.sleep(LEASE_SECONDS + seconds)  # longer than its lease: the others take its documents over
            node.signal(signal.SIGCONT)
        elif kind == "database":
            restart(self._database)
        elif kind == "busy":
            node.store.is_busy = True
            time.sleep(seconds)
            node.store.is_busy = False
        elif kind == "slow":
            node.store.delay = seconds / 3
            time.sleep(2 * seconds)
            node.store.delay = 0.0
        elif kind == "lost_answer":
            node.store.lose = self._chance.randint(1, 3)
        elif node.space is not None:
            node.space.cut()
            time.sleep(self._chance.choice([seconds, LEASE_SECONDS + seconds]))
            node.space.mend()

    def _fill(self, library: Library) -> None:
        """Keep documents in the queue."""
        with contextlib.suppress(OctavoError):  # the database is being started again
            if library.queue.counts().queued >= AHEAD:
                return
            new = []
            for number in range(len(self.submitted), len(self.submitted) + AHEAD):
                text = f"Paper {number} tells of gauge {number * 7919 % 10007} and of its keeper."
                path = self._papers / f"paper-{number:05}.md"
                path.write_text(f"# Paper {number}\n\n{text}\n")
                self.submitted[f"Paper {number}"] = text
                new.append(path)
            while True:
                try:
                    library.queue.submit(new)
                    return
                except OctavoError:
                    time.sleep(0.5)

    def _settle(self, library: Library) -> None:
        give_up = time.monotonic() + SETTLED
        while time.monotonic() < give_up:
            for node in self.nodes:
                node.keep()
            with contextlib.suppress(OctavoError):
                if not library.context.index.jobs.open_jobs():
                    time.sleep(2 * LEASE_SECONDS)  # a worker removes what it stored in vain when it looks after others
                    return
            time.sleep(0.5)

    def _read(self, library: Library) -> None:
        """Look at the newest documents again and again: what is complete can be read whole."""
        while not self._stop.wait(0.3):
            with contextlib.suppress(OctavoError):
                for document in library.documents()[-20:]:
                    if document.status == "complete" and not self._is_readable(document):
                        self.half_visible.add(str(document.title))

    def _is_readable(self, document: object) -> bool:
        try:
            return self.submitted[document.title] in document.canonical_text and bool(document.result.chunk_manifest)  # type: ignore[attr-defined]  # a `Document`
        except OctavoError as error:
            return "cannot be reached" in str(error)


def restart(folder: Path) -> None:
    """Stop a PostgreSQL server as a crash would, and start it again with the same options."""
    data = folder / "data"
    binary = (data / "postmaster.opts").read_text().split()[0]
    command = f"'{Path(binary).with_name('pg_ctl')}' -D '{data}' -l '{folder / 'log'}' -m immediate -w restart"
    run = ["su", "postgres", "-s", "/bin/sh", "-c", command] if os.getuid() == 0 else ["sh", "-c", command]
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def looked_at(campaign: Campaign) -> dict[str, int]:
    """What the library has at the end."""
    found: Counter[str] = Counter()
    with campaign.open() as library:
        index = library.context.index
        seen = set()
        for document in library.documents():
            title = str(document.title)
            found["duplicated"] += len(document.versions) - 1 + (title in seen)
            if document.status == "complete":
                seen.add(title)
                found["different"] += campaign.submitted.get(title, "?") not in document.canonical_text
            jobs = index.jobs.of_hash(document.raw_hash)
            found["duplicated"] += len(jobs) - 1
            for job in jobs:
                steps = index.jobs.transitions(job.job_id)
                found["illegal_transitions"] += sum(not is_allowed(one.before, one.after) for one in steps)
                found["duplicated"] += max(0, sum(one.after in TERMINAL_STATES for one in steps) - 1)
                found["re_executed"] += job.attempts > 1
                found["re_claimed"] += job.claims > 2
        found["lost"] = len(set(campaign.submitted) - seen) + len(index.jobs.open_jobs())
        report = verify(library.context.artifacts, index, read_contents=True)
        found["damaged"] = len(report.missing) + len(report.damaged)
        left = (*report.orphans, *report.unindexed, *report.leftovers)
        found["left"] = len(left)
        for ref in left:
            print(f"left: {ref}\n{history(index, ref)}", file=sys.stderr)
    return found


def history(index: Index, ref: str) -> str:
    """The jobs of the document of an object that nothing names, with their transitions: why it was left."""
    lines = []
    for job in index.jobs.of_hash(ref.split("/")[1]):
        lines.append(f"  job {job.job_id}: {job.claims} claims, {job.attempts} attempts")
        lines += [
            f"    {one.at} {one.before} → {one.after} {one.details.get('error', '')}"
            for one in index.jobs.transitions(job.job_id)
        ]
    return "\n".join(lines)


def is_allowed(before: object, after: object) -> bool:
    """Whether the table of states allows a step."""
    if before is None:
        return True
    try:
        check_transition(before, after)  # type: ignore[arg-type]  # states of stored transitions
    except IllegalTransition:
        return False
    return True


@contextlib.contextmanager
def started(work: Path, *, nodes: int, chance: random.Random) -> Iterator[Campaign]:
    """The servers and the nodes."""
    with ExitStack() as closing:
        index = closing.enter_context(servers(work))
        s3_port = int(os.environ["AWS_ENDPOINT_URL"].rpartition(":")[2])
        made = []
        for number in range(nodes):
            space = closing.enter_context(namespace(number))
            made.append(Node(number, work, s3_port=s3_port, index=index, space=space))
            closing.callback(made[-1].close)
        yield Campaign(work, index=index, nodes=made, chance=chance)


def main() -> int:
    """Run the campaign and print."""
    parser = argparse.ArgumentParser(description="Faults while several nodes convert.")
    parser.add_argument("--faults", type=int, default=50)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true", dest="as_json")
    parser.add_argument("--keep", action="store_true", help="keep the files")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="octavo-faults-", dir="/tmp"))
    work.chmod(0o755)  # below /tmp, with a short path: see `run.py`
    begun = time.monotonic()
    try:
        with started(work, nodes=options.nodes, chance=random.Random(options.seed)) as campaign:
            campaign.run(options.faults)
            found = looked_at(campaign)
            figures: dict[str, object] = {
                "faults": options.faults,
                "by_kind": dict(sorted(campaign.by_kind.items())),
                "seed": options.seed,
                "documents": len(campaign.submitted),
                **{name: found.get(name, 0) for name in BAD},
                "half_visible": len(campaign.half_visible),
                "re_executed": found["re_executed"],
                "re_claimed": found["re_claimed"],
                "seconds": round(time.monotonic() - begun),
            }
    finally:
        if options.keep:
            print(work, file=sys.stderr)
        else:
            shutil.rmtree(work, ignore_errors=True)
    if options.as_json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name}: {value}")
    return int(any(figures[name] for name in BAD))


if __name__ == "__main__":
    raise SystemExit(main())
