"""What a library says when its files were altered behind its back, and when it is used after its end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time

import pytest
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_contracts import ExitCode, IngestionResult, LibraryDamaged, UsageError, file_ref
from octavo_library import Library
from octavo_library.storage import ArtifactStore


def ingest(library, data=b"Tides|ebb|flood", name="tides.txt"):
    return library.ingest(data, name=name, plugin="pages")


@pytest.fixture
def document(library):
    return ingest(library).document


def folder_of(library, document):
    return library.path / "by_hash" / document.raw_hash / "conversions" / "v1"


READS = {
    "converted.md": lambda document: document.markdown,
    "canonical.txt": lambda document: document.page(1),
    "anchors.json": lambda document: document.pages,
    "pages.json": lambda document: document.result,
    "tool.json": lambda document: document.result,
    "quality_report.json": lambda document: document.quality,
    "metadata.json": lambda document: document.archive(),
    "version.json": lambda document: document.markdown,
}
"""Each file of a version → something that cannot be had without it."""


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("how", ["missing", "empty", "altered", "not UTF-8"])
def test_a_damaged_file_is_named_and_never_read_as_if_it_were_whole(library, document, name, how):
    path = folder_of(library, document) / name
    data = path.read_bytes()
    path.chmod(0o600)
    if how == "missing":
        path.unlink()
    else:
        path.write_bytes({"empty": b"", "altered": data.replace(b"s", b"z", 1), "not UTF-8": b"\xff\xfe" + data}[how])
    fresh = library.document(document.id)
    with pytest.raises(LibraryDamaged, match=f"^Tides: version 1 is damaged: .*{name}") as caught:
        READS[name](fresh)
    assert "`octavo verify-store`" in caught.value.remedy
    assert "`octavo repair`" in caught.value.remedy
    assert caught.value.exit_code is ExitCode.HARD_FAILURES
    assert not library.maintenance.verify().is_clean


@pytest.mark.parametrize("damage", ["missing", "{", '{"chunks": 7, "chunk_hashes": []}'])
def test_a_damaged_chunk_set_is_named(library, document, damage):
    (path,) = folder_of(library, document).glob("chunks/*/manifest.json")
    path.chmod(0o600)
    path.unlink() if damage == "missing" else path.write_text(damage)
    with pytest.raises(LibraryDamaged, match=r"manifest\.json is missing|manifest\.json does not hold"):
        _ = library.document(document.id).result
    library.maintenance.repair()
    assert library.document(document.id).result.chunk_manifest


def test_a_file_that_lies_about_itself_consistently_is_still_refused(library, document):
    """Somebody who alters a file and its hash cannot make a result of what is none."""
    folder = folder_of(library, document)
    manifest = json.loads((folder / "version.json").read_text())
    library.context.artifacts.path(f"store:by_hash/{document.raw_hash}/conversions/v1/tool.json").write_text("[]")
    manifest["files"]["tool.json"] = {
        "size": 2,
        "sha256": "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945",
    }
    (folder / "version.json").write_text(json.dumps(manifest))
    with pytest.raises(LibraryDamaged, match=r"tool\.json does not hold what belongs in it"):
        _ = library.document(document.id).result


def remove_folder(folder):
    shutil.rmtree(folder)


def remove_a_file(folder):
    (folder / "tool.json").unlink()


def cut_short(folder):
    os.truncate(folder / "canonical.txt", 3)


def alter(folder):
    """Same size, other words: only the hash tells."""
    path = folder / "canonical.txt"
    path.chmod(0o600)
    path.write_bytes(path.read_bytes().replace(b"ebb", b"egg"))


DAMAGES = (remove_folder, remove_a_file, cut_short, alter)


@pytest.mark.parametrize("noted", [False, True], ids=["", "after repair"])
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("many", [False, True], ids=["ingest", "ingest_many"])
def test_a_document_whose_version_is_damaged_is_converted_again_from_its_original(
    library, document, tmp_path, damage, many, noted
):
    """ENG-18: what is not there cannot be reused, and it is no full disk."""
    text = document.canonical_text
    damage(folder_of(library, document))
    if noted:
        library.maintenance.repair()
    known, other = tmp_path / "tides.txt", tmp_path / "other.txt"
    known.write_bytes(b"Tides|ebb|flood")
    other.write_bytes(b"springs|neaps")
    if many:
        done = list(library.ingest_many([known, other], plugin="pages"))
    else:
        done = [library.ingest(path, plugin="pages") for path in (known, other)]
    assert {one.result.ingestion_status for one in done} == {"complete"}
    mended = library.document(document.id)
    # The repair lets routing choose the plugin, as `reconvert` does.
    assert mended.canonical_text == ("Tides|ebb|flood" if noted else text)
    # The repair has converted it again already, from the bytes that the library had stored.
    assert [version.version for version in mended.versions] == [1, 2]
    assert [version.condition for version in mended.versions] == ["damaged", "stored"]
    assert mended.active_version == 2
    assert file_ref(str(known)) in mended.paths
    assert next(iter(library.ingest_many([known]))).reused
    library.maintenance.repair()
    remaining = library.maintenance.repair().remaining
    assert all("/conversions/v1/" in ref for ref in remaining)


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_intact_other_version_takes_the_place_of_a_damaged_one(library, document, damage):
    library.document(document.id).reconvert(plugin="headed", activate=False)
    damage(folder_of(library, document))
    done = ingest(library)
    assert done.reused
    assert done.result.ingestion_status == "complete"
    mended = library.document(document.id)
    assert (mended.active_version, [version.condition for version in mended.versions]) == (2, ["damaged", "stored"])
    assert mended.canonical_text.startswith("Read again.")


def test_a_damaged_document_that_can_not_be_converted_again_says_so_and_does_not_end_the_run(
    library, document, tmp_path
):
    """ENG-15: its neighbours are ingested; its own result names the failure of the conversion, and no full disk."""
    shutil.rmtree(folder_of(library, document))
    known, other = tmp_path / "tides.txt", tmp_path / "other.txt"
    known.write_bytes(b"Tides|ebb|flood")
    other.write_bytes(b"springs|neaps")
    results = {
        os.path.basename(done.source): done.result
        for done in library.ingest_many([known, other], plugin="sleepy", timeout=0.5)
    }
    failed = results["tides.txt"]
    assert failed.ingestion_status == "hard_failed"
    assert failed.document_id == document.id
    assert failed.failure_receipts[0].reason_code == "conversion_timeout"
    assert IngestionResult.read(failed.to_json()) == failed


def test_a_version_that_is_damaged_when_its_result_is_read_is_made_again(library, document):
    """A version that is damaged after the run has looked: its result is made again when it is read."""
    done = ingest(library)
    (folder_of(library, document) / "tool.json").unlink()
    assert done.result.ingestion_status == "complete"
    assert library.document(document.id).active_version == 2


def test_repair_converts_again_what_has_no_intact_version(library, document):
    shutil.rmtree(folder_of(library, document))
    report = library.maintenance.repair()
    assert report.damaged == ((document.id, 1),)
    assert report.reconverted == ((document.id, 2),)
    assert report.unreadable == ()
    assert library.document(document.id).canonical_text


def test_a_purged_version_is_not_called_damaged(library, document):
    held = library.document(document.id)
    library.maintenance.purge(document.id, confirm=document.id)
    with pytest.raises(UsageError, match="there is no document"):
        _ = held.markdown


def test_a_version_that_retention_purged_says_so(library, tmp_path):
    path = tmp_path / "tides.txt"
    path.write_bytes(b"Tides|ebb|flood")
    held = library.ingest(path, corpus="tides", plugin="pages").document
    held.reconvert(plugin="headed")
    library.corpora.set_retention("tides", "active_only")
    library.maintenance.purge_expired(library.maintenance.expired())
    with pytest.raises(UsageError, match="version 1 was purged"):
        _ = held.markdown


def test_what_is_asked_of_a_closed_library_is_refused_in_words(library, tmp_path):
    done, unread = ingest(library), ingest(library)
    document = done.document
    many = library.ingest_many([tmp_path / "absent.txt"])
    library.close()
    library.close()
    asked = {
        "ingest": lambda: library.ingest(b"x", name="x.txt"),
        "ingest_many": lambda: list(library.ingest_many([])),
        "a run that had begun": lambda: list(many),
        "reingest": lambda: library.ingest(b"x", name="x.txt", reingest=True),
        "documents": library.documents,
        "document": lambda: library.document("abcdef"),
        "search": lambda: library.search("ebb"),
        "corpora": library.corpora.list,
        "verify": library.maintenance.verify,
        "markdown": lambda: document.markdown,
        "versions": lambda: list(document.versions),
        "reconvert": document.reconvert,
        "result": lambda: unread.result,
    }
    for what, ask in asked.items():
        with pytest.raises(UsageError, match=f"the library at {library.path} is closed") as caught:
            ask()
        assert "Library.open" in caught.value.remedy, what
    assert done.result.ingestion_status == "complete"  # what was given before stays
    with pytest.raises(AttributeError, match="has no attribute 'docments'"):
        library.docments()


def test_a_library_that_could_not_be_opened_leaves_nothing_behind(tmp_path):
    root = tmp_path / "library"
    root.mkdir()
    (root / "index.sqlite").write_bytes(b"no database at all, and longer than a header of one" * 50)
    with pytest.raises(Exception, match="index"):
        Library.open(root)
    assert [path.name for path in root.iterdir()] == ["index.sqlite"]


def in_a_child(ask):
    """Run a function in a forked copy of this process; returns what it wrote."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, ask().encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return said


