"""Whose each fact is stands in one table, and nothing is told that is not in it (STO-5)."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from octavo_contracts import ContentHashes, FailureReceipt, IngestionQualityReport, IngestionResult
from octavo_library import Library
from octavo_library.facade.acceptance import Acceptance
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.facade.document import Document
from octavo_library.facade.document_annotations import Annotation, Annotations
from octavo_library.facade.document_links import Links
from octavo_library.facade.document_original import Original
from octavo_library.facade.document_versions import DocumentVersion
from octavo_library.facade.results import IngestOutcome
from octavo_library.facade.runs import DocumentJob
from octavo_library.facade.similarity import Similar
from octavo_library.facade.versions import Versions
from octavo_library.storage import AcceptedVersion, AlreadyKnown, ConversionRecord, DocumentRecord, Link
from octavo_library.storage.index import ownership
from octavo_library.storage.index.ownership import Owner, as_told, parts_as_told
from octavo_library.storage.index.schema import metadata

CLASSES = (
    Document,
    DocumentVersion,
    IngestOutcome,
    AlreadyKnown,
    Annotation,
    Annotations,
    Acceptance,
    AcceptedVersion,
    Link,
    Links,
    Original,
    Similar,
    Versions,
    DocumentJob,
)
INSTANCE_ATTRIBUTES = {"IngestOutcome": {"source", "document_id", "reused", "attached_to"}}
"""What `__init__` sets and no class attribute shows."""


def test_every_column_of_the_index_has_an_owner() -> None:
    columns = {name: set(table.columns.keys()) for name, table in metadata.tables.items()}
    assert {name: set(owners) for name, owners in ownership.TABLES.items()} == columns


@pytest.mark.parametrize(
    ("table", "kind"), [(ownership.RECORD, DocumentRecord), (ownership.CONVERSION, ConversionRecord)]
)
def test_every_field_of_a_record_has_an_owner(table: Mapping[str, Owner], kind: type) -> None:
    assert set(table) == {field.name for field in dataclasses.fields(kind)}


def test_every_field_of_a_result_has_an_owner() -> None:
    parts = {
        "quality_report": IngestionQualityReport,
        "failure_receipts": FailureReceipt,
        "content_hashes": ContentHashes,
    }
    assert set(ownership.RESULT) == set(IngestionResult.model_fields)
    assert {name: set(table) for name, table in ownership.RESULT_PARTS.items()} == {
        name: set(model.model_fields) for name, model in parts.items()
    }


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_public_attribute_of_an_answer_has_an_owner(kind: type) -> None:
    public = {name for name in dir(kind) if not name.startswith("_")}
    fields = {field.name for field in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    # The library's own parts are no answer: whoever holds them is the owner.
    declared = {name for name in inspect.get_annotations(kind) if not name.startswith("_")} - {"context"}
    known = public | fields | declared | INSTANCE_ATTRIBUTES.get(kind.__name__, set())
    assert set(ownership.ANSWERS[kind.__name__]) == known


def test_every_key_of_a_stored_file_has_an_owner(tmp_path: Path) -> None:
    """Files that a real library wrote: what the table does not name is not told, and this test asks for the entry."""
    with Library.open(tmp_path / "library") as library:
        library.corpora.create("open", CorpusSettings())
        library.ingest(b"# Tides\n\nHigh water at noon.\n", name="a.md", corpus="open")
    (version,) = (tmp_path / "library").glob("by_hash/*/conversions/v1")
    known = {path for path in ownership.FILES if "/" not in path}
    assert {path.name for path in version.iterdir() if path.is_file()} <= known
    for name in ("tool.json", "quality_report.json", "metadata.json"):
        assert set(json.loads((version / name).read_text())) <= set(ownership.FILES[name])


def test_a_fact_without_an_owner_is_not_told() -> None:
    @dataclasses.dataclass(frozen=True)
    class Grown:
        old: str
        new: str

    with pytest.raises(KeyError, match="new"):
        as_told(Grown("a", "b"), {"old": Owner.BYTES}, {})
    with pytest.raises(KeyError, match="new"):
        as_told(Grown("a", "b"), {"old": Owner.BYTES, "new": Owner.CONTEXT}, {})
    assert parts_as_told({"old": 1, "new": 2}, {"old": Owner.BYTES}, {}) == {"old": 1}
