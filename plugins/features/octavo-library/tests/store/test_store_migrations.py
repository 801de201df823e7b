"""Libraries that releases wrote, one for every schema there ever was, opened by this Octavo (STO-3).

`libraries/make.py` made them. What they hold is told there; the values below are what their release answered.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from octavo_library import Library
from octavo_library.storage import DocumentState, PolicyContext, verify
from octavo_library.storage.index import migrations
from octavo_library.storage.index.schema import REVISION

pytestmark = pytest.mark.sqlite_files  # every release before this one kept its index there
LIBRARIES = Path(__file__).parent / "libraries"
SCHEMAS = sorted(path.name for path in LIBRARIES.iterdir() if path.name.isdecimal())

NOTES = "1bbfd50b-17db-552b-bd97-d3be97413784"
READINGS = "31433fdb-a172-5cc6-97bf-ef98ecaed842"
EMPTY = "65392f97-c1b7-523d-9096-0882d8f5a431"


@pytest.fixture(params=SCHEMAS)
def released(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of a committed library, its index a database again."""
    committed = LIBRARIES / request.param
    root = tmp_path / "library"
    shutil.copytree(committed / "library", root)
    with sqlite3.connect(root / "index.sqlite") as connection:
        connection.executescript((committed / "index.sql").read_text(encoding="utf-8"))
    connection.close()
    return root


def test_every_released_schema_is_remembered_by_a_library() -> None:
    """All but the newest must be: that one's library is made with its release, and stands from then on."""
    versions = Path(migrations.__file__).parent / "versions"
    numbers = sorted(path.name[1:5] for path in versions.glob("r[0-9][0-9][0-9][0-9]_*.py"))
    assert numbers[-1] == REVISION
    assert SCHEMAS
    assert SCHEMAS in (numbers, numbers[:-1])


def test_the_index_is_brought_to_the_newest_schema_and_keeps_its_identity(released: Path) -> None:
    with sqlite3.connect(released / "index.sqlite") as connection:
        ((library_id,),) = connection.execute("SELECT value FROM meta WHERE key = 'library_id'").fetchall()
    connection.close()
    with Library.open(released, create=False) as library:
        assert library.context.index.library_id() == library_id
    with sqlite3.connect(released / "index.sqlite") as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(REVISION,)]
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def test_documents_are_listed_as_they_were(released: Path) -> None:
    with Library.open(released, create=False) as library:
        assert [(document.id, document.status, document.reason) for document in library.documents()] == [
            (NOTES, "complete", None),
            (READINGS, "complete", None),
            (EMPTY, "hard_failed", "source_empty"),
        ]
        assert [document.id for document in library.documents(corpus="tides")] == [READINGS]
        assert library.document("/srv/documents/notes.md").id == NOTES


def test_texts_versions_and_results_are_read_as_they_were(released: Path) -> None:
    with Library.open(released, create=False) as library:
        notes = library.document(NOTES)
        assert notes.title == "Harbour notes"
        assert notes.markdown.startswith("# Harbour notes\n\nThe tide turned at noon.")
        assert notes.canonical_text == "Harbour notes The tide turned at noon. Boats Petrel Dunlin"
        assert [(version.version, version.tool, version.is_active) for version in notes.versions] == [
            (1, "plaintext", True),
            (2, "plaintext", False),
        ]
        assert (notes.result.document_id, notes.result.ingestion_status) == (NOTES, "complete")
        assert [(chunk.span.start, chunk.span.end) for chunk in notes.result.chunk_manifest] == [(0, 58)]
        notes.versions.activate(2)
        assert library.document(NOTES).active_version == 2
        assert library.document(NOTES).markdown == notes.markdown


def test_a_stored_failure_is_still_known(released: Path) -> None:
    with Library.open(released, create=False) as library:
        result = library.document(EMPTY).result
        assert result.ingestion_status == "hard_failed"
        assert [receipt.reason_code for receipt in result.failure_receipts] == ["source_empty"]


