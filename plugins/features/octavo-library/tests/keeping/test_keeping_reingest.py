"""Converting known documents again, many at once (STO-13)."""

from __future__ import annotations

import threading

import pytest
from octavo_contracts import UsageError


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / name for name in ("a.txt", "b.txt", "copy-of-a.txt")]
    for path, text in zip(paths, ("one|two", "three", "one|two"), strict=True):
        path.write_text(text)
    return paths


def versions(library):
    return sorted((len(one.versions), one.active_version) for one in library.documents())


def test_known_documents_get_a_second_version_each_once_a_run(library, files):
    list(library.ingest_many(files, plugin="pages"))
    done = {one.source: one for one in library.ingest_many(files, plugin="headed", reingest=True)}
    assert versions(library) == [(2, 2), (2, 2)]
    assert sum(one.reused for one in done.values()) == 1  # one of the two paths of the same bytes
    assert {one.result.quality_report.selected_tool for one in done.values()} == {"headed"}
    assert library.document(str(files[0])).canonical_text.startswith("Read again.")


def test_documents_that_are_new_are_converted_once(library, files):
    list(library.ingest_many(files, plugin="pages", reingest=True))
    assert versions(library) == [(1, 1), (1, 1)]


def test_a_document_that_can_not_be_converted_again_is_a_failed_result_and_keeps_its_version(library, files):
    list(library.ingest_many(files, plugin="pages"))
    done = list(
        library.ingest_many([*files[:2], files[0].with_name("absent.txt")], plugin="sleepy", timeout=0.3, reingest=True)
    )
    statuses = {one.source.rpartition("/")[2]: one.result.ingestion_status for one in done}
    assert statuses == {"a.txt": "hard_failed", "b.txt": "hard_failed", "absent.txt": "hard_failed"}
    reasons = {one.result.failure_receipts[0].reason_code.value for one in done}
    assert reasons == {"conversion_timeout", "source_missing"}
    assert versions(library) == [(1, 1), (1, 1)]
    assert library.document(str(files[1])).markdown == "# three"


def test_a_run_that_is_cancelled_converts_nothing_again(library, files):
    list(library.ingest_many(files, plugin="pages"))
    cancel = threading.Event()
    cancel.set()
    done = list(library.ingest_many(files, plugin="headed", reingest=True, cancel=cancel))
    assert {one.result.failure_receipts[0].reason_code.value for one in done} == {"not_attempted"}
    assert versions(library) == [(1, 1), (1, 1)]


def test_a_plugin_that_does_not_exist_is_refused_before_anything_is_done(library, files):
    with pytest.raises(UsageError, match="no plugin named"):
        library.ingest_many(files, plugin="absent", reingest=True)


def test_a_run_that_is_cancelled_while_it_converts_again_leaves_the_versions_alone(library, files):
    list(library.ingest_many(files, plugin="pages"))
    cancel = threading.Event()
    timer = threading.Timer(0.5, cancel.set)
    timer.start()
    done = list(library.ingest_many(files[:2], plugin="sleepy", timeout=60, reingest=True, cancel=cancel))
    timer.join()
    assert {one.result.failure_receipts[0].reason_code.value for one in done} == {"not_attempted"}
    assert versions(library) == [(1, 1), (1, 1)]
    list(library.ingest_many(files, plugin="headed", reingest=True))
    assert versions(library) == [(2, 2), (2, 2)]
