"""The library: reuse by hash, versions that stay, failures that are remembered, many documents at once."""

import asyncio
import os
import threading
import time

import pytest
from octavo.settings.engine import CareSettings, EngineSettings
from octavo.settings.settings import Settings
from octavo_contracts import ConverterCrashed, SourceChanged, SourceMissing, StorageError, UsageError
from octavo_library import Library
from octavo_library.storage import verify
from octavo_sandbox import SandboxLimits

HEAD = "import os, time\nfrom octavo_contracts import *\n@hookimpl\ndef convert(source, request, context):\n    "
PAGES = (
    HEAD
    + "parts = source.read_bytes().decode().split('|')\n    return Conversion(pages=tuple(Page(number=n, markdown='# ' + p, text=p, label=f'p{n}') for n, p in enumerate(parts, 1)), paginated=True, metadata=DocumentMetadata(title=parts[0]))"
)
UPPER = (
    HEAD
    + "return Conversion(pages=(Page(number=1, kind='whole', markdown=source.read_bytes().decode().upper()),), paginated=False)"
)


@pytest.fixture
def library(make_plugin, tmp_path):
    make_plugin("pages", PAGES)
    make_plugin("upper", UPPER, priority=1)
    settings = Settings(workers=2, limits=SandboxLimits(wall_seconds=10.0))
    with Library.open(tmp_path / "library", settings=settings) as opened:
        yield opened


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one|two|three")
    return path


def ingest(library, source, **options):
    return library.ingest(source, **{"plugin": "pages", **options})


def test_a_document_can_be_read_page_by_page(library, file):
    done = ingest(library, file)
    document = library.document(str(file))
    assert (done.reused, document.id, document.status) == (False, done.document_id, "complete")
    assert [(page.number, page.label, page.text, page.markdown) for page in document.pages] == [
        (1, "p1", "one", "# one"),
        (2, "p2", "two", "# two"),
        (3, "p3", "three", "# three"),
    ]
    assert document.page(2).text == "two"
    assert document.title == "one"
    assert document.quality.selected_tool == "pages"
    with pytest.raises(UsageError, match="there is no page 4; the document has 3"):
        document.page(4)


def test_the_stored_result_equals_the_one_first_given(library, file):
    done = ingest(library, file)
    assert library.document(done.document_id).result == done.result
    assert (
        library.context.artifacts.read(done.result.canonical_text_ref).decode()
        == library.document(done.document_id).canonical_text
    )


def test_known_bytes_are_not_converted_again_whatever_their_path(library, file, tmp_path):
    first = ingest(library, file)
    copy = tmp_path / "copy.txt"
    copy.write_bytes(file.read_bytes())
    second = ingest(library, copy)
    assert (second.reused, second.document_id) == (True, first.document_id)
    document = library.document(first.document_id)
    assert len(document.versions) == 1
    assert [os.path.basename(path) for path in document.paths] == ["a.txt", "copy.txt"]
    assert second.result.conversion_artifact_ref == first.result.conversion_artifact_ref


def test_a_document_is_found_by_id_prefix_hash_prefix_and_path(library, file):
    done = ingest(library, file)
    for ref in (done.document_id, done.document_id[:6], done.result.content_hashes.raw_file_hash[:8], str(file)):
        assert library.document(ref).id == done.document_id
    for ref in (done.document_id[:5], "zzzzzz", "/nowhere"):
        with pytest.raises(UsageError):
            library.document(ref)


def test_a_reconversion_is_a_new_version_and_the_old_one_can_come_back(library, file):
    """Nothing is overwritten, and rollback is one call (STO-6)."""
    done = ingest(library, file)
    before = library.document(done.document_id)
    assert before.markdown.startswith("# one")
    version = before.reconvert(plugin="upper", activate=True)
    after = library.document(done.document_id)
    assert (version.version, version.tool, version.is_active) == (2, "upper", True)
    assert after.markdown == "ONE|TWO|THREE"
    assert library.document(done.document_id).versions[0].tool == "pages"
    assert before.markdown.startswith("# one"), "a reader stays with the version it was bound to (ENG-23)"
    after.versions.activate(1)
    assert library.document(done.document_id).markdown.startswith("# one")
    with pytest.raises(UsageError, match="has no version 7"):
        after.versions.activate(7)


def test_a_reconversion_can_be_kept_aside(library, file):
    document = library.document(ingest(library, file).document_id)
    assert document.reconvert(plugin="upper", activate=False).is_active is False
    assert library.document(document.id).active_version == 1


def test_a_failed_reconversion_takes_nothing_away(library, file, make_plugin):
    make_plugin("bad", HEAD + "raise ValueError('odd')")
    with Library.open(library.path, settings=library.context.runtime.settings) as later:
        document = later.document(ingest(later, file).document_id)
        with pytest.raises(ConverterCrashed):
            document.reconvert(plugin="bad")
        again = later.document(document.id)
        assert (again.status, len(again.versions), again.page(1).text) == ("complete", 1, "one")


