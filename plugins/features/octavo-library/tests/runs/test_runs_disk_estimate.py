"""The disk space that a run needs is estimated before its first document, and a run that does not fit is refused (ENG-12)."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from octavo.settings.engine import CareSettings, EngineSettings
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_contracts import ExitCode, HardFailReason, StorageExhausted
from octavo_library import Library

PLAIN = """\
from octavo_contracts import *
@hookimpl
def convert(source, request, context):
    return Conversion(pages=(Page(number=1, kind='whole', markdown=source.read_bytes().decode()),), paginated=False)
"""
MB = 1_000_000
_FOLDER = Path(__file__).parents[5] / "docs" / "samples"
SAMPLES = [
    path for path in sorted(_FOLDER.iterdir()) if path.suffix not in (".epub", ".json") and "scan" not in path.name
]


def settings(**care):
    calm = {"memory_stop": 101.0, "memory_go": 100.0, "load_stop": 1e6, "load_go": 1e5}
    return Settings(workers=2, engine=EngineSettings(care=CareSettings(**calm, **care)))


FULL = {"disk_floor": 10**18, "disk_share": 1.0, "disk_margin": 0}
"""The whole disk is the reserve."""


@pytest.fixture
def notes(tmp_path, make_plugin):
    """A folder of 20 texts of 200 kB each: a library of them needs about 18 MB."""
    make_plugin("plain", PLAIN)
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(20):
        (folder / f"{number:02}.txt").write_text(f"Note {number}\n\n" + "tide " * 40_000)
    return folder


def test_an_estimate_counts_new_and_known_documents_and_their_space(notes, tmp_path):
    """ENG-12: the estimate is made of the size and the type of the sources; known documents need nothing."""
    with Library.open(tmp_path / "library", settings=settings()) as library:
        library.ingest(notes / "00.txt", plugin="plain")
        (notes / "copy.txt").write_bytes((notes / "01.txt").read_bytes())
        estimate = library.runs.estimate(notes)
        again = library.runs.estimate([notes / "00.txt"], reingest=True)

    assert (estimate.new, estimate.known) == (19, 2)
    assert 19 * 200_000 <= estimate.bytes <= 19 * 200_100
    assert 15 * MB < estimate.disk_needed < 20 * MB
    assert (again.new, again.known) == (1, 1)


def test_the_estimate_is_near_to_what_the_samples_take(tmp_path):
    """ENG-12: the ratios are measured. Half or twice the space is near enough to refuse a run by."""
    with Library.open(tmp_path / "library", settings=settings()) as library:
        estimate = library.runs.estimate(SAMPLES)
        list(library.ingest_many(SAMPLES))
        library.search("seal")
    blocks = sum(path.lstat().st_blocks * 512 for path in (tmp_path / "library").rglob("*"))
    reserve = (tmp_path / "library" / "reserve.bin").stat().st_size

    assert blocks - reserve < 2 * estimate.disk_needed
    assert estimate.disk_needed < 2 * (blocks - reserve)


def test_a_run_that_does_not_fit_is_refused_before_its_first_document(notes, tmp_path):
    """ENG-12: with a reason code, and with what is safe to purge."""
    with Library.open(tmp_path / "library", settings=settings()) as library:
        library.corpora.create("brief")
        library.corpora.set_retention("brief", "active_only")
        (tmp_path / "old.txt").write_text("An old note " * 500)
        old = library.ingest(tmp_path / "old.txt", corpus="brief", plugin="plain").document
        old.reconvert(plugin="plain")

    with Library.open(tmp_path / "library", settings=settings(**FULL)) as library:
        with pytest.raises(StorageExhausted) as caught:
            next(iter(library.ingest_many(notes, plugin="plain")))
        assert len(library.documents()) == 1
        assert [record.sources for record, _, _ in library.runs.list()] == []
        freed = library.maintenance.expired().bytes

    error = caught.value
    assert error.reason is HardFailReason.STORAGE_EXHAUSTED
    assert error.message.startswith("the run would need about 18 MB for 20 documents, and the disk has 0.0 MB ")
    assert error.message.endswith("; nothing was ingested")
    assert error.remedy.startswith(f"`octavo purge --expired` would free {freed / 1e6:.1f} MB; Free disk space")


def test_a_folder_that_is_known_already_fits_on_a_full_disk(notes, tmp_path):
    """A second run over the same folder stores nothing, so that the size of its files is no reason to refuse it."""
    with Library.open(tmp_path / "library", settings=settings()) as library:
        list(library.ingest_many(notes, plugin="plain"))
    with Library.open(tmp_path / "library", settings=settings(**FULL)) as library:
        done = list(library.ingest_many(notes, plugin="plain"))
    assert [item.reused for item in done] == [True] * 20


def test_the_estimate_can_be_turned_off(notes, tmp_path):
    """Whoever knows better may run: the reserve is kept by the breaker all the same."""
    huge = notes / "huge.txt"
    huge.touch()
    os.truncate(huge, 10**13)
    with Library.open(tmp_path / "library", settings=settings(disk_preflight=False)) as library:
        assert library.runs.estimate(notes).is_short
        batch = library.ingest_many([notes / "00.txt", notes / "01.txt"], plugin="plain")
        assert [item.result.ingestion_status for item in batch] == ["complete"] * 2


@pytest.fixture
def octavo(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main([*arguments, "--library", "lib"])
        told = capfd.readouterr()
        return code, told.out, told.err

    return run


def test_a_dry_run_prints_the_estimate_and_creates_nothing(notes, tmp_path, octavo):
    """ENG-12: the command line shows the estimate before a run."""
    code, text, errors = octavo("ingest", str(notes), "--dry-run")
    _, keys, _ = octavo("ingest", str(notes), "--dry-run", "--json")

    assert (code, errors) == (ExitCode.OK, "")
    assert text.startswith("20 documents of 4.0 MB to convert, 0 known before; the library would grow by about 18 MB")
    assert not (tmp_path / "lib").exists()
    shown = json.loads(keys)
    assert (shown["new"], shown["known"], shown["is_short"]) == (20, 0, False)
    assert shown["disk_free"] > shown["disk_reserve"] > 0
    assert 15 * MB < shown["disk_needed"] < 20 * MB


def test_the_command_refuses_a_run_that_does_not_fit(tmp_path, octavo):
    """A file that is larger than the disk, although it takes no space itself, is refused by `octavo ingest`."""
    huge = tmp_path / "huge.txt"
    huge.touch()
    os.truncate(huge, 10**13)

    dry, text, _ = octavo("ingest", "huge.txt", "--dry-run")
    run, _, errors = octavo("ingest", "huge.txt")

    assert dry == run == ExitCode.HARD_FAILURES
    assert text.splitlines()[-1] == "The run would be refused: the disk is too small"
    assert errors.startswith("octavo: the run would need about 40000.0 GB for 1 document, and the disk has ")
    assert "[storage_exhausted]" in errors