def test_known_bytes_are_reused_and_new_ones_are_taken_in(released: Path) -> None:
    """Code that changed under an unchanged version of its plugin is not trusted: it converts again (ENG-18)."""
    with Library.open(released, create=False) as library:
        stored = library.document(READINGS).raw_hash
        tool = json.loads((released / f"by_hash/{stored}/conversions/v1/tool.json").read_text())
        is_same = tool.get("code_hash") in (None, library.context.runtime.catalogue.get("plaintext").code_hash)
        again = library.ingest(b"station,height\npier,3.2\nlock,1.9\n", name="readings.csv")
        assert (again.document_id, again.reused) == (READINGS, is_same)
        assert library.ingest(b"", name="other.txt").document_id == EMPTY
        new = library.ingest(b"\x00\x01 of no known kind", name="odd.bin")
        assert (new.reused, new.result.ingestion_status) == (False, "hard_failed")
        assert len(library.documents()) == 4


def test_every_artifact_is_as_the_index_says(released: Path) -> None:
    with Library.open(released, create=False) as library:
        assert verify(library.context.artifacts, library.context.index, read_contents=True).is_clean


def test_runs_begin_with_what_is_taken_in_from_now_on(released: Path, tmp_path: Path) -> None:
    """What an older library holds belongs to no run; it is counted by the documents' own status all the same."""
    note = tmp_path / "new.md"
    note.write_text("# New\n\nThe ebb began at one.\n")
    with Library.open(released, create=False) as library:
        assert library.runs.list() == []
        assert library.context.index.status.of_document(NOTES).standing == {DocumentState.COMPLETE: 1}
        assert library.context.index.status.of_document(EMPTY).failures == {"source_empty": 1}
        tides = library.context.index.corpora.get("tides").corpus_id
        assert library.context.index.status.of_corpus(tides).phases["shallow"] == 1
        assert [one.reused for one in library.ingest_many([note])] == [False]
        run = library.runs.get("last")
        assert (run.condition, run.counts.complete, run.status.documents) == ("finished", 1, 1)


@pytest.mark.parametrize("released", [name for name in SCHEMAS if name < "0007"], indirect=True)
def test_words_of_users_are_kept_and_belong_to_the_context_of_their_document(released: Path) -> None:
    """Where a document came in under one policy context, that one; where under several, nobody but the owner (STO-5)."""
    with sqlite3.connect(released / "index.sqlite") as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        has_words = "document_annotations" in tables
        sealed = '{"scope_inference_basis":"corpus","sensitivity":"normal","visibility":"firewalled"}'
        connection.execute(
            "INSERT INTO document_source_instances (source_instance_id, document_id, policy_context_json, ingested_at, "
            "ingestion_surface) VALUES ('feed', ?, ?, '2026-11-22T00:00:00.000000Z', 'corpus')",
            (NOTES, sealed),
        )
        for one in (NOTES, READINGS):
            change = "UPDATE documents SET document_type = 'contract', document_type_by = 'anna' WHERE document_id = ?"
            connection.execute(change, (one,))
            if has_words:
                connection.execute(
                    "INSERT INTO document_annotations (annotation_id, document_id, kind, body, made_by, created_at, "
                    "updated_at) VALUES (?, ?, 'note', 'mind the tide', 'anna', '2026-11-22', '2026-11-22')",
                    (f"note-{one}", one),
                )
        if has_words:
            connection.execute(
                "INSERT INTO document_links (document_id, other_id, kind, made_by, at) "
                "VALUES (?, ?, 'revises', 'anna', '2026-11-22')",
                (READINGS, NOTES),
            )
    connection.close()
    with Library.open(released, create=False) as library:
        bodies = ["mind the tide"] if has_words else []
        for one in (NOTES, READINGS):
            owner = library.document(one)
            assert (owner.document_type, owner.document_type_by) == ("contract", "anna")
            assert [note.text for note in owner.annotations] == bodies
        assert [link.made_by for link in library.document(NOTES).links] == (["anna"] if has_words else [])
        tides = library.document(READINGS, corpus="tides")
        assert (tides.document_type_by, [note.text for note in tides.annotations]) == ("anna", bodies)
        shared = library.document(NOTES, policy=PolicyContext())
        assert (shared.document_type_by, *shared.annotations, *shared.links) == (None,)
        library.document(READINGS).set_type(None)
        assert library.document(READINGS).document_type != "contract"
