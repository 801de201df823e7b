"""The ways by which bytes come in, and the kinds of place that they are from (STO-10, STO-18)."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_contracts import UsageError
from octavo_library import Document, Library
from octavo_library.commands.ingest.ingest import LOCATIONS
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.ingestion.location_types import location_type
from octavo_library.storage import LocationType


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.open(tmp_path_factory.mktemp("ways") / "library", settings=Settings(workers=1)) as opened:
        yield opened


def places(document: Document) -> list[tuple[str, str]]:
    """The places of a document with their kinds."""
    index = document.context.index
    return [(one.path, one.location_type) for one in index.documents.paths(document.id, policy=document.policy)]


def test_the_same_bytes_over_three_surfaces_have_three_paths_and_instances(library: Library) -> None:
    """STO-10: one document, one conversion, three ways in, each with its kind of place (STO-18)."""
    data = b"The same note over three surfaces."
    for surface, name in (
        ("email_attachment", "note.txt"),
        ("browser_capture", "a page.txt"),
        ("chat_attachment", "n"),
    ):
        document = library.ingest(io.BytesIO(data), name=name, surface=surface).document
    assert places(document) == [
        ("entry:email_attachment/note.txt", "email_attachment"),
        ("entry:browser_capture/a%20page.txt", "browser"),
        ("entry:chat_attachment/n", "chat_attachment"),
    ]
    assert len(library.context.index.documents.instances(document.id)) == 3
    assert len(document.versions) == 1
    assert library.document("a page.txt").id == document.id
    with document.original.open() as source:
        assert source.size == len(data)
    again = library.ingest(data, name="note.txt", surface="email_attachment").document
    assert len(again.paths) == 3


def test_two_documents_of_one_name_are_both_current(library: Library) -> None:
    """STO-10: a name of bytes is no path that another document can take."""
    first = library.ingest(b"The first scan.", name="scan.txt", surface="chat_attachment").document
    second = library.ingest(b"The second scan.", name="scan.txt", surface="chat_attachment").document
    stale = [one.is_stale for one in library.context.index.paths.all() if one.path == "entry:chat_attachment/scan.txt"]
    assert stale == [False, False]
    assert first.id != second.id
    assert library.maintenance.check_paths(read_contents=True).vanished == ()


def test_an_attachment_is_seen_in_its_message(library: Library) -> None:
    """STO-10, STO-18."""
    message = EmailMessage()
    message["Subject"] = "The plan"
    message.set_content("The plan is attached.")
    message.add_attachment(b"Build a pier.", maintype="text", subtype="plain", filename="plan.txt")
    outcome = library.ingest(message.as_bytes(), name="message.eml", surface="direct_upload")
    (plan,) = outcome.document.attachments
    assert places(plan) == [("entry:email_attachment/plan.txt", "email_attachment")]
    assert places(outcome.document) == [("entry:direct_upload/message.eml", "direct_upload")]


def test_a_name_of_bytes_is_seen_in_its_own_policy_context_only(library: Library) -> None:
    """STO-5, STO-10."""
    library.corpora.create("sealed", settings=CorpusSettings(visibility="firewalled"))
    data = b"Known to two contexts."
    library.ingest(data, name="secret name.txt", corpus="sealed")
    library.ingest(data, name="open.txt", corpus="plain")
    assert [path for path, _ in places(library.document("open.txt", corpus="plain"))] == [
        "entry:direct_upload/open.txt"
    ]
    with pytest.raises(UsageError):
        library.document("secret name.txt", corpus="plain")


@pytest.mark.parametrize(
    ("path_ref", "surface", "given", "kind"),
    [
        ("file:///home/a/note.txt", "corpus", None, "local"),
        ("file:///home/a/OneDrive/note.txt", "corpus", None, "onedrive"),
        ("file:///home/a/OneDrive%20-%20Firm/note.txt", "watched_folder", None, "onedrive"),
        ("file:///home/a/not-OneDrive/note.txt", "corpus", None, "local"),
        ("url:https://www.sec.gov/Archives/edgar/data/1/a.htm", "corpus", None, "edgar_pull"),
        ("url:https://ecf.nysd.uscourts.gov/doc1/1", "corpus", None, "pacer_docket"),
        ("url:https://notsec.gov/", "corpus", None, "web_fetch"),
        (None, "email_attachment", None, "email_attachment"),
        (None, "browser_capture", None, "browser"),
        (None, "chat_attachment", None, "chat_attachment"),
        (None, "task_output", None, "task_output"),
        (None, "demonstration_capture", None, "demonstration_capture"),
        (None, "autonomous_gathering", None, "direct_upload"),
        ("file:///tmp/a.pdf", "corpus", "pacer_docket", "pacer_docket"),
    ],
)
def test_the_kind_of_place_follows_from_place_and_surface(
    path_ref: str | None, surface: str, given: str | None, kind: str
) -> None:
    """STO-18."""
    assert location_type(path_ref, surface=surface, given=given) == kind


@pytest.mark.parametrize("kind", list(LocationType))
def test_each_kind_can_be_stated_and_is_recorded(library: Library, tmp_path: Path, kind: LocationType) -> None:
    """STO-18."""
    file = tmp_path / "note.txt"
    file.write_text(f"A note from {kind}.")
    (outcome,) = library.ingest_many([file], location=kind.value)
    assert places(outcome.document) == [(file.as_uri(), kind.value)]


def test_the_command_line_states_the_kind_and_shows_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """STO-10, STO-18."""
    file, place = tmp_path / "a.txt", ["--library", str(tmp_path / "library")]
    file.write_text("Docket entry 12")
    assert main(["ingest", str(file), "--location", "pacer_docket", *place]) == 0
    capsys.readouterr()
    assert main(["show", str(file), "--entity", *place]) == 0
    (path,) = json.loads(capsys.readouterr().out)["entity"]["original_paths"]
    assert path["location_type"] == "pacer_docket"
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as library:
        library.ingest(b"Sent in a chat", name="chat note.txt", surface="chat_attachment")
    assert main(["show", "chat note.txt", *place]) == 0
    assert "chat note.txt (chat attachment)" in capsys.readouterr().out
    assert main(["ingest", str(file), "--location", "elsewhere", *place]) == 2


def test_the_option_offers_every_kind() -> None:
    assert tuple(LocationType) == LOCATIONS


def test_an_unknown_kind_is_refused(library: Library) -> None:
    with pytest.raises(UsageError, match="unknown kind of place"):
        library.ingest(b"a", name="a.txt", location="elsewhere")
