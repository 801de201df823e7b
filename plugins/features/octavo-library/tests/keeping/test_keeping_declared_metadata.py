"""Declared metadata, and known bytes that are declared with other metadata (ENG-21)."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from octavo.runtime import Runtime
from octavo.settings.duplicates import DuplicateSettings
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_contracts import UsageError
from octavo_library import DeclaredMetadata, Document, Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.storage.index.rebuild import rebuild_index

REASON = "duplicate_with_different_metadata"
AGREEMENT = DeclaredMetadata(
    title="Supply Agreement", date="1 March 2024", source="Docket 12-345", further={"matter": "M7"}
)


@pytest.fixture
def document(library: Library, file: Path) -> Document:
    return library.ingest(file, plugin="pages", declared=AGREEMENT).document


@pytest.fixture
def copy(file: Path, tmp_path: Path) -> Path:
    path = tmp_path / "copy.txt"
    path.write_bytes(file.read_bytes())
    return path


def metadata_of(document: Document) -> DeclaredMetadata | None:
    current = document.metadata.current
    return current.metadata if current is not None else None


def test_declared_metadata_is_stored_and_changes_no_conversion(library: Library, document: Document) -> None:
    """ENG-21: the date is stored in ISO 8601; the declared title takes the place of the own one, which the result keeps."""
    assert metadata_of(document) == DeclaredMetadata(
        title="Supply Agreement", date="2024-03-01", source="Docket 12-345", further={"matter": "M7"}
    )
    assert (document.title, document.result.metadata.title) == ("Supply Agreement", "harbour notes")
    document.reconvert(plugin="flat", activate=True)
    assert metadata_of(library.document(document.id)) == metadata_of(document)


@pytest.mark.parametrize(
    "declared",
    [
        None,
        DeclaredMetadata(title="supply  AGREEMENT"),
        DeclaredMetadata(date="2024-03-01", further={"matter": "M8"}),
    ],
)
def test_known_bytes_with_equal_or_no_metadata_are_reused_in_silence(
    library: Library, document: Document, copy: Path, declared: DeclaredMetadata | None
) -> None:
    """ENG-21, STO-9: case and white space do not count, and further metadata is not compared."""
    outcome = library.ingest(copy, declared=declared)
    assert (outcome.reused, outcome.document_id) == (True, document.id)
    assert len(document.paths) == 2
    assert metadata_of(document) is not None
    assert metadata_of(document).further == {"matter": "M7"}  # type: ignore[union-attr]  # asserted above
    assert document.metadata.disputes == ()


@pytest.mark.parametrize(
    "declared", [DeclaredMetadata(title="Other"), DeclaredMetadata(date="2025"), DeclaredMetadata(source="A friend")]
)
def test_known_bytes_with_other_metadata_pause(
    library: Library, document: Document, copy: Path, declared: DeclaredMetadata
) -> None:
    """ENG-21: the ingestion fails with its reason; the document, its metadata and its paths stay as they are."""
    before = (document.paths, metadata_of(document), document.status)
    for _ in range(2):  # a repeated ingestion adds no second dispute
        outcome = library.ingest(copy, declared=declared)
        receipt = outcome.result.failure_receipts[0]
        assert (receipt.reason_code, receipt.retry) == (REASON, "manual")
        assert outcome.reused is False
    now = library.document(document.id)
    assert (now.paths, metadata_of(now), now.status) == before
    assert [one.metadata for one in now.metadata.disputes] == [declared]


def test_the_user_ends_a_pause_with_either_metadata(library: Library, document: Document, copy: Path) -> None:
    """ENG-21, STO-10: the paused ingestion is recorded, and nothing is converted again."""
    library.ingest(copy, declared=DeclaredMetadata(title="Other"))
    with pytest.raises(UsageError, match="no paused ingestion"):
        document.metadata.resolve("0" * 32, take_new=True)
    document.metadata.resolve(document.metadata.disputes[0].id, take_new=False, by="anna")
    assert (document.metadata.disputes, len(document.paths), len(document.versions)) == ((), 2, 1)
    assert metadata_of(document) == metadata_of(library.document(document.id))
    library.ingest(copy, declared=DeclaredMetadata(title="Other"))
    document.metadata.resolve(document.metadata.disputes[0].id, take_new=True, by="anna")
    current = document.metadata.current
    assert current is not None
    assert (current.metadata, current.declared_by) == (DeclaredMetadata(title="Other"), "anna")


def test_a_decision_can_be_given_with_the_ingestion(library: Library, document: Document, copy: Path) -> None:
    """ENG-21: an earlier pause of the same place ends with it."""
    library.ingest(copy, declared=DeclaredMetadata(title="Other"))
    assert library.ingest(copy, declared=DeclaredMetadata(title="Other"), known_metadata="keep").reused
    assert metadata_of(document).title == "Supply Agreement"  # type: ignore[union-attr]  # it was declared
    assert document.metadata.disputes == ()
    assert library.ingest(copy, declared=DeclaredMetadata(title="Other"), known_metadata="replace").reused
    current = metadata_of(document)
    assert current is not None
    assert (current.title, current.source) == ("Other", "Docket 12-345")


def test_a_run_pauses_known_bytes_and_goes_on(library: Library, document: Document, copy: Path, tmp_path: Path) -> None:
    """ENG-21, ENG-15: the others of the run are ingested; a retry of the run pauses again."""
    fresh = tmp_path / "fresh.txt"
    fresh.write_text("a fresh note")
    declared = DeclaredMetadata(source="Docket 99")
    done = {Path(one.source).name: one for one in library.ingest_many([copy, fresh, fresh], declared=declared)}
    assert done["copy.txt"].result.failure_receipts[0].reason_code == REASON
    assert metadata_of(done["fresh.txt"].document) == declared
    assert [case.reason for case in library.runs.failed("last")[1]] == [REASON]
    again = list(library.runs.retry("last"))
    assert [one.result.failure_receipts[0].reason_code for one in again] == [REASON]
    assert len(document.metadata.disputes) == 1


def test_the_rule_is_a_setting(tmp_path: Path, file: Path, site: Path) -> None:
    """ENG-21: only the compared fields pause."""
    settings = Settings(workers=1, duplicates=DuplicateSettings(compare=("date",)))
    with Runtime(settings) as runtime, Library.open(tmp_path / "other", runtime=runtime) as library:
        document = library.ingest(file, declared=AGREEMENT).document
        assert library.ingest(file, declared=DeclaredMetadata(title="Other")).reused
        assert metadata_of(document).title == "Supply Agreement"  # type: ignore[union-attr]  # it was declared
        outcome = library.ingest(file, declared=DeclaredMetadata(date="2025"))
        assert outcome.result.failure_receipts[0].reason_code == REASON


def test_metadata_belongs_to_its_policy_context(library: Library, document: Document, copy: Path) -> None:
    """ENG-21, STO-5: another context neither sees what was declared, nor pauses because of it."""
    library.corpora.create("closed", settings=CorpusSettings(visibility="firewalled"))
    declared = DeclaredMetadata(title="Other")
    outcome = library.ingest(copy, corpus="closed", declared=declared)
    assert outcome.result.ingestion_status == "complete"
    assert metadata_of(outcome.document) == declared
    assert metadata_of(library.document(document.id, corpus="closed")) == declared
    assert library.ingest(copy, declared=AGREEMENT).reused


@pytest.mark.sqlite_files
def test_metadata_is_exported_shown_restored_and_purged(
    library: Library, document: Document, copy: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """ENG-21, STO-12, STO-14."""
    library.ingest(copy, declared=DeclaredMetadata(title="Other"))
    document.export(root.parent / "document.zip")
    with zipfile.ZipFile(root.parent / "document.zip") as archive:
        declared = json.loads(archive.read("metadata.json"))["document"]["declared"]
    assert (declared["title"], declared["date"]) == ("Supply Agreement", "2024-03-01")
    library.close()
    assert main(["show", document.id, "--library", str(root), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["document"]
    assert shown["declared"]["source"] == "Docket 12-345"
    assert [one["title"] for one in shown["disputes"]] == ["Other"]
    (root / "index.sqlite").unlink()
    rebuild_index(root)
    with Library.open(root, settings=Settings(workers=1)) as opened:
        restored = opened.document(document.id)
        assert metadata_of(restored) is not None
        assert metadata_of(restored).title == "Supply Agreement"  # type: ignore[union-attr]  # asserted above
        assert len(restored.metadata.disputes) == 1
        opened.maintenance.purge(restored, confirm=opened.maintenance.purge_preview(restored).digest)
    data = b"".join(path.read_bytes() for path in root.glob("index.sqlite*"))
    assert b"Supply Agreement" not in data


def test_the_command_line_declares_shows_and_decides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """ENG-21: `octavo ingest --title`, `octavo metadata`."""
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("Alpha contract of 2024")
    second.write_text("Alpha contract of 2024")
    place = ["--library", str(tmp_path / "library")]
    assert main(["ingest", str(first), "--title", "Alpha", "--date", "2024-03", "--metadata", "matter=M7", *place]) == 0
    assert main(["ingest", str(second), "--title", "Beta", *place]) == 3
    assert "octavo metadata" in capsys.readouterr().out
    assert main(["metadata", str(first), *place]) == 0
    assert "Paused" in capsys.readouterr().out
    assert main(["metadata", str(first), "--replace", "--json", *place]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["declared"]["title"], shown["disputes"]) == ("Beta", [])
    assert main(["metadata", str(first), "--source", "Docket", "--set", "matter=M8", "--json", *place]) == 0
    shown = json.loads(capsys.readouterr().out)["declared"]
    assert (shown["title"], shown["source"], shown["further"]) == ("Beta", "Docket", {"matter": "M8"})
    assert main(["metadata", str(first), "--clear", "--json", *place]) == 0
    assert json.loads(capsys.readouterr().out)["declared"] is None
    assert main(["metadata", str(first), "--keep", *place]) == 2
    assert main(["ingest", str(first), str(second), "--title", "Both", *place]) == 2
    assert main(["ingest", str(first), "--date", "03/04/2020", *place]) == 2


def test_an_ambiguous_date_is_refused(library: Library, file: Path) -> None:
    with pytest.raises(UsageError, match="date must be one date"):
        library.ingest(file, declared=DeclaredMetadata(date="03/04/2020"))
    with pytest.raises(UsageError, match="title is of one document"):
        list(library.ingest_many([file, file], declared=DeclaredMetadata(title="Both")))
