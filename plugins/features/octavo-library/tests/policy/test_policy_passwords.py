"""A document that needs a password is given to a policy context once that context has opened it (STO-5)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest
from octavo import Settings
from octavo.runtime import Runtime
from octavo_contracts import UsageError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.facade.results import IngestOutcome
from pypdf import PdfWriter

PAPER = Path(__file__).parents[5] / "docs" / "samples" / "annual-report.pdf"
LOCKED = "it is encrypted and needs a password that opens it"


def encrypted(*, user: str) -> bytes:
    """The first page of the sample's annual report, encrypted; with an empty user password it opens for everybody."""
    writer = PdfWriter()
    writer.append(PAPER, pages=(0, 1))
    writer.encrypt(user, owner_password="the owner's", algorithm="RC4-128")
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


@pytest.fixture(scope="module")
def locked_paper() -> bytes:
    return encrypted(user="hunter2")


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime(Settings(workers=1)) as made:
        yield made


@pytest.fixture
def library(tmp_path: Path, runtime: Runtime) -> Iterator[Library]:
    with Library.open(tmp_path / "library", runtime=runtime) as made:
        made.corpora.create("sealed", CorpusSettings(visibility="firewalled", sensitivity="privileged"))
        made.corpora.create("open", CorpusSettings())
        yield made


@pytest.fixture
def mine(tmp_path: Path, locked_paper: bytes) -> Path:
    """The copy that `open` has."""
    path = tmp_path / "mine.pdf"
    path.write_bytes(locked_paper)
    return path


@pytest.fixture
def theirs(tmp_path: Path, locked_paper: bytes) -> Path:
    """The copy that `sealed` has."""
    path = tmp_path / "theirs.pdf"
    path.write_bytes(locked_paper)
    return path


def said(done: IngestOutcome) -> list[tuple[str, str, str | None]]:
    """What the receipts of an answer say."""
    return [(one.reason_code.value, one.details, one.remedy) for one in done.result.failure_receipts]


def is_refused(library: Library, done: IngestOutcome) -> bool:
    """Whether `open` was told that the document needs a password, and got nothing of it."""
    (receipt,) = done.result.failure_receipts
    assert (receipt.reason_code.value, receipt.details) == ("source_encrypted", LOCKED)
    assert (done.result.ingestion_status, done.reused, done.already_known) == ("hard_failed", False, None)
    assert done.result.canonical_text_ref is None
    assert library.search("surge", corpus="open") == []
    return all(one.active_version is None for one in library.documents(corpus="open"))


@pytest.mark.parametrize("given", [None, "WRONG"])
def test_a_password_opens_a_document_for_its_own_context_only(
    library: Library, theirs: Path, mine: Path, given: str | None
) -> None:
    first = library.ingest(theirs, corpus="sealed", password="hunter2")
    assert first.result.ingestion_status in ("complete", "degraded_complete")
    done = library.ingest(mine, corpus="open", password=given)
    assert is_refused(library, done)
    assert library.documents(corpus="open") == []
    with pytest.raises(UsageError, match="no document matches"):
        library.document(str(mine), corpus="open")
    (kept,) = library.documents(corpus="sealed")
    assert "tide" in kept.canonical_text


def test_a_run_gives_nobody_what_another_context_opened(library: Library, theirs: Path, mine: Path) -> None:
    """Runs settle known documents by themselves, thousands at once."""
    library.ingest(theirs, corpus="sealed", password="hunter2")
    (done,) = library.ingest_many([mine], corpus="open")
    assert is_refused(library, done)
    assert library.runs.get("last").counts.failed == 1
    (again,) = library.ingest_many([mine], corpus="open", password="hunter2")
    assert again.result.ingestion_status in ("complete", "degraded_complete")
    assert not again.reused
    assert len(library.document(str(mine), corpus="open").versions) == 1


