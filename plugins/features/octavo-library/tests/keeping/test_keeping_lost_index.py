"""An index that is lost or damaged: said with the place, and made anew from what stands beside it (STO-8, STO-19)."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from octavo.runtime import Runtime
from octavo_cli import main
from octavo_contracts import LibraryDamaged, StorageError, UsageError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.storage import ArtifactStore, PolicyContext, document_id_for
from octavo_library.storage.index.rebuild import rebuild_index
from octavo_library.storage.index.row_completion import UNKNOWN_POLICY

pytestmark = pytest.mark.sqlite_files

SECRET = CorpusSettings(visibility="firewalled", sensitivity="privileged", retention=7)


@pytest.fixture
def ids(root: Path, shared_runtime: Runtime, tmp_path: Path) -> dict[str, str]:
    """A library with all that users make: corpora, notes, links, types by hand, rollbacks, a failure, a purge."""
    notes, moved, bad = tmp_path / "notes.txt", tmp_path / "moved.txt", tmp_path / "sleepy.txt"
    notes.write_text("harbour notes|the tide turned at noon|the seals came in")
    shutil.copy(notes, moved)
    bad.write_text("never read")
    with Library.open(root, runtime=shared_runtime) as library:
        library.corpora.create("sea")
        library.corpora.create("secret", SECRET)
        one = library.ingest(notes, corpus="sea", plugin="pages").document
        library.ingest(moved, plugin="pages")
        one.reconvert(plugin="headed")
        one.versions.activate(1)
        one.annotations.add("note", text="look here", page=2)
        hidden = library.ingest(b"secret plan|of the gulls", name="plan.txt", corpus="secret", plugin="pages").document
        hidden.set_type("contract")
        one.links.add(hidden, kind="related_to")
        failed = library.ingest(bad, corpus="sea", plugin="sleepy", timeout=0.5)
        gone = library.ingest(b"gone|soon", name="gone.txt", plugin="pages").document
        gone.reconvert(plugin="headed")
        library.maintenance.purge(gone, confirm=gone.id)
        assert library.maintenance.verify().is_clean
    assert failed.document_id is not None
    return {"one": one.id, "hidden": hidden.id, "failed": failed.document_id, "gone": gone.id}


def told(root: Path, runtime: Runtime, *, with_check: bool = True) -> dict[str, Any]:
    """What a library says of itself to its owner and to each corpus."""
    firewalled = PolicyContext(visibility="firewalled", sensitivity="privileged", scope_basis="corpus")
    with Library.open(root, runtime=runtime) as library:
        found: dict[str, Any] = {"corpora": library.corpora.list(), "id": library.context.index.library_id()}
        for document in library.documents():
            found[document.id] = {
                "title": document.title,
                "type": library.context.index.documents.get(document.id).document_type,
                "status": (document.status, document.reason),
                "paths": document.paths,
                "result": document.result.model_dump(),
                "text": document.canonical_text if document.active_version else None,
                "versions": list(document.versions),
                "activations": library.context.index.versions.activations(document.id),
                "notes": [(one.text, one.span, one.page) for one in document.annotations],
                "links": library.context.index.links.of_document(document.id),
                "log": library.context.index.jobs.processing_log(document.raw_hash),
                "pages": [
                    library.context.index.versions.hashes(document.id, each.version, "page")
                    for each in document.versions
                ],
                "chunks": [
                    library.context.index.versions.hashes(document.id, each.version, "chunk")
                    for each in document.versions
                ],
            }
        for scope in ({}, {"corpus": "sea"}, {"corpus": "secret"}, {"policy": firewalled}, {"policy": PolicyContext()}):
            found[f"seen by {scope}"] = [one.id for one in library.documents(**scope)]  # type: ignore[arg-type]  # as documents takes them
            found[f"found by {scope}"] = sorted(hit.snippet for hit in library.search("tide secret", **scope))  # type: ignore[arg-type]  # likewise
            found[f"paths by {scope}"] = [one.paths for one in library.documents(**scope)]  # type: ignore[arg-type]  # likewise
        found["numbers"] = library.context.index.versions.highest(document_id_for("0" * 64))
        if with_check:
            found["clean"] = library.maintenance.verify().is_clean
    return found


def test_an_index_that_is_gone_is_made_anew_as_it_was(root: Path, ids: dict[str, str], shared_runtime: Runtime) -> None:
    before = told(root, shared_runtime)
    highest = highest_of(root, shared_runtime, ids["gone"])
    for path in root.glob("index.sqlite*"):
        path.unlink()
    for create in (True, False):
        with pytest.raises(LibraryDamaged, match="has documents and no index") as caught:
            Library.open(root, runtime=shared_runtime, create=create)
        assert "--rebuild-index" in caught.value.remedy
    report = rebuild_index(root)
    assert set(report.from_records) == {ids["one"], ids["hidden"], ids["failed"]}
    assert (report.from_versions, report.chosen, report.damaged, report.aside) == ((), (), (), None)
    assert told(root, shared_runtime) == before
    assert highest_of(root, shared_runtime, ids["gone"]) == highest == 2, "a purged version's number is not used again"


def highest_of(root: Path, runtime: Runtime, document_id: str) -> int:
    with Library.open(root, runtime=runtime) as library:
        return library.context.index.versions.highest(document_id)


def test_without_records_nobody_but_the_owner_sees_what_was_lost(
    root: Path, ids: dict[str, str], shared_runtime: Runtime
) -> None:
    """STO-5: a document whose policy context is not known must not become visible to a wider one."""
    for path in (*root.glob("index.sqlite*"), *root.glob("by_hash/*/record.json"), root / "library.json"):
        path.unlink()
    report = rebuild_index(root)
    assert set(report.from_versions) == {ids["one"], ids["hidden"]}
    assert (ids["one"], 2) in report.chosen or report.chosen == ()
    with Library.open(root, runtime=shared_runtime) as library:
        assert {one.id for one in library.documents()} == {ids["one"], ids["hidden"]}
        assert library.documents(policy=PolicyContext()) == []
        assert list(library.search("tide secret")) == []
        assert [one.id for one in library.documents(policy=UNKNOWN_POLICY)]
        assert "secret plan" in library.document(ids["hidden"]).canonical_text
        assert library.document(ids["one"]).active_version == 2, "the newest intact one"


def test_a_record_that_is_older_than_its_corpus_s_policy_gives_nothing_away(
    root: Path, ids: dict[str, str], shared_runtime: Runtime
) -> None:
    records = {path: path.read_bytes() for path in root.glob("by_hash/*/record.json")}
    with Library.open(root, runtime=shared_runtime) as library:
        library.corpora.update("sea", SECRET)
    for path, data in records.items():
        path.write_bytes(data)
    for path in root.glob("index.sqlite*"):
        path.unlink()
    rebuild_index(root)
    with Library.open(root, runtime=shared_runtime) as library:
        ambient = PolicyContext(scope_basis="corpus")
        assert library.documents(policy=ambient) == []
        assert ids["one"] in [one.id for one in library.documents(corpus="sea")]


def sql(*statements: str) -> Callable[[Path], None]:
    def damage(root: Path) -> None:
        connection = sqlite3.connect(root / "index.sqlite")
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()

    return damage


def cut_off(root: Path) -> None:
    path = root / "index.sqlite"
    os.truncate(path, path.stat().st_size * 6 // 10 // 4096 * 4096)


def overwrite_head(root: Path) -> None:
    with (root / "index.sqlite").open("r+b") as stream:
        stream.write(bytes(5000))


DAMAGES = {
    "documents, row 1, column title": sql("UPDATE documents SET title = CAST(x'ff41' AS TEXT) WHERE rowid = 1"),
    "documents, row 1, column classification_json": sql(
        "UPDATE documents SET classification_json = '{' WHERE rowid = 1"
    ),
    "documents, row 1, column ingestion_status": sql("UPDATE documents SET ingestion_status = 'odd' WHERE rowid = 1"),
    "documents, row 1, column active_conversion_version": sql(
        "UPDATE documents SET active_conversion_version = 'x' WHERE rowid = 1"
    ),
    "conversions, row 1, column flags_json": sql("UPDATE conversions SET flags_json = 'no' WHERE rowid = 1"),
    "corpora, row 1, column overrides_json": sql("UPDATE corpora SET overrides_json = '{' WHERE rowid = 1"),
    "corpora, row 2, column visibility": sql("UPDATE corpora SET visibility = CAST(x'ff' AS TEXT) WHERE rowid = 2"),
    "document_source_instances, row 1, column policy_context_json": sql(
        "UPDATE document_source_instances SET policy_context_json = '[' WHERE rowid = 1"
    ),
    "document_annotations, row 1, column body": sql("UPDATE document_annotations SET body = CAST(x'ff' AS TEXT)"),
    "jobs, row 1, column request_json": sql("UPDATE jobs SET request_json = '[]' WHERE rowid = 1"),
    "transitions, row 1, column details_json": sql("UPDATE transitions SET details_json = '' WHERE rowid = 1"),
    "transitions: missing": sql("DROP TABLE transitions"),
    "document_source_instances: missing": sql("DROP TABLE document_source_instances"),
    "alembic_version": sql("DROP TABLE alembic_version"),
    "malformed": cut_off,
    "not a database": overwrite_head,
}


@pytest.mark.parametrize("what", DAMAGES)
def test_a_damaged_index_is_named_with_the_place_and_mended(
    root: Path, ids: dict[str, str], shared_runtime: Runtime, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """No command calls it a bug, and `repair` gives back what there was before."""
    before = told(root, shared_runtime)
    DAMAGES[what](root)
    damaged = (root / "index.sqlite").read_bytes()
    said = []
    for command in (["list"], ["show", ids["one"]], ["corpus", "show", "sea"], ["search", "tide"], ["verify-store"]):
        code = main([*command, "--library", str(root)])
        shown = capsys.readouterr()
        assert "this is a bug" not in shown.err
        assert code in (0, 3), shown.err
        if code:
            assert "[library_damaged]" in shown.err
            assert "octavo repair" in shown.err
            said.append(shown.err)
    assert any(what in text for text in said), said
    assert main(["repair", "--library", str(root)]) == 3, "nothing is changed without --yes"
    capsys.readouterr()
    assert main(["repair", "--yes", "--json", "--library", str(root)]) == 0
    rebuilt = json.loads(capsys.readouterr().out)["rebuilt"]
    assert any(what in each for each in rebuilt["lost"])
    assert (root / rebuilt["aside"]).read_bytes() == damaged, "the old index is moved aside, and never deleted"
    after = told(root, shared_runtime)
    for name in ("title", "classification_json"):
        if name in what:
            assert after[ids["one"]]["text"] == before[ids["one"]]["text"]
    if "request_json" not in what:
        assert after == before
    assert after["clean"]


def test_an_index_of_a_newer_octavo_is_left_alone(root: Path, ids: dict[str, str], shared_runtime: Runtime) -> None:
    sql("UPDATE alembic_version SET version_num = '9999'")(root)
    before = (root / "index.sqlite").read_bytes()
    with pytest.raises(StorageError, match="has schema 9999") as caught:
        Library.open(root, runtime=shared_runtime)
    assert caught.value.reason is None
    assert main(["repair", "--yes", "--library", str(root)]) == 3
    assert (root / "index.sqlite").read_bytes() == before


def test_an_index_is_not_made_anew_under_somebody_s_hands(root: Path, ids: dict[str, str]) -> None:
    with ArtifactStore(root), pytest.raises(UsageError, match="has the library open"):
        rebuild_index(root)


def test_a_purged_document_leaves_no_record(root: Path, ids: dict[str, str]) -> None:
    """STO-12: what was purged stands nowhere in the library, the copies beside the index included."""
    for path in root.rglob("*.json"):
        assert b"gone.txt" not in path.read_bytes()
        assert b"gone|soon" not in path.read_bytes()
    assert not (root / "by_hash" / "record.json").exists()


def test_a_library_of_an_older_octavo_gets_its_records(
    root: Path, ids: dict[str, str], shared_runtime: Runtime
) -> None:
    records = sorted(root.glob("by_hash/*/record.json"))
    for path in (*records, root / "library.json"):
        path.unlink()
    with Library.open(root, runtime=shared_runtime) as library:
        assert library.maintenance.verify().is_clean
    assert sorted(root.glob("by_hash/*/record.json")) == records


def test_a_record_that_does_not_say_what_the_index_says_is_found_and_repaired(
    root: Path, ids: dict[str, str], shared_runtime: Runtime
) -> None:
    path = next(root.glob("by_hash/*/record.json"))
    data = path.read_bytes()
    path.write_bytes(data[:100])
    with Library.open(root, runtime=shared_runtime) as library:
        assert library.maintenance.verify().outdated_logs == (f"store:{path.relative_to(root).as_posix()}",)
        library.maintenance.repair()
        assert library.maintenance.verify().is_clean
    assert path.read_bytes() == data
