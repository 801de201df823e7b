"""A real small disk: the breaker stops before anything durable is written, and opens again above its floor (ENG-12)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from octavo.settings.engine import CareSettings, EngineSettings
from octavo.settings.settings import Settings
from octavo_contracts import StorageError
from octavo_library import Library
from octavo_library.ingestion.events import PauseCause, Paused, Resumed, RunFinished

PLAIN = """\
from octavo_contracts import *
@hookimpl
def convert(source, request, context):
    return Conversion(pages=(Page(number=1, kind='whole', markdown=source.read_bytes().decode()),), paginated=False)
"""
MB = 1_000_000


@pytest.fixture
def disk(tmp_path):
    """A file system of 200 MB, of which a tenth is the reserve."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", str(folder)]
    if sys.platform != "linux" or os.geteuid() != 0 or subprocess.run(mount, check=False).returncode != 0:
        pytest.skip("a small file system can be mounted by root on Linux only")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def settings(**care):
    calm = {"memory_stop": 101.0, "memory_go": 100.0, "load_stop": 1e6, "load_go": 1e5, "every": 0.05}
    return Settings(workers=2, engine=EngineSettings(care=CareSettings(**calm, **care)))


def free(disk: Path) -> int:
    status = os.statvfs(disk)
    return status.f_bavail * status.f_frsize


def fill_to(disk: Path, left: int) -> Path:
    filler = disk / "filler"
    filler.write_bytes(bytes(free(disk) - left))
    return filler


def test_the_reserve_stays_free_and_work_goes_on_above_it(disk, make_plugin, tmp_path):
    make_plugin("plain", PLAIN)
    sources = tmp_path / "in"
    sources.mkdir()
    for number in range(30):
        (sources / f"{number:02}.txt").write_text(f"Note {number}\n\n" + "tide " * 40_000)
    told, lowest = [], []
    # Without the estimate before the run, which would refuse it: here the breaker during the run is tried.
    with Library.open(disk / "library", settings=settings(disk_preflight=False)) as library:
        library.engine.events.subscribe(told.append)
        filler = fill_to(disk, 26 * MB)

        def make_room():
            while not any(isinstance(event, Paused) for event in told):
                time.sleep(0.02)
            for _ in range(10):
                lowest.append(free(disk))
                time.sleep(0.05)
            os.truncate(filler, filler.stat().st_size - 2 * MB)  # above the floor, not above the margin: still shut
            time.sleep(0.5)
            assert not any(isinstance(event, Resumed) for event in told)
            lowest.append(free(disk))
            filler.unlink()

        helper = threading.Thread(target=make_room)
        helper.start()
        done = list(library.ingest_many(sorted(sources.iterdir()), plugin="plain"))
        helper.join()
        assert {item.result.ingestion_status for item in done} == {"complete"}
        paused = [event for event in told if isinstance(event, Paused)]
        resumed = [event for event in told if isinstance(event, Resumed)]
        assert [event.cause for event in paused] == [PauseCause.DISK] * len(paused)
        assert len(paused) == len(resumed) == 1
        assert resumed[0].value >= paused[0].resumes_at > paused[0].value
        assert min(lowest) >= 19 * MB, "a claim and a log may still go into the reserve; artifacts may not"
        [finished] = [event for event in told if isinstance(event, RunFinished)]
        assert finished.degraded[0].startswith("work paused: ")
        assert library.maintenance.verify().is_clean


def test_a_disk_that_stays_full_stops_the_run_and_nothing_is_by_halves(disk, make_plugin, tmp_path):
    make_plugin("plain", PLAIN)
    source = tmp_path / "a.txt"
    source.write_text("Note")
    with Library.open(disk / "library", settings=settings(give_up=0.3)) as library:
        filler = fill_to(disk, 15 * MB)
        with pytest.raises(StorageError, match=r"the disk has 1[0-9] MB free; writing resumes at 25 MB"):
            list(library.ingest_many([source], plugin="plain"))
        assert library.context.index.jobs.open_jobs() == ()
        assert library.maintenance.verify().is_clean
        filler.unlink()
        [item] = library.ingest_many([source], plugin="plain")
        assert item.result.ingestion_status == "complete"


def test_who_runs_out_of_room_is_told_what_may_be_purged(make_plugin, tmp_path):
    """ENG-12: the alert says what is safe to purge."""
    make_plugin("plain", PLAIN)
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("Note " * 1000)
    second.write_text("Another note")
    with Library.open(tmp_path / "library", settings=settings(disk_floor=0)) as library:
        library.corpora.create("brief")
        library.corpora.set_retention("brief", "active_only")
        document = library.ingest(first, corpus="brief", plugin="plain").document_id
        library.document(document).reconvert(plugin="plain")
    told = []
    full = settings(disk_floor=10**18, disk_share=1.0, give_up=0.2)
    with Library.open(tmp_path / "library", settings=full) as library:
        library.engine.events.subscribe(told.append)
        with pytest.raises(StorageError) as caught:
            library.ingest(second, plugin="plain")
        [paused] = [event for event in told if isinstance(event, Paused)]
        freed = library.maintenance.purge_expired(library.maintenance.expired()).bytes
    assert caught.value.remedy == paused.advice == f"`octavo purge --expired` would free {freed / 1e6:.1f} MB"
    assert freed > 0


def test_a_single_document_waits_for_the_disk_no_longer_than_its_time(make_plugin, tmp_path):
    """It waited five minutes, whatever `timeout` said."""
    make_plugin("plain", PLAIN)
    source = tmp_path / "a.txt"
    source.write_text("Note")
    with Library.open(tmp_path / "library", settings=settings(disk_floor=10**18, disk_share=1.0)) as library:
        began = time.monotonic()
        with pytest.raises(StorageError, match="writing resumes at"):
            library.ingest(source, plugin="plain", timeout=0.5)
        assert time.monotonic() - began < 60
        assert library.context.index.jobs.open_jobs() == ()


def test_a_command_says_that_it_waits_for_the_disk(disk, tmp_path):
    """One that says nothing for five minutes looks like one that hangs."""
    source = tmp_path / "a.txt"
    source.write_text("Note")
    Library.open(disk / "library").close()
    filler = fill_to(disk, 15 * MB)
    command = [sys.executable, "-m", "octavo", "ingest", str(source), "--library", str(disk / "library")]

    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        held = run.stderr.readline()
        filler.unlink()
        goes_on = run.stderr.readline()
        run.communicate()

    assert held.startswith("octavo: paused: the disk has 1")
    assert "writing resumes at 25 MB; gives up in 300 s" in held
    assert goes_on.startswith("octavo: resumed after ")
    assert run.returncode == 0