def test_reconversion_needs_the_original_with_its_bytes(library, file):
    document = library.document(ingest(library, file).document_id)
    file.write_text("other bytes")
    with pytest.raises(SourceChanged, match="has other bytes now"):
        document.reconvert(plugin="upper")
    file.unlink()
    with pytest.raises(SourceMissing):
        document.reconvert(plugin="upper")


def test_bytes_without_a_path_are_stored_once_and_can_be_reconverted(library):
    """Bytes with no path are stored at originals/ (STO-1)."""
    done = ingest(library, b"a|b", name="mail.txt", surface="email_attachment")
    again = ingest(library, b"a|b", name="other.txt", surface="chat_attachment")
    assert again.reused
    assert done.result.original_artifact_ref.startswith("store:originals/")
    assert library.context.artifacts.read(done.result.original_artifact_ref) == b"a|b"
    assert library.document(done.document_id).reconvert(plugin="upper").version == 2


def test_a_failure_is_remembered_until_retry_or_other_engines(library, make_plugin, file):
    make_plugin("flaky", HEAD + "raise SourceCorrupt('no end')")
    settings = library.context.runtime.settings
    with Library.open(library.path, settings=settings) as opened:
        first = opened.ingest(file, plugin="flaky")
        again = opened.ingest(file, plugin="flaky")
        assert (first.reused, again.reused) == (False, True)
        assert again.result.failure_receipts == first.result.failure_receipts
        assert opened.document(first.document_id).status == "hard_failed"
        with pytest.raises(UsageError, match="no converted content: source_corrupt"):
            _ = opened.document(first.document_id).markdown
        assert opened.ingest(file, plugin="flaky", retry=True).reused is False
        other = opened.ingest(file, plugin="pages")
        assert (other.reused, other.result.ingestion_status) == (False, "complete")


def test_an_unavailable_tool_leaves_the_job_waiting_and_is_tried_again(make_plugin, tmp_path, file):
    """tool_unavailable keeps the job; the printed result is hard_failed with retry automatic (ENG-7)."""
    model = tmp_path / "site" / "model"
    code = f"""
    try:
        open({str(model)!r}).close()
    except OSError as error:
        raise ToolUnavailable("its model is missing") from error
    return Conversion(pages=(Page(number=1, kind='whole', markdown='ok'),), paginated=False)"""
    make_plugin("needy", HEAD + "pass" + code)
    with Library.open(tmp_path / "lib", settings=Settings(workers=1)) as opened:
        first = opened.ingest(file, plugin="needy")
        assert first.result.failure_receipts[0].reason_code == "tool_unavailable"
        assert first.result.failure_receipts[0].retry == "automatic"
        (job,) = opened.context.index.jobs.open_jobs()
        assert job.waiting_reason == "tool_unavailable"
        model.write_text("weights")
        second = opened.ingest(file, plugin="needy")
        assert (second.reused, second.result.ingestion_status) == (False, "complete")
        assert opened.context.index.jobs.open_jobs() == ()


def test_many_documents_come_back_each_once_and_bad_ones_stop_nothing(library, tmp_path):
    paths = []
    for number in range(30):
        path = tmp_path / f"{number}.txt"
        path.write_text(f"text {number % 20}")
        paths.append(path)
    (tmp_path / "empty.txt").touch()
    seen = []
    results = list(
        library.ingest_many([*paths, tmp_path / "empty.txt", tmp_path / "none"], plugin="pages", progress=seen.append)
    )
    assert sorted(item.source for item in results) == sorted(
        str(path) for path in [*paths, tmp_path / "empty.txt", tmp_path / "none"]
    )
    assert sum(item.result.ingestion_status == "complete" for item in results) == 30
    reasons = [item.result.failure_receipts[0].reason_code for item in results if item.result.failure_receipts]
    assert sorted(reasons) == ["source_empty", "source_missing"]
    assert len({item.document_id for item in results if item.document_id}) == 21  # 20 texts and the empty file
    assert [item.done for item in seen] == list(range(1, 33))
    assert seen[-1].total == 32
    good = [item for item in results if item.result.ingestion_status == "complete"]
    assert all(len(item.document.versions) == 1 for item in good)
    again = list(library.ingest_many(paths, plugin="pages"))
    assert all(item.reused for item in again)
    assert verify(library.context.artifacts, library.context.index).is_clean


