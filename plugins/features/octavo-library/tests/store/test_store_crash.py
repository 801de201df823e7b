"""A host that is killed at any instant leaves the old state or the new one (STO-8, ENG-6), and racing hosts agree."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_library.storage import ArtifactStore, Index, recover, verify
from octavo_library.storage.index import schema
from sqlalchemy import func, select

WRITER = Path(__file__).with_name("crash_writer.py")
KILLS = 20


def start_writer(store: ArtifactStore, index: Index, start: int, count: int) -> subprocess.Popen[str]:
    url = index.url.render_as_string(hide_password=False)
    command = [sys.executable, WRITER, store.root, url, str(start), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def kill_at_random(writer: subprocess.Popen[str], chance: random.Random) -> list[str]:
    """Let the writer finish a few documents, kill it somewhere in the next; returns what it reported."""
    assert writer.stdout is not None
    reported = [writer.stdout.readline().strip() for _ in range(chance.randint(1, 4))]
    time.sleep(chance.uniform(0, 0.01))
    writer.kill()
    rest, errors = writer.communicate(timeout=60)
    assert not errors, errors
    return [line for line in (*reported, *rest.split()) if line]


@pytest.mark.slow
def test_killed_hosts_lose_nothing_and_double_nothing(store: ArtifactStore, index: Index) -> None:
    chance = random.Random(20261121)
    reported: list[str] = []
    for kill in range(KILLS):
        reported += kill_at_random(start_writer(store, index, kill * 3, 1000), chance)
        report = verify(store, index, read_contents=True)
        assert (report.missing, report.damaged, report.orphans) == ((), (), ()), f"after kill {kill}"
    assert len(verify(store, index).leftovers) <= 1, "each opening sweeps what the one before it left"

    writer = start_writer(store, index, 0, 0)
    rest, errors = writer.communicate(timeout=60)
    assert writer.returncode == 0, errors
    reported += rest.split()
    recover(store, index)
    assert verify(store, index, read_contents=True).is_clean
    assert index.jobs.open_jobs() == ()
    assert not list((store.root / "tmp").glob("*/*"))

    known = {document.raw_hash for document in index.documents.page(limit=100_000)}
    assert set(reported) <= known, "what was reported as filed is there"
    assert set(store.documents()) == known
    for raw_hash in known:
        assert store.versions(raw_hash) == (1,), "no document was converted twice"
        assert len(index.jobs.of_hash(raw_hash)) == 1
    _assert_nothing_is_doubled(index)


def _assert_nothing_is_doubled(index: Index) -> None:
    """One event marked new a document, one transition into each state a job."""
    events, transitions = schema.ingest_events, schema.transitions
    with index.read() as connection:
        news = connection.execute(
            select(events.c.document_id, func.count()).where(events.c.outcome == "new").group_by(events.c.document_id)
        ).all()
        entered = connection.execute(select(transitions.c.job_id, transitions.c.to_state)).all()
    assert {count for _, count in news} == {1}
    assert set(Counter(map(tuple, entered)).values()) == {1}


def test_racing_writers_each_get_a_version_of_their_own(store: ArtifactStore, raw_hash: Callable[[str], str]) -> None:
    """Create-if-absent: a rename is the referee, within a process and between two."""
    script = (
        "import sys\n"
        "from octavo_library.storage import ArtifactStore\n"
        "with ArtifactStore(sys.argv[1]) as store:\n"
        "    for n in range(40):\n"
        "        number = store.put_version(sys.argv[2], {'who': sys.argv[3].encode() + b' %d' % n})\n"
        "        print(number, sys.argv[3], n)\n"
    )
    one = raw_hash("one")
    command = [sys.executable, "-c", script, store.root, one]
    processes = [subprocess.Popen([*command, who], stdout=subprocess.PIPE, text=True) for who in ("a", "b")]
    mine: list[tuple[int, str]] = []

    def write(who: str) -> None:
        for n in range(40):
            mine.append((store.put_version(one, {"who": f"{who} {n}".encode()}), f"{who} {n}"))

    threads = [threading.Thread(target=write, args=(who,)) for who in ("c", "d")]
    for thread in threads:
        thread.start()
    outputs = [process.communicate(timeout=120)[0] for process in processes]
    for thread in threads:
        thread.join()
    lines = [line.split(" ", 1) for output in outputs for line in output.splitlines()]
    given = dict([*mine, *((int(number), who) for number, who in lines)])
    assert sorted(given) == list(range(1, 161))
    assert store.versions(one) == tuple(sorted(given))
    for number, who in given.items():
        assert store.read(f"store:by_hash/{one}/conversions/v{number}/who") == who.encode()


def test_two_hosts_on_the_same_documents_do_no_work_twice(index: Index, store: ArtifactStore) -> None:
    """ENG-22: the first event wins the transitions, the second skips ahead."""
    writers = [start_writer(store, index, 0, 60) for _ in range(2)]
    reported: list[str] = []
    for writer in writers:
        output, errors = writer.communicate(timeout=120)
        assert writer.returncode == 0, errors
        reported += output.split()
    assert len(reported) == len(set(reported)) == 60
    assert all(store.versions(raw_hash) == (1,) for raw_hash in reported)
    assert verify(store, index, read_contents=True).is_clean
    _assert_nothing_is_doubled(index)