def test_the_default_context_opens_it_as_any_other(library: Library, theirs: Path, mine: Path) -> None:
    """Who names no corpus is told of what is not firewalled; corpora of the default policy would be given it with that."""
    library.corpora.create("counsel", CorpusSettings(sensitivity="privileged"))
    library.ingest(theirs, corpus="counsel", password="hunter2")
    assert is_refused(library, library.ingest(mine))
    assert library.documents(corpus="open") == []
    assert library.ingest(mine, password="hunter2").result.ingestion_status in ("complete", "degraded_complete")


def test_one_who_could_not_open_it_is_not_given_what_is_opened_later(
    library: Library, theirs: Path, mine: Path
) -> None:
    """The failed try was a way in."""
    assert said(library.ingest(mine, corpus="open")) == said(library.ingest(mine, corpus="open", password="WRONG"))
    (listed,) = library.documents(corpus="open")
    assert listed.reason == "source_encrypted"
    library.ingest(theirs, corpus="sealed", password="hunter2")
    assert library.documents(corpus="open") == []
    assert library.search("surge", corpus="open") == []
    assert library.status(corpus="open").documents == 0
    assert is_refused(library, library.ingest(mine, corpus="open", retry=True))
    opened = library.ingest(mine, corpus="open", password="hunter2")
    assert not opened.reused
    assert "tide" in opened.document.canonical_text
    assert [len(library.documents(corpus=name)) for name in ("open", "sealed")] == [1, 1]


def test_a_wrong_password_is_told_to_nobody_else(library: Library, theirs: Path, mine: Path) -> None:
    """What another context tried stands in a receipt that is shared."""
    library.ingest(theirs, corpus="sealed", password="WRONG")
    after = library.ingest(mine, corpus="open")
    library.maintenance.purge(str(after.document_id), confirm=str(after.document_id))
    alone = library.ingest(mine, corpus="open")
    assert said(after) == said(alone) == [("source_encrypted", LOCKED, alone.result.failure_receipts[0].remedy)]
    assert after.result.attempts == alone.result.attempts
    assert after.result.quality_report.selected_tool_reason == alone.result.quality_report.selected_tool_reason


def test_a_pdf_that_opens_for_everybody_is_shared(library: Library, tmp_path: Path) -> None:
    """Most encrypted PDFs have only an owner's password, against printing."""
    data = encrypted(user="")
    library.ingest(data, name="theirs.pdf", corpus="sealed")
    done = library.ingest(data, name="mine.pdf", corpus="open")
    assert done.result.ingestion_status in ("complete", "degraded_complete")
    assert len(done.document.versions) == 1


def test_the_password_of_the_settings_opens_for_every_context(tmp_path: Path, theirs: Path, mine: Path) -> None:
    with Library.open(tmp_path / "library", settings=Settings(workers=1, password="hunter2")) as library:
        library.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
        library.ingest(theirs, corpus="sealed")
        assert "tide" in library.ingest(mine, corpus="open").document.canonical_text


def test_a_locked_attachment_comes_with_its_message_and_stays_locked(library: Library, locked_paper: bytes) -> None:
    message = EmailMessage()
    message["Subject"] = "Plans"
    message.set_content("The paper is attached; you know the password.")
    message.add_attachment(locked_paper, maintype="application", subtype="pdf", filename="paper.pdf")
    first = library.ingest(message.as_bytes(), name="theirs.eml", corpus="sealed", password="hunter2")
    assert first.attachments[0].result.ingestion_status in ("complete", "degraded_complete")
    done = library.ingest(message.as_bytes(), name="mine.eml", corpus="open")
    assert said(done.attachments[0])[0][:2] == ("source_encrypted", LOCKED)
    assert [one.title for one in library.documents(corpus="open")] == ["Plans"]
    opened = library.ingest(message.as_bytes(), name="mine.eml", corpus="open", password="hunter2")
    assert "tide" in opened.attachments[0].document.canonical_text
