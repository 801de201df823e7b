"""Layered deletion (STO-12): out of a corpus, dormant, gone for good; and retention (STO-6, STO-19, ENG-29)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from octavo.runtime import Runtime
from octavo_cli import main
from octavo_contracts import Intent, StorageError, UsageError
from octavo_library import Library
from octavo_library.facade.maintenance.retention import Retention
from octavo_library.storage import ArtifactStore, NewJob

LATER = datetime.now(UTC) + timedelta(days=31)


def tree(root: Path) -> list[str]:
    """Every file of a library but the index and the locks."""
    found = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    return sorted(name for name in found if not name.startswith(("index.sqlite", "locks")))


def test_a_document_leaves_a_corpus_and_stays_in_the_library(library: Library, file: Path) -> None:
    document = library.ingest(file, corpus="law", plugin="pages").document
    library.ingest(file, corpus="news")

    assert library.corpora.remove_document(document, "law")

    assert library.documents(corpus="law") == []
    assert [one.id for one in library.documents(corpus="news")] == [document.id]
    assert library.maintenance.orphans() == ()
    assert not library.corpora.remove_document(document.id, "law")
    library.corpora.remove_document(document, "news")
    assert library.maintenance.orphans() == (document.id,)
    assert library.document(document.id).markdown.startswith("# harbour")
    assert library.ingest(file, corpus="law").reused
    assert library.maintenance.orphans() == ()


def test_a_document_that_came_by_itself_is_never_dormant(library: Library) -> None:
    library.ingest(b"from a chat", name="a.txt", surface="chat_attachment", plugin="pages")
    assert library.maintenance.orphans() == ()


def test_a_purge_is_shown_confirmed_and_complete(library: Library, root: Path, file: Path) -> None:
    document = library.ingest(file, corpus="law", plugin="pages").document
    library.ingest(file.read_bytes(), name="copy.txt")
    document.reconvert(plugin="headed")
    other = library.ingest(b"another document", name="b.txt", plugin="pages").document
    document.annotations.add("note", text="mine")
    document.links.add(other, kind="revises")
    document.similar()
    page = "ab" * 32
    library.context.artifacts.put_ocr(page, name="engine-1-0123456789ab.json", data=b"{}")
    library.context.index.purges.record_ocr_pages(document.id, [page])

    shown = library.maintenance.purge_preview(document)

    on_disk = {f"store:{name}" for name in tree(root) if document.raw_hash in name or page in name}
    assert set(shown.files) == on_disk
    assert shown.bytes == sum((root / name.removeprefix("store:")).stat().st_size for name in on_disk) > 0
    assert (shown.corpora, len(shown.kept_paths)) == (("law",), 1)
    assert shown.rows["conversions"] == 2
    assert shown.rows["document_annotations"] == shown.rows["document_links"] == 1
    with pytest.raises(UsageError, match="the confirmation matches neither"):
        library.maintenance.purge(document, confirm="yes")
    library.ingest(file)  # one more event: what was shown is not what would go
    with pytest.raises(UsageError, match="the confirmation matches neither"):
        library.maintenance.purge(document, confirm=shown.digest)
    assert library.document(document.id).markdown

    done = library.maintenance.purge(document, confirm=library.maintenance.purge_preview(document).digest)

    assert (done.documents, done.ocr_pages, done.bytes) == (1, 1, shown.bytes)
    assert [name for name in tree(root) if document.raw_hash in name or page in name] == []
    assert not (root / "by_hash" / document.raw_hash).exists()
    assert file.read_text().startswith("harbour notes")
    assert library.context.index.purges.rows_of(document.id) == {}
    assert library.context.index.jobs.of_hash(document.raw_hash) == ()
    with pytest.raises(UsageError, match="no document matches"):
        library.document(document.id)
    assert tuple(other.links) == ()
    assert library.maintenance.verify().is_clean


def test_the_log_of_purges_holds_no_content_and_numbers_go_on(library: Library, root: Path, file: Path) -> None:
    document = library.ingest(file, plugin="pages").document
    document.reconvert(plugin="headed")
    library.maintenance.purge(document, confirm=document.id, by="anna")

    (line,) = library.maintenance.purge_log()

    assert (line.kind, line.document_id, line.purged_by, line.subject) == ("document", document.id, "anna", None)
    assert line.done_at is not None
    library.context.index.close()
    data = b"".join(path.read_bytes() for path in root.glob("index.sqlite*"))
    assert b"harbour" not in data
    assert document.raw_hash.encode() not in data
    library.ingest(file, plugin="pages")
    assert [one.version for one in library.document(document.id).versions] == [3]


def test_a_document_that_is_being_converted_is_not_purged(library: Library, root: Path, file: Path) -> None:
    document = library.ingest(file, plugin="pages").document
    with ArtifactStore(root) as other:
        library.context.index.jobs.start(NewJob(raw_hash=document.raw_hash, intent=Intent.RECONVERT), owner=other.owner)
        with pytest.raises(UsageError, match="being converted now"):
            library.maintenance.purge(document, confirm=document.id)
    assert [job.owner for job in library.context.index.jobs.open_jobs()] != [library.context.artifacts.owner]
    assert library.document(document.id).markdown
    assert library.maintenance.purge(document, confirm=document.id).documents == 1
    assert library.context.index.jobs.open_jobs() == ()


CRASH = """
import os, sys
from octavo_library import Library
from octavo_library.storage import ArtifactStore
from octavo_library.storage.index.purges import PurgeRepository
root, document, where, index = sys.argv[1:]
def die(*args, **kwargs):
    os._exit(9)
