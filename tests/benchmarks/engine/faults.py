"""Kill -9 at random points of ingest, reconvert and delete: of the host, of its workers, of both. Counts what that costs.

One library lives through all kills. Each time a host opens it, which settles what the last one left, and works at
random until it is killed; a host whose workers alone were killed works on. Between two hosts, chance deletes the folders
of stored versions, fills the library's disk, or lets nobody write to it (the last two by root on Linux: the library then
lives on a small file system of its own). At the end everything is taken in once more and looked at whole. Usage: python tests/benchmarks/engine/faults.py [--kills 50] [--json]
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import random
import select
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil
from octavo.settings.engine import CareSettings, EngineSettings
from octavo.settings.settings import Settings
from octavo_contracts import (
    TERMINAL_STATES,
    IllegalTransition,
    IngestionState,
    Intent,
    check_transition,
    ref_path,
)
from octavo_library import Library
from octavo_library.facade.document import Document
from octavo_library.ingestion.requests import is_attachment
from octavo_library.storage import verify
from trouble import Trouble
from victim import WORKERS

VICTIM = Path(__file__).with_name("victim.py")
DONE = frozenset({IngestionState.COMPLETE, IngestionState.DEGRADED_COMPLETE})
MARKS = 14
"""Most steps - an opening, a document, a deletion - that a host is let make between two kills."""
ORPHANS = 30.0
"""Seconds in which every process of a dead host has to end. One that was being born when its host was killed looks once
a second, and a busy machine keeps it waiting."""
SETTLED = 120.0
"""Seconds that the last host has for what was cut short before."""
PATIENCE = 10.0
"""Seconds after which a host is killed wherever it is."""


@dataclass
class Findings:
    """What the campaign found.

    Attributes:
        kills: kills made.
        lost: documents whose file is there, and whose text the library does not have.
        duplicated: documents, paths, versions or endings that are there more often than they should be.
        orphans: processes of dead hosts that were still there long after the last kill.
        temp_files: files in the library's temporary folder, and folders of dead hosts, after the last opening.
        illegal_transitions: steps in the log of a job that the table does not allow, or that are out of order.
        integrity: "ok", or what SQLite, the store's check or a reader of artifacts complained of.
        left: what hosts left among the system's temporary files, as paths below that folder.
        interrupted: kills that found the host at work.
        by_target: kills by what was killed.
        re_executed: jobs that were claimed more than once.
        resumed: reconversions that were cut short and went on by themselves at a later opening.
        given_up: reconversions and attachments that were cut short so often that they waited for a caller, and were asked for at the end.
        not_resumed: reconversions and attachments that should have gone on by themselves and had not when the last opening was done.
        jobs: jobs of the documents that are left, by what they were for.
        documents: documents at the end.
        attachments: of these, those that came inside messages.
        deleted: documents that were deleted in between.
        versions: versions at the end.
        deleted_versions: folders of versions that were deleted behind the library's back.
        restored: of these documents, those whose text was there again at the end, from their originals.
        full_disk: times that the disk was full while the library was read, purged and asked to convert.
        read_only: times that the library could not be written while it was read and asked to convert.
        disk_failures: what did not work then and should have, or worked and should not have, in words.
        seconds: wall time of the campaign.
    """

    kills: int = 0
    lost: int = 0
    duplicated: int = 0
    orphans: int = 0
    temp_files: int = 0
    illegal_transitions: int = 0
    integrity: str = "ok"
    left: list[str] = field(default_factory=list)
    interrupted: int = 0
    by_target: dict[str, int] = field(default_factory=dict)
    re_executed: int = 0
    resumed: int = 0
    given_up: int = 0
    not_resumed: int = 0
    jobs: dict[str, int] = field(default_factory=dict)
    documents: int = 0
    attachments: int = 0
    deleted: int = 0
    versions: int = 0
    deleted_versions: int = 0
    restored: int = 0
    full_disk: int = 0
    read_only: int = 0
    disk_failures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def is_clean(self) -> bool:
        """Whether nothing was lost, doubled, left lying about or damaged."""
        counts = (self.lost, self.duplicated, self.temp_files, self.illegal_transitions, self.not_resumed, self.orphans)
        return not any(counts) and not self.disk_failures and self.integrity == "ok"


def _read_marks(descriptor: int, number: int) -> None:
    """Wait until a host has said that it made so many steps."""
    ends = time.monotonic() + PATIENCE
    seen = 0
    while seen < number and (left := ends - time.monotonic()) > 0:
        ready, _, _ = select.select([descriptor], [], [], left)
        said = os.read(descriptor, 65536) if ready else b""
        if not said:
            return
        seen += said.count(b"\n")


def _files_of(document: Document) -> list[str]:
    """The files that a document was read from; none for one that came inside a message."""
    return [path for path in document.paths if path.startswith("file:")]


def _has_all(document: Document, path: Path) -> bool:
    """Whether a message is there with the message inside it and both notes inside that; see `victim._write_message`."""
    if f"Outer {path.stem}" not in document.canonical_text:
        return False
    letters = document.attachments
    notes = [one.canonical_text.strip() for letter in letters for one in letter.attachments]
    return (
        [letter.title for letter in letters] == [f"Inner {path.stem}"]
        and len(notes) == 2
        and notes[0] == f"Own note of {path.stem}"
        and notes[1].startswith("Shared note ")
    )


class Campaign:
    """Kills hosts and workers until there were enough.

    Args:
        folder: for the library and the documents.
        seed: of everything that is left to chance, the scheduler apart.
    """

    def __init__(self, folder: Path, *, seed: int) -> None:
        self.documents = folder / "documents"
        self.temp = folder / "temp"
        self.documents.mkdir()
        self.temp.mkdir()
        self.findings = Findings()
        self._chance = random.Random(seed)
        self._targets: Counter[str] = Counter()
        self._born: set[psutil.Process] = set()
        self._serial = 0
        self._started = time.perf_counter()
        # A run waits five minutes for room, and nobody makes any here.
        settings = Settings(workers=WORKERS, engine=EngineSettings(care=CareSettings(give_up=0.5)))
        self._trouble = Trouble(folder, chance=self._chance, findings=self.findings, settings=settings)
        self.library = self._trouble.library

    def run(self, kills: int) -> Findings:
        """Make the kills, then look."""
        started = time.perf_counter()
        try:
            while self.findings.kills < kills:
                self._one_host(kills)
                self._trouble.befall()
            return self._end(started)
        finally:
            self._trouble.end()

    def _say(self, what: str) -> None:
        """Print progress: a long campaign is to be told from one that hangs."""
        print(f"{time.perf_counter() - self._started:8.1f} s  {what}", file=sys.stderr, flush=True)

    def _end(self, started: float) -> Findings:
        self.findings.by_target = dict(sorted(self._targets.items()))
        self._settle_and_look()
        self.findings.seconds = round(time.perf_counter() - started, 1)
        return self.findings

    def _one_host(self, kills: int) -> None:
        """Start a host, and kill of it what chance says until it is dead."""
        self._serial += 1
        command = [sys.executable, str(VICTIM), str(self.library), str(self.documents), str(self._serial)]
        environment = {**os.environ, "TMPDIR": str(self.temp)}
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as host:
            assert host.stdout is not None
            while True:
                # By what it has done rather than by the clock: a busy machine would be killed at its first step only.
                _read_marks(host.stdout.fileno(), self._chance.randint(0, MARKS))
                time.sleep(self._chance.uniform(0.0, 0.1))
                self.findings.interrupted += host.poll() is None
                target = self._chance.choice(("host", "host", "workers", "both"))
                if self.findings.kills + 1 == kills:
                    target = "both"
                self._kill(host, target)
                self.findings.kills += 1
                if not self.findings.kills % 50:
                    self._say(f"{self.findings.kills} kills")
                self._targets[target] += 1
                if target != "workers" or host.poll() is not None:
                    break
            host.wait()

    def _kill(self, host: subprocess.Popen[bytes], target: str) -> None:
        try:
            workers = psutil.Process(host.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            workers = []
        self._born = {process for process in self._born if process.is_running()} | set(workers)
        if target != "workers":
            host.send_signal(signal.SIGKILL)
        if target != "host":
            for worker in workers:
                try:
                    worker.kill()
                except psutil.NoSuchProcess:
                    continue

    # -- looking --------------------------------------------------------------------------------------------

    def _settle_and_look(self) -> None:
        settings = Settings(workers=WORKERS)
        self.findings.orphans = self._wait_for_orphans()
        self._say("every process of a killed host is gone, or counted")
        tempfile.tempdir = str(self.temp)  # where the dead hosts' folders for workers are
        with Library.open(self.library, settings=settings) as library:
            self.findings.temp_files = sum(1 for path in (self.library / "tmp").rglob("*") if path.is_file())
            self._say("the library is open")
            self._finish_reconversions(library)
            self._say("reconversions are done")
            self._restore_attachments(library)
            files = sorted(self.documents.iterdir())
            self._say(f"{len(files)} files are taken in")
            for done, _ in enumerate(library.ingest_many(files, retry=True), start=1):
                if not done % 500:
                    self._say(f"{done} of {len(files)}")
            self._finish_deletions(library, {str(path) for path in files})
            self._say("deletions are done; the library is looked at")
            self._look(library, files)
            self._say("the library was looked at")
        tempfile.tempdir = None
        self.findings.left = sorted(str(path.relative_to(self.temp)) for path in self.temp.rglob("*"))
        self.findings.temp_files += len(self.findings.left)
        with sqlite3.connect(self.library / "index.sqlite") as index:
            said = index.execute("PRAGMA integrity_check").fetchone()[0]
            broken = index.execute("PRAGMA foreign_key_check").fetchall()
        if said != "ok" or broken:
            self.findings.integrity = f"index: {said} {broken}"

    def _wait_for_orphans(self) -> int:
        """Wait until every process that a killed host had is gone; how many are not."""
        ends = time.monotonic() + ORPHANS
        while (left := self._orphans()) and time.monotonic() < ends:
            time.sleep(0.1)
        return len(left)

    def _orphans(self) -> set[psutil.Process]:
        """What is left of the processes that were seen, and any that works in a dead host's folder."""
        left = set()
        for process in {*self._born, *psutil.process_iter()}:
            with contextlib.suppress(psutil.Error):
                known = process in self._born or process.cwd().startswith(str(self.temp))
                if known and process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                    left.add(process)
        return left

    def _finish_deletions(self, library: Library, files: set[str]) -> None:
        """What was to be deleted, and was not when its host died: deleted now."""
        for document in library.documents():
            own = _files_of(document)
            if own and not any(str(ref_path(path)) in files for path in own):
                library.maintenance.purge(document, confirm=document.id)
        while left := [one for one in library.documents() if not _files_of(one) and not one.attached_to]:
            for document in left:  # what came inside a message that is no more
                library.maintenance.purge(document, confirm=document.id)
        self.findings.deleted = len({record.document_id for record in library.maintenance.purge_log()})

    def _restore_attachments(self, library: Library) -> None:
        """Have a repair convert again what has no file of its own that could be taken in again."""
        if self._trouble.damaged:
            library.maintenance.repair()

    def _finish_reconversions(self, library: Library) -> None:
        """Reconversions that were cut short go on by themselves; one that ended many hosts waits for a caller."""
        library.engine.wait_until_resumed(seconds=SETTLED)
        for job in library.context.index.jobs.open_jobs():
            if job.raw_hash is None or not (job.intent is Intent.RECONVERT or is_attachment(job)):
                continue
            if job.attempts < library.context.runtime.settings.engine.retries.tries:
                self.findings.not_resumed += 1
            else:
                self.findings.given_up += 1
            if job.intent is Intent.RECONVERT:
                library.document(job.raw_hash).reconvert()

    def _look(self, library: Library, files: list[Path]) -> None:
        found = self.findings
        stored = library.documents()
        found.documents = len(stored)
        by_path: Counter[str] = Counter()
        for document in stored:
            by_path.update(_files_of(document))
            found.versions += len(document.versions)
            self._look_at_jobs(library, document.raw_hash, versions=len(document.versions))
            found.restored += document.raw_hash in self._trouble.damaged and bool(document.canonical_text)
        found.duplicated += sum(number - 1 for number in by_path.values())
        inside = [document for document in stored if not _files_of(document)]
        found.attachments = len(inside)
        found.duplicated += max(0, len(stored) - len(inside) - len(files))
        by_file = {str(ref_path(path)): document for document in stored for path in _files_of(document)}
        for path in files:
            document = by_file.get(str(path))
            if path.suffix == ".eml":
                found.lost += document is None or not _has_all(document, path)
            else:
                found.lost += document is None or document.canonical_text.split() != path.read_text().split()
        report = verify(library.context.artifacts, library.context.index, read_contents=True)
        # What was deleted behind the library's back stays on record as damaged; nothing else may be missing.
        missing = [ref for ref in report.missing if ref.split("/")[1] not in self._trouble.damaged]
        if missing or report.damaged or report.orphans or report.unindexed or report.leftovers:
            found.integrity = f"store: {report}"
        if library.context.index.jobs.open_jobs():
            found.integrity = f"{len(library.context.index.jobs.open_jobs())} jobs are still open"

    def _look_at_jobs(self, library: Library, raw_hash: str, *, versions: int) -> None:
        found = self.findings
        successes = ingested = 0
        for job in library.context.index.jobs.of_hash(raw_hash):
            log = library.context.index.jobs.transitions(job.job_id)
            found.jobs[job.intent.value] = found.jobs.get(job.intent.value, 0) + 1
            found.re_executed += job.claims > 1
            cut_short = any(entry.details["outcome"] == "interrupted" for entry in log)
            found.resumed += job.intent is Intent.RECONVERT and cut_short and log[-1].after in DONE
            found.illegal_transitions += [entry.seq for entry in log] != list(range(len(log)))
            for before, after in itertools.pairwise(log):
                try:
                    check_transition(before.after, after.after)
                except IllegalTransition:
                    found.illegal_transitions += 1
            found.duplicated += max(0, sum(entry.after in TERMINAL_STATES for entry in log) - 1)
            successes += log[-1].after in DONE
            ingested += log[-1].after in DONE and job.intent.value == "ingest"
        found.duplicated += abs(versions - successes) + max(0, ingested - 1)


def main() -> int:
    """Run the campaign and print what it found; 1 where it found anything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--folder", type=Path, help="where the library is made; by default for temporary files")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = Campaign(Path(folder), seed=options.seed).run(options.kills)
    if options.json:
        print(json.dumps(asdict(found), indent=1))
    else:
        for name, value in asdict(found).items():
            print(f"{name:20} {value}")
    return 0 if found.is_clean else 1


if __name__ == "__main__":
    raise SystemExit(main())