# Python 3.12 warns of a fork in a process with threads; what becomes of it is what is tested.
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_is_refused_and_can_not_close_its_parents_library(library, document):
    owner = library.context.artifacts.owner

    def ask():
        with pytest.raises(UsageError) as reading:
            _ = document.markdown
        with pytest.raises(UsageError) as asking:
            library.documents()
        library.close()
        return f"{reading.value}\n{asking.value}"

    said = in_a_child(ask).splitlines()
    expected = f"the library at {library.path} was opened by another process. Open it with Library.open"
    assert said == [expected, expected]
    assert (library.path / "locks" / f"{owner}.lock").is_file()
    assert (library.path / "tmp" / owner).is_dir()
    with ArtifactStore(library.path) as other:
        assert other.is_alive(owner)
    assert ingest(library, b"springs", "more.txt").result.ingestion_status == "complete"


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_may_open_the_same_folder(library, document):
    def ask():
        with Runtime(Settings(workers=1)) as runtime, Library.open(library.path, runtime=runtime) as own:
            return own.document(document.id).markdown

    assert in_a_child(ask) == "# Tides\n\n# ebb\n\n# flood"


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_that_outlives_its_parent_does_not_keep_its_claims(tmp_path):
    """The lock is of the open file, which a fork copies: the child lets go of it at once."""
    root = tmp_path / "library"
    reader, writer = os.pipe()
    parent = os.fork()
    if parent == 0:
        with ArtifactStore(root) as store:
            grandchild = os.fork()
            if grandchild == 0:
                os.write(writer, f"{os.getpid()} {store.owner}\n".encode())
                time.sleep(60)
                os._exit(0)
            time.sleep(60)
    with os.fdopen(reader) as stream:
        os.close(writer)
        grandchild, owner = stream.readline().split()
    with ArtifactStore(root) as store:
        assert store.is_alive(owner)
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    try:
        with ArtifactStore(root) as store:
            assert not store.is_alive(owner)
    finally:
        os.kill(int(grandchild), signal.SIGKILL)