def test_the_same_new_bytes_from_many_threads_are_converted_once(library, file):
    """The first event wins the transitions, the others attach to it (ENG-22)."""
    results = []
    threads = [threading.Thread(target=lambda: results.append(ingest(library, file))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(item.reused for item in results) == [False, *[True] * 5]
    assert len(library.document(results[0].document_id).versions) == 1


def test_two_corpora_share_one_conversion(library, file):
    """Two corpora: one conversion, two memberships (STO-10, scenario B)."""
    first, second = ingest(library, file, corpus="law"), ingest(library, file, corpus="news")
    assert (first.reused, second.reused) == (False, True)
    assert first.result.content_hashes.source_instance_id != second.result.content_hashes.source_instance_id
    assert [document.id for document in library.documents(corpus="law")] == [first.document_id]
    assert [document.id for document in library.documents(corpus="news")] == [first.document_id]
    assert ingest(library, file, corpus="law").result.content_hashes == first.result.content_hashes


def test_what_is_not_in_the_library_is_a_usage_error(library, tmp_path):
    with pytest.raises(UsageError, match="unknown surface"):
        library.ingest(b"x", name="a.txt", surface="nowhere")
    with pytest.raises(UsageError, match="there is no corpus"):
        library.documents(corpus="absent")
    with pytest.raises(UsageError, match="there is no library at"):
        Library.open(tmp_path / "absent", create=False)


def test_cancelling_a_run_ends_it_and_what_was_done_stays(make_plugin, tmp_path):
    make_plugin(
        "slow",
        HEAD
        + "time.sleep(0 if source.read_bytes() < b'b' else 60)\n    return Conversion(pages=(Page(number=1, kind='whole', markdown='x'),), paginated=False)",
    )
    paths = []
    for name in ("a", "b", "c", "d"):
        path = tmp_path / f"{name}.txt"
        path.write_text(name * 50)
        paths.append(path)
    stop = threading.Event()
    any_load = CareSettings(load_stop=1e6, load_go=1e5)  # on a loaded machine only some of the four would be in work
    with Library.open(tmp_path / "lib", settings=Settings(workers=4, engine=EngineSettings(care=any_load))) as opened:
        results = []
        for item in opened.ingest_many(paths, plugin="slow", cancel=stop):
            results.append(item)
            stop.set()
        assert results[0].result.ingestion_status == "complete"
        assert {item.result.failure_receipts[0].reason_code for item in results[1:]} == {"not_attempted"}
        assert len(results) == 4
        assert [document.status for document in opened.documents()] == ["complete"]


def test_a_cancelled_task_frees_the_document(make_plugin, tmp_path, file):
    make_plugin("slow", HEAD + "time.sleep(60)")

    async def main(library):
        task = asyncio.create_task(library.aingest(file, plugin="slow"))
        await asyncio.sleep(1.0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await library.aingest(b"x", name="b.txt", plugin="pages")

    make_plugin("pages", PAGES)
    with Library.open(tmp_path / "lib", settings=Settings(workers=1)) as opened:
        assert asyncio.run(main(opened)).result.ingestion_status == "complete"
        assert opened.ingest(file, plugin="pages").result.ingestion_status == "complete"


def test_a_timeout_of_one_call_is_honoured(make_plugin, tmp_path, file):
    make_plugin("slow", HEAD + "time.sleep(60)")
    with Library.open(tmp_path / "lib", settings=Settings(workers=1)) as opened:
        result = opened.ingest(file, plugin="slow", timeout=1.0).result
    assert result.failure_receipts[0].reason_code == "conversion_timeout"


def test_file_names_that_are_not_utf8_are_kept(library, tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.txt")
    with open(path, "wb") as stream:
        stream.write(b"x|y")
    done = ingest(library, os.fsdecode(path))
    assert done.result.original_artifact_ref.endswith("caf%E9.txt")
    assert library.document(done.document_id).reconvert(plugin="upper").version == 2
    done.result.to_json().encode("utf-8")


def test_an_unexpected_error_does_not_keep_the_document_from_coming_in_again(library, file, monkeypatch):
    """A full disk, say: the job is let go, and the next ingest of the same bytes finds the way free."""

    def full(*_args, **_options):
        raise StorageError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(library.context.artifacts, "put_version", full)
        with pytest.raises(StorageError):
            ingest(library, file)
    assert ingest(library, file).result.ingestion_status == "complete"


def test_cancelling_ends_the_wait_for_another_threads_work(make_plugin, library, file):
    make_plugin(
        "slow",
        HEAD
        + "time.sleep(8)\n    return Conversion(pages=(Page(number=1, kind='whole', markdown='x'),), paginated=False)",
    )
    with Library.open(library.path, settings=library.context.runtime.settings) as opened:
        first = threading.Thread(target=lambda: opened.ingest(file, plugin="slow"))
        first.start()
        time.sleep(1.5)
        cancel = threading.Event()
        timer = threading.Timer(0.5, cancel.set)
        timer.start()
        begun = time.monotonic()
        waited = opened.ingest(file, plugin="slow", cancel=cancel)
        assert time.monotonic() - begun < 5
        assert waited.result.failure_receipts[0].reason_code == "not_attempted"
        first.join()
        timer.join()


def test_bytes_that_could_not_be_converted_can_be_reconverted(library, make_plugin):
    """Their original is stored, and the document knows where (STO-1)."""
    make_plugin("bad", HEAD + "raise SourceCorrupt('no end')")
    with Library.open(library.path, settings=library.context.runtime.settings) as opened:
        done = opened.ingest(b"a|b", name="a.txt", plugin="bad")
        assert done.result.original_artifact_ref.startswith("store:originals/")
        assert done.document.reconvert(plugin="pages").version == 1
        assert opened.document(done.document_id).status == "complete"