def count(self, ref, real=ArtifactStore.remove):
    real(self, ref)
    os._exit(9)
if where == "held":
    PurgeRepository.begin_document = die
elif where == "noted":
    ArtifactStore.remove = die
elif where == "removing":
    ArtifactStore.remove = count
elif where == "removed":
    PurgeRepository.finish = die
library = Library.open(root, index=index or None)
library.maintenance.purge(document, confirm=document)
"""


@pytest.mark.parametrize("where", ["held", "noted", "removing", "removed"])
def test_a_purge_that_is_killed_is_undone_or_completed_by_the_next_opening(
    root: Path, shared_runtime: Runtime, index_argument: Callable[[Library], str], where: str
) -> None:
    with Library.open(root, runtime=shared_runtime) as library:
        document = library.ingest(b"secret|words", name="a.txt", plugin="pages").document
        text = document.canonical_text
        library.ingest(b"a neighbour", name="b.txt", plugin="pages")
        index = index_argument(library)
    killed = subprocess.run([sys.executable, "-c", CRASH, root, document.id, where, index], check=False)
    assert killed.returncode == 9

    with Library.open(root, runtime=shared_runtime) as library:
        ids = [one.id for one in library.documents()]
        assert (document.id in ids) == (where == "held")
        assert any(document.raw_hash in name for name in tree(root)) == (where == "held")
        assert library.context.index.jobs.open_jobs() == ()
        assert library.context.index.purges.pending() == ()
        assert library.maintenance.verify().is_clean
        again = library.ingest(b"secret|words", name="a.txt", plugin="pages")
        assert again.reused == (where == "held")
        assert again.document.canonical_text == text if where == "held" else True
        assert library.maintenance.verify().is_clean


def test_bytes_that_come_again_before_a_purge_is_completed_keep_what_is_new(
    root: Path, shared_runtime: Runtime
) -> None:
    with Library.open(root, runtime=shared_runtime) as library:
        document = library.ingest(b"secret|words", name="a.txt", plugin="pages").document
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ArtifactStore, "remove", lambda *_: (_ for _ in ()).throw(StorageError("the disk failed")))
            with pytest.raises(StorageError, match="the disk failed"):
                library.maintenance.purge(document, confirm=document.id)
        assert len(library.maintenance.verify().pending_purges) == 1
        library.ingest(b"secret|words", name="a.txt", plugin="pages")
    with Library.open(root, runtime=shared_runtime) as library:
        assert library.context.index.purges.pending() == ()
        assert [one.version for one in library.document(document.id).versions] == [2]
        assert library.context.artifacts.versions(document.raw_hash) == (2,)
        assert library.maintenance.verify().is_clean


def test_old_versions_can_be_given_up_after_thirty_days_and_not_before(library: Library, file: Path) -> None:
    document = library.ingest(file, plugin="pages").document
    document.reconvert(plugin="headed")
    assert library.maintenance.expired().versions == ()

    shown = library.maintenance.expired(now=LATER)

    assert [(one.document_id, one.version) for one in shown.versions] == [(document.id, 1)]
    assert shown.bytes == sum(
        size for _, size in library.context.artifacts.files(f"store:by_hash/{document.raw_hash}/conversions/v1")
    )
    done = library.maintenance.purge_expired(shown)
    assert (done.versions, done.bytes) == (1, shown.bytes)
    assert [(one.version, one.condition) for one in library.document(document.id).versions] == [
        (1, "purged"),
        (2, "stored"),
    ]
    assert library.maintenance.verify().is_clean
    with pytest.raises(UsageError, match="has no version 1"):
        document.versions.activate(1)
    assert library.document(document.id).markdown.startswith("Read again.")
    assert library.maintenance.expired(now=LATER).versions == ()
    assert document.reconvert(plugin="pages").version == 3


def test_the_window_begins_when_another_version_took_over(library: Library, file: Path) -> None:
    """A version that was gone back to yesterday was in use until then, however old it is."""
    document = library.ingest(file, plugin="pages").document
    document.reconvert(plugin="headed")
    taken = library.context.index.versions.activations(document.id)[1][1]
    moment = datetime.fromisoformat(taken) + timedelta(days=30)
    assert library.maintenance.expired(now=moment - timedelta(seconds=1)).versions == ()
    assert [one.version for one in library.maintenance.expired(now=moment).versions] == [1]


def test_a_version_that_became_active_since_the_preview_stays(library: Library, file: Path) -> None:
    document = library.ingest(file, plugin="pages").document
    document.reconvert(plugin="headed")
    shown = library.maintenance.expired(now=LATER)
    document.versions.activate(1)
    assert library.maintenance.purge_expired(shown).versions == 0
    assert library.document(document.id).markdown.startswith("# harbour")


def test_the_longest_rule_of_a_documents_corpora_counts(library: Library, file: Path) -> None:
    document = library.ingest(file, corpus="brief", plugin="pages").document
    document.reconvert(plugin="headed")
    library.corpora.set_retention("brief", "active_only")
    assert [one.version for one in library.maintenance.expired().versions] == [1]
    library.ingest(file, corpus="long")
    library.corpora.set_retention("long", 60)
    assert library.maintenance.expired(now=LATER).versions == ()
    assert len(library.maintenance.expired(now=LATER + timedelta(days=30)).versions) == 1
    library.corpora.set_retention("long", "everything")
    assert len(library.maintenance.expired(now=LATER).versions) == 1
    with pytest.raises(UsageError, match="invalid retention rule"):
        library.corpora.set_retention("long", -1)
    with pytest.raises(UsageError, match="there is no corpus"):
        library.context.index.corpora.set_setting("absent", "retention", 1)
    assert Retention.parse("90") == Retention(days=90)


def test_recognised_pages_go_when_no_document_of_theirs_is_in_a_corpus(library: Library, file: Path) -> None:
    used = library.ingest(file, corpus="law", plugin="pages").document
    free = library.ingest(b"free", name="free.txt", plugin="pages").document
    shared, own, unclaimed = ("aa" * 32, "bb" * 32, "cc" * 32)
    for page in (shared, own, unclaimed):
        library.context.artifacts.put_ocr(page, name="engine-1-0123456789ab.json", data=b'{"text": "x"}')
    library.context.index.purges.record_ocr_pages(used.id, [shared])
    library.context.index.purges.record_ocr_pages(free.id, [shared, own])

    shown = library.maintenance.expired()

    assert dict(shown.ocr_pages) == {own: 13}
    assert library.maintenance.purge_expired(shown).ocr_pages == 1
    assert sorted(os.listdir(library.path / "ocr")) == [shared, unclaimed]
    library.corpora.remove_document(used, "law")
    late = library.maintenance.expired()
    library.ingest(file, corpus="law")
    assert library.maintenance.purge_expired(late).ocr_pages == 0


def test_commands_remove_and_purge(
    library: Library, root: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = library.ingest(file, corpus="law", plugin="pages").document
    document.reconvert(plugin="headed")
    at = ["--library", str(root)]
    assert main(["purge", "--expired", *at]) == 0
    assert "0 versions, 0 page scans, 0 B" in capsys.readouterr().out
    library.corpora.set_retention("law", "active_only")
    assert main(["purge", "--expired", *at]) == 0
    assert "Nothing was removed; confirm with --yes" in capsys.readouterr().out
    assert main(["purge", "--expired", "--yes", "--json", *at]) == 0
    assert '"versions": 1' in capsys.readouterr().out
    assert main(["remove", document.id, "--corpus", "law", *at]) == 0
    assert main(["remove", document.id, "--corpus", "law", *at]) == 2
    assert main(["purge", document.id, *at]) == 0
    assert f"confirm with --confirm {document.id}" in capsys.readouterr().out
    assert main(["purge", document.id, "--confirm", "no", *at]) == 2
    assert main(["purge", *at]) == 2
    assert main(["purge", document.id, "--yes", *at]) == 2
    assert main(["purge", "--expired", "--confirm", document.id, *at]) == 2
    assert main(["purge", document.id, "--json", *at]) == 0
    assert '"purged": null' in capsys.readouterr().out
    assert main(["purge", document.id, "--confirm", document.id, *at]) == 0
    assert "Permanently removed" in capsys.readouterr().out
    assert library.documents() == []
