"""Claims are renewed while a library works (ENG-6)."""

import sqlite3
import time
from datetime import UTC, datetime, timedelta

from octavo_library.ingestion.leases import Heartbeat
from octavo_library.storage import ArtifactStore, Index, NewJob, library_url
from sqlalchemy.exc import OperationalError


def test_claims_are_renewed_until_the_heart_stops(tmp_path):
    with ArtifactStore(tmp_path) as artifacts, Index(library_url(tmp_path)) as index:
        job = index.jobs.start(NewJob(raw_hash="a" * 64, lease_seconds=1.0), owner=artifacts.owner).job
        heart = Heartbeat(index, owner=artifacts.owner, interval=0.05)
        heart.start()
        heart.start()
        deadline = time.monotonic() + 10
        while index.jobs.get(job.job_id).lease_until == job.lease_until and time.monotonic() < deadline:
            time.sleep(0.02)
        heart.close()
        renewed = datetime.fromisoformat(index.jobs.get(job.job_id).lease_until)
        assert renewed > datetime.now(UTC) + timedelta(minutes=5)


def test_a_heart_that_never_beat_can_be_stopped(tmp_path):
    with ArtifactStore(tmp_path) as artifacts, Index(library_url(tmp_path)) as index:
        Heartbeat(index, owner=artifacts.owner).close()


def test_a_missed_beat_is_logged_and_the_heart_goes_on(tmp_path, caplog):
    """Another process may hold the database for longer than a writer waits."""
    with ArtifactStore(tmp_path) as artifacts, Index(library_url(tmp_path)) as index:
        job = index.jobs.start(NewJob(raw_hash="a" * 64, lease_seconds=1.0), owner=artifacts.owner).job
        index._engine = _Unreachable(index._engine)
        heart = Heartbeat(index, owner=artifacts.owner, interval=0.02)
        heart.start()
        deadline = time.monotonic() + 10
        while not caplog.records and time.monotonic() < deadline:
            time.sleep(0.02)
        index._engine = index._engine.real
        while index.jobs.get(job.job_id).lease_until == job.lease_until and time.monotonic() < deadline:
            time.sleep(0.02)
        heart.close()
        assert index.jobs.get(job.job_id).lease_until > job.lease_until
    assert "cannot renew the leases" in caplog.text


class _Unreachable:
    """Stands before a real engine and lets nobody through: a locked database takes a minute to say so."""

    def __init__(self, real):
        self.real = real
        self.url = real.url

    def connect(self):
        raise OperationalError("connect", {}, sqlite3.OperationalError("database is locked"))
