"""What is attached to messages, as documents of their own with a link to what they came in (CNV-6 to CNV-11, ENG-1, ENG-6)."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest
from octavo.settings.attachments import AttachmentSettings
from octavo.settings.settings import Settings
from octavo_contracts import file_ref
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.facade.results import IngestOutcome
from octavo_library.ingestion.events import JobEnded
from octavo_library.storage import PolicyContext, verify
from PIL import Image

BROKEN = b"%PDF-1.7\n" + b"\x00garbage" * 50
PATIENCE = 120.0
BOARD = CorpusSettings(sensitivity="privileged")

Part = tuple[str, bytes | EmailMessage]


def message(subject: str, *parts: Part) -> EmailMessage:
    """A message with a body, and what is attached to it."""
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "ada@quay.example", "ben@pier.example", subject
    made["Date"] = "Mon, 3 Mar 2025 10:00:00 +0000"
    made.set_content(f"{subject}: what was asked for is attached. " * 4)
    for name, content in parts:
        if isinstance(content, EmailMessage):
            made.add_attachment(content)
        else:
            made.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return made


def note(words: str) -> bytes:
    return f"# Note\n\nThe harbour master wrote: {words}.\n".encode()


def taken(ingested: IngestOutcome) -> dict[str, str]:
    """Name of each attachment → how it ended."""
    return {
        one.source.rpartition(" › ")[2]: one.result.ingestion_status for one in ingested.walk() if one is not ingested
    }


@pytest.fixture
def library(tmp_path: Path):
    with Library.open(tmp_path / "library", settings=Settings(workers=2)) as opened:
        yield opened


def is_whole(library: Library) -> bool:
    return (
        verify(library.context.artifacts, library.context.index, read_contents=True).is_clean
        and not library.context.index.jobs.open_jobs()
    )


# -- documents of their own -----------------------------------------------------------------------------------


def test_each_is_a_document_with_a_link_both_ways_at_any_depth(library: Library) -> None:
    inner = message("The older letter", ("tides.md", note("high at noon")))
    ingested = library.ingest(
        message("Fwd: The older letter", ("letter.eml", inner), ("list.csv", b"boat,berth\nPetrel,4\n")).as_bytes(),
        name="forward.eml",
    )
    assert [one.source for one in ingested.walk()] == [
        "forward.eml",
        "forward.eml › attachment.eml",
        "forward.eml › attachment.eml › tides.md",
        "forward.eml › list.csv",
    ]
    outer = ingested.document
    letter, table = outer.attachments
    (tides,) = letter.attachments
    assert [one.title for one in (outer, letter, table, tides)] == [
        "Fwd: The older letter", "The older letter", "list.csv", "Note",
    ]  # fmt: skip
    assert [one.id for one in tides.attached_to] == [letter.id]
    assert [one.id for one in letter.attached_to] == [outer.id]
    assert outer.attached_to == ()
    assert "high at noon" in tides.markdown
    assert [ref.document_id for ref in outer.result.attachments] == [letter.id, table.id]
    assert table.result.original_artifact_ref == f"store:originals/{table.raw_hash}.csv"
    assert [event.attached_to for event in ingested.walk()] == [None, outer.id, letter.id, outer.id]
    assert is_whole(library)


def test_they_come_in_by_a_way_of_their_own(library: Library) -> None:
    """ENG-1: an attachment of a message is no upload."""
    ingested = library.ingest(
        message("Plans", ("plan.md", note("a new pier"))).as_bytes(), name="plans.eml", corpus="pier"
    )
    (plan,) = ingested.document.attachments
    instance = plan.result.content_hashes.source_instance_id
    assert instance in library.context.index.documents.instances(plan.id)
    assert library.context.index.paths.corpora_of(plan.id) == library.context.index.paths.corpora_of(
        ingested.document.id
    )
    assert [one.id for one in library.documents(corpus="pier")] == [ingested.document_id, plan.id]


def test_one_that_can_not_be_read_fails_by_itself(library: Library) -> None:
    ingested = library.ingest(message("Week", ("week.pdf", BROKEN)).as_bytes(), name="week.eml")
    assert ingested.result.ingestion_status == "complete"
    (failed,) = ingested.attachments
    assert failed.result.ingestion_status == "hard_failed"
    (receipt,) = failed.result.failure_receipts
    assert receipt.reason_code == "source_corrupt"
    assert (failed.document.title, failed.document.status) == ("week.pdf", "hard_failed")
    assert [one.id for one in failed.document.attached_to] == [ingested.document_id]


def test_the_same_bytes_attached_twice_are_one_document(library: Library) -> None:
    words = note("sold")
    ingested = library.ingest(message("Two", ("a.md", words), ("b.md", words)).as_bytes(), name="two.eml")
    assert [(ref.name, ref.document_id) for ref in ingested.result.attachments] == [
        ("a.md", ingested.attachments[0].document_id),
        ("b.md", ingested.attachments[0].document_id),
    ]
    assert len(ingested.attachments) == 1


def test_a_picture_that_the_body_shows_is_none_unless_asked_for(tmp_path: Path) -> None:
    letter = EmailMessage()
    letter["From"], letter["Subject"] = "ada@quay.example", "With a picture"
    letter["Date"] = "Mon, 3 Mar 2025 10:00:00 +0000"
    letter.set_content("<p>Many words of greeting.</p>" * 9 + '<img src="cid:logo@quay">', subtype="html")
    letter.add_related(picture(3), "image", "png", cid="<logo@quay>", filename="logo.png")
    letter.add_attachment(picture(), "image", "png", filename="photo.png", disposition="inline", cid="<photo@quay>")
    for inline, wanted in ((False, ["photo.png"]), (True, ["logo.png", "photo.png"])):
        settings = Settings(workers=1, attachments=AttachmentSettings(inline=inline))
        with Library.open(tmp_path / str(inline), settings=settings) as library:
            ingested = library.ingest(letter.as_bytes(), name="letter.eml")
            assert {ref.name: ref.inline for ref in ingested.result.attachments} == {
                "logo.png": True, "photo.png": False,
            }  # fmt: skip
            assert sorted(taken(ingested)) == wanted


def picture(side: int = 2) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (side, side), "navy").save(stream, "PNG")
    return stream.getvalue()


def test_a_name_like_a_path_is_a_name(library: Library, tmp_path: Path) -> None:
    ingested = library.ingest(
        message(
            "Odd", ("../../../up.md", note("a")), ("C:\\dir\\down.md", note("b")), ("nul\x00.md", note("c"))
        ).as_bytes(),
        name="odd.eml",
    )
    names = [one.source.rpartition(" › ")[2] for one in ingested.attachments]
    assert names == ["up.md", "down.md", "nul.md"]
    assert all(one.result.ingestion_status == "complete" for one in ingested.attachments)
    assert not list(tmp_path.parent.glob("up.md"))


# -- limits ---------------------------------------------------------------------------------------------------


def nested(depth: int) -> EmailMessage:
    made = message("Level 0", ("deepest.md", note("here")))
    for level in range(1, depth):
        made = message(f"Level {level}", ("inner.eml", made))
    return made


def test_what_lies_too_deep_is_listed_and_said(tmp_path: Path) -> None:
    settings = Settings(workers=1, attachments=AttachmentSettings(depth=2))
    with Library.open(tmp_path / "library", settings=settings) as library:
        ingested = library.ingest(nested(4).as_bytes(), name="deep.eml")
        *above, last = ingested.walk()
        assert len(above) == 2
        assert [one.result.ingestion_status for one in above] == ["complete", "complete"]
        assert last.result.ingestion_status == "degraded_complete"
        (finding,) = last.result.quality_report.findings
        assert finding.flag == "partial_conversion"
        assert finding.message == "1 attachment was listed but not ingested: the document is itself nested 2 deep"
        assert "attachments.depth" in finding.remedy
        (ref,) = last.result.attachments
        assert ref.document_id is None


def test_more_than_the_limit_are_listed_and_said(tmp_path: Path) -> None:
    settings = Settings(workers=1, attachments=AttachmentSettings(most=2))
    with Library.open(tmp_path / "library", settings=settings) as library:
        parts = [(f"{number}.md", note(f"number {number}")) for number in range(5)]
        ingested = library.ingest(message("Many", *parts).as_bytes(), name="many.eml")
        assert sorted(taken(ingested)) == ["0.md", "1.md"]
        (finding,) = ingested.result.quality_report.findings
        assert finding.message == "3 attachments were listed but not ingested: the limit is 2"


def test_a_library_may_leave_them_all(tmp_path: Path) -> None:
    settings = Settings(workers=1, attachments=AttachmentSettings(ingest=False))
    with Library.open(tmp_path / "library", settings=settings) as library:
        ingested = library.ingest(message("Plans", ("plan.md", note("a pier"))).as_bytes(), name="plans.eml")
        assert ingested.attachments == ()
        assert ingested.result.ingestion_status == "complete"
        assert [ref.document_id for ref in ingested.result.attachments] == [None]
        assert library.status().documents == 1


# -- what is known --------------------------------------------------------------------------------------------


def test_a_file_that_is_known_is_not_converted_again(library: Library, tmp_path: Path) -> None:
    """ENG-18, STO-10."""
    file = tmp_path / "plan.md"
    file.write_bytes(note("a pier"))
    known = library.ingest(file)
    ingested = library.ingest(message("Plans", ("plan.md", note("a pier"))).as_bytes(), name="plans.eml")
    (plan,) = ingested.attachments
    assert (plan.reused, plan.document_id) == (True, known.document_id)
    assert len(plan.document.versions) == 1
    assert plan.document.paths == (file_ref(file), "entry:email_attachment/plan.md")


def test_known_messages_bring_their_attachments_into_a_second_corpus(library: Library) -> None:
    """STO-5, STO-10: one conversion, two memberships, at any depth."""
    data = message("Fwd", ("inner.eml", message("Inner", ("plan.md", note("a pier"))))).as_bytes()
    first = library.ingest(data, name="fwd.eml", corpus="pier")
    second = library.ingest(data, name="fwd.eml", corpus="quay")
    assert [one.reused for one in second.walk()] == [True, True, True]
    ids = [one.document_id for one in first.walk()]
    assert [one.id for one in library.documents(corpus="quay")] == ids
    assert all(len(library.document(one).versions) == 1 for one in ids)


def test_an_attachment_is_seen_by_whoever_sees_a_message_that_has_it(library: Library) -> None:
    """STO-5: the other message is not told of."""
    library.corpora.create("open")
    library.corpora.create("board", BOARD)
    plan = ("plan.md", note("a pier"))
    public = library.ingest(message("To all", plan).as_bytes(), name="all.eml", corpus="open")
    private = library.ingest(
        message("To the board", plan, ("secret.md", note("sold"))).as_bytes(), name="b.eml", corpus="board"
    )
    shared = public.attachments[0].document_id
    assert shared is not None
    assert [one.title for one in library.document(shared, corpus="open").attached_to] == ["To all"]
    assert [one.title for one in library.document(shared, corpus="board").attached_to] == ["To the board"]
    secret = private.attachments[1].document_id
    assert [one.id for one in library.documents(corpus="open")] == [public.document_id, shared]
    assert secret in [one.id for one in library.documents(corpus="board")]


def test_what_a_reconversion_finds_is_seen_by_whoever_sees_the_message_alone(tmp_path: Path) -> None:
    """STO-5: a reconversion is asked for no corpus."""
    leaving = Settings(workers=1, attachments=AttachmentSettings(ingest=False))
    with Library.open(tmp_path / "library", settings=leaving) as library:
        library.corpora.create("board", BOARD)
        data = message("To the board", ("secret.md", note("sold"))).as_bytes()
        ingested = library.ingest(data, name="board.eml", corpus="board")
        document_id = str(ingested.document_id)
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as library:
        document = library.document(document_id)
        document.reconvert()
        (secret,) = library.document(document_id).attachments
        assert "sold" in secret.markdown
        assert library.documents(policy=PolicyContext()) == []
        assert [one.id for one in library.documents(corpus="board")] == [document_id, secret.id]
        assert is_whole(library)


def test_trying_again_tries_the_attachments_again(library: Library) -> None:
    data = message("Week", ("week.pdf", BROKEN)).as_bytes()
    first = library.ingest(data, name="week.eml").attachments[0]
    again = library.ingest(data, name="week.eml").attachments[0]
    retried = library.ingest(data, name="week.eml", retry=True).attachments[0]
    assert [one.reused for one in (first, again, retried)] == [False, True, False]


def test_converting_a_message_anew_leaves_its_attachments(library: Library) -> None:
    data = message("Plans", ("plan.md", note("a pier"))).as_bytes()
    library.ingest(data, name="plans.eml")
    again = library.ingest(data, name="plans.eml", reingest=True)
    assert len(again.document.versions) == 2
    (plan,) = again.attachments
    assert (plan.reused, len(plan.document.versions)) == (True, 1)


# -- removing -------------------------------------------------------------------------------------------------


def test_purging_a_message_leaves_its_attachments_and_says_so(library: Library) -> None:
    """STO-12."""
    ingested = library.ingest(message("Plans", ("plan.md", note("a pier"))).as_bytes(), name="plans.eml")
    (plan,) = ingested.document.attachments
    shown = library.maintenance.purge_preview(str(ingested.document_id))
    assert shown.kept_attachments == (plan.id,)
    assert shown.rows["document_attachments"] == 1
    library.maintenance.purge(str(ingested.document_id), confirm=shown.digest)
    left = library.document(plan.id)
    assert left.attached_to == ()
    assert "a pier" in left.markdown
    assert is_whole(library)


def test_a_purged_attachment_stays_away_until_its_message_is_converted_anew(library: Library) -> None:
    """STO-12, STO-13."""
    data = message("Plans", ("plan.md", note("a pier"))).as_bytes()
    plan = library.ingest(data, name="plans.eml").document.attachments[0]
    library.maintenance.purge(plan.id, confirm=plan.id)
    assert list(library.context.artifacts.originals()) == [library.documents()[0].result.original_artifact_ref]
    assert library.ingest(data, name="plans.eml").attachments == ()
    assert library.documents()[0].attachments == ()
    assert len(library.ingest(data, name="plans.eml", reingest=True).attachments) == 1
    assert is_whole(library)


# -- many at once ---------------------------------------------------------------------------------------------


def write_mail(folder: Path, *, messages: int, shared: int) -> None:
    """Messages that all have the same files attached, in turning order, and those files beside them."""
    folder.mkdir()
    parts = [(f"shared-{number}.md", note(f"shared {number}")) for number in range(shared)]
    for name, data in parts:
        (folder / name).write_bytes(data)
    for number in range(messages):
        first = number % shared
        mine: list[Part] = [*parts[first:], *parts[:first], (f"own-{number}.md", note(f"own {number}"))]
        (folder / f"message-{number:02}.eml").write_bytes(message(f"Number {number}", *mine).as_bytes())


def test_a_run_over_messages_and_the_files_attached_to_them_ends(library: Library, tmp_path: Path) -> None:
    """ENG-22: the run holds documents ahead that its messages also have attached."""
    write_mail(tmp_path / "mail", messages=25, shared=8)
    answers = {one.source: one for one in library.ingest_many(sorted((tmp_path / "mail").iterdir()), corpus="mail")}
    assert len(answers) == 33
    for source, one in answers.items():
        assert len(one.attachments) == (9 if source.endswith(".eml") else 0)
        assert {child.result.ingestion_status for child in one.walk()} == {"complete"}
    assert library.status(corpus="mail").documents == 25 + 8 + 25
    assert {len(document.versions) for document in library.documents()} == {1}
    run = library.runs.get("last")
    assert (run.counts.complete, run.status.documents) == (33, 33)  # what it was given
    assert is_whole(library)


RUN = """
import sys
from pathlib import Path
from octavo_library import Library
from octavo.settings import Settings
root, folder, order, url = sys.argv[1:]
with Library.open(root, settings=Settings(workers=1), index=url or None) as library:
    print("open", flush=True)
    sys.stdin.readline()
    sources = sorted(Path(folder).iterdir(), reverse=order == "backwards")
    for one in library.ingest_many(sources):
        for child in one.walk():
            assert child.result.ingestion_status == "complete", child.result.failure_receipts
"""


def test_two_processes_with_the_same_messages_do_not_wait_for_each_other(
    library: Library, tmp_path: Path, index_argument: Callable[[Library], str]
) -> None:
    """ENG-22."""
    write_mail(tmp_path / "mail", messages=10, shared=5)
    url = index_argument(library)
    hosts = [
        subprocess.Popen(
            [sys.executable, "-c", RUN, str(library.path), str(tmp_path / "mail"), order, url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for order in ("forwards", "backwards")
    ]
    for host in hosts:
        assert host.stdout is not None
        assert host.stdout.readline() == "open\n"
    for host in hosts:
        assert host.stdin is not None
        host.stdin.write("go\n")
        host.stdin.flush()
    for host in hosts:
        host.communicate(timeout=PATIENCE)
    assert [host.returncode for host in hosts] == [0, 0]
    assert library.status().documents == 10 + 5 + 10
    assert {len(document.versions) for document in library.documents()} == {1}
    assert is_whole(library)


# -- cut short ------------------------------------------------------------------------------------------------

VICTIM = """
import os, signal, sys
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.ingestion.events import JobEnded
from octavo.settings import Settings
root, path, url = sys.argv[1:]
with Library.open(root, settings=Settings(workers=1), index=url or None) as library:
    def kill(event):
        if isinstance(event, JobEnded):
            os.kill(os.getpid(), signal.SIGKILL)
    library.engine.events.subscribe(kill)
    library.ingest(path)
"""


def test_a_host_that_dies_between_a_message_and_its_attachments_loses_none(
    library: Library, tmp_path: Path, index_argument: Callable[[Library], str]
) -> None:
    """ENG-6: they are owed from the commit of the message on, and go on by themselves."""
    file = tmp_path / "fwd.eml"
    inner = message("Inner", ("plan.md", note("a pier")))
    file.write_bytes(message("Fwd", ("inner.eml", inner), ("week.pdf", BROKEN)).as_bytes())
    url = index_argument(library)
    victim = subprocess.run([sys.executable, "-c", VICTIM, str(library.path), str(file), url], timeout=PATIENCE)
    assert victim.returncode == -signal.SIGKILL
    (outer,) = library.documents()
    assert (outer.status, outer.attachments) == ("complete", ())
    (job, *_) = library.runs.jobs(library.context.index.attachments.of_document(outer.id)[0].document_id)
    assert (job.intent, job.is_open) == ("ingest", True)
    with Library.open(library.path, settings=Settings(workers=1), index=url or None) as again:
        assert again.engine.wait_until_resumed(seconds=PATIENCE)
        letter, week = again.document(outer.id).attachments
        assert [letter.status, week.status] == ["complete", "hard_failed"]
        assert [one.markdown.splitlines()[0] for one in letter.attachments] == ["# Note"]
        assert week.title == "week.pdf"
        assert is_whole(again)


def test_a_cancelled_ingest_says_what_was_not_attempted_and_goes_on_later(library: Library) -> None:
    stop = threading.Event()
    leave = library.engine.events.subscribe(lambda event: stop.set() if isinstance(event, JobEnded) else None)
    ingested = library.ingest(message("Plans", ("plan.md", note("a pier"))).as_bytes(), name="plans.eml", cancel=stop)
    leave()
    assert ingested.result.ingestion_status == "complete"
    (plan,) = ingested.attachments
    (receipt,) = plan.result.failure_receipts
    assert receipt.reason_code == "not_attempted"
    assert not plan.was_attempted
    with Library.open(library.path, settings=Settings(workers=1)) as again:
        assert again.engine.wait_until_resumed(seconds=PATIENCE)
        assert [one.status for one in again.document(str(ingested.document_id)).attachments] == ["complete"]


def test_a_message_of_many_parts_costs_no_more_rows_than_its_limit(tmp_path: Path) -> None:
    settings = Settings(workers=1, attachments=AttachmentSettings(most=3))
    with Library.open(tmp_path / "library", settings=settings) as library:
        parts = [(f"{number}.md", note(str(number))) for number in range(300)]
        ingested = library.ingest(message("Flood", *parts).as_bytes(), name="flood.eml")
        assert len(ingested.attachments) == 3
        assert len(list(library.context.artifacts.originals())) == 4


# -- by every way, and to nobody else -------------------------------------------------------------------------


def stopped_after(library: Library, data: bytes, *, events: int = 1, **how: object) -> IngestOutcome:
    """Ingest, and stop once so many documents are committed: as if the host had gone then, but for its open claims."""
    stop = threading.Event()
    ended: list[object] = []

    def count(event: object) -> None:
        if isinstance(event, JobEnded):
            ended.append(event)
        if len(ended) >= events:
            stop.set()

    leave = library.engine.events.subscribe(count)
    try:
        return library.ingest(data, name="message.eml", cancel=stop, **how)  # type: ignore[arg-type]  # as `ingest` takes them
    finally:
        leave()


def resumed(path: Path) -> Library:
    library = Library.open(path, settings=Settings(workers=1))
    assert library.engine.wait_until_resumed(seconds=PATIENCE)
    return library


def names(library: Library, corpus: str | None = None) -> list[str | None]:
    return sorted(str(one.title) for one in library.documents(corpus=corpus))


@pytest.mark.parametrize("content", [b"words of the plan", BROKEN])
def test_the_name_in_one_message_is_not_told_to_who_has_the_bytes_from_another(
    library: Library, content: bytes
) -> None:
    """STO-5, for what can be read and what cannot."""
    library.corpora.create("board", BOARD)
    library.ingest(message("b", ("layoffs.txt", content)).as_bytes(), name="b.eml", corpus="board")
    library.ingest(message("Hello", ("plan.txt", content)).as_bytes(), name="o.eml", corpus="open")
    assert names(library, "open") == ["Hello", "plan.txt"]
    assert names(library, "board") == ["b", "layoffs.txt"]
    assert {hit.title for hit in library.search("words", corpus="open")} <= {None, "Hello"}


def test_a_message_that_others_have_is_new_with_all_that_is_inside_it(library: Library) -> None:
    """STO-5: what is attached to it came with it, so it is no more known than the message is."""
    library.corpora.create("board", BOARD)
    data = message("Fwd", ("inner.eml", message("Inner", ("plan.md", note("a pier"))))).as_bytes()
    for corpus in ("board", "open"):
        first, again = (library.ingest(data, name="fwd.eml", corpus=corpus) for _ in range(2))
        assert [one.reused for one in first.walk()] == [False, False, False]
        assert [one.reused for one in again.walk()] == [True, True, True]


def test_a_known_document_does_not_tell_where_others_have_it(library: Library, tmp_path: Path) -> None:
    """STO-5: not by the result of an ingest either."""
    library.corpora.create("board", BOARD)
    secret = tmp_path / "secret-place.txt"
    secret.write_bytes(note("sold"))
    library.ingest(secret, corpus="board")
    ingested = library.ingest(note("sold"), name="note.txt", corpus="open")
    assert not ingested.reused
    assert "secret-place" not in ingested.result.to_json()


def test_two_messages_cut_short_with_the_same_attachment_bring_it_to_both(library: Library) -> None:
    """ENG-6, STO-5: one job is open for the bytes; its end records every way."""
    library.corpora.create("board", BOARD)
    for corpus in ("board", "open"):
        stopped_after(library, message(f"To {corpus}", ("plan.txt", note("a pier"))).as_bytes(), corpus=corpus)
    with resumed(library.path) as again:
        assert names(again, "board") == ["To board", "plan.txt"]
        assert names(again, "open") == ["To open", "plan.txt"]
        assert is_whole(again)


def test_what_lies_inside_a_known_message_comes_along_though_the_host_dies(library: Library) -> None:
    """ENG-6: at any depth."""
    inner = message("Inner", ("plan.txt", note("a pier")))
    library.ingest(message("One", ("inner.eml", inner)).as_bytes(), name="one.eml", corpus="a")
    stopped_after(library, message("Two", ("inner.eml", inner)).as_bytes(), corpus="b")
    with resumed(library.path) as again:
        assert names(again, "b") == ["Inner", "Two", "plan.txt"]


def test_a_password_is_not_kept_and_holds_nothing_up(library: Library) -> None:
    ingested = stopped_after(library, message("Plans", ("plan.txt", note("a pier"))).as_bytes(), password="foo")
    with resumed(library.path) as again:
        assert [one.title for one in again.document(str(ingested.document_id)).attachments] == ["plan.txt"]
        assert is_whole(again)


def test_what_is_owed_is_forgotten_with_its_message(library: Library) -> None:
    """STO-12."""
    ingested = stopped_after(library, message("Plans", ("plan.txt", note("a pier"))).as_bytes())
    library.maintenance.purge(str(ingested.document_id), confirm=str(ingested.document_id))
    with resumed(library.path) as again:
        assert again.documents() == []
        assert list(again.context.artifacts.originals()) == []
        assert is_whole(again)


def test_what_is_owed_does_not_join_a_corpus_that_its_message_has_left(library: Library) -> None:
    """STO-12."""
    data = message("Plans", ("plan.txt", note("a pier"))).as_bytes()
    library.corpora.create("board", BOARD)
    ingested = stopped_after(library, data, corpus="board")
    library.ingest(data, name="plans.eml", corpus="open", cancel=set_event())
    library.corpora.remove_document(str(ingested.document_id), "board")
    with resumed(library.path) as again:
        assert names(again, "board") == []
        assert names(again, "open") == ["Plans", "plan.txt"]


def set_event() -> threading.Event:
    stop = threading.Event()
    stop.set()
    return stop


def test_a_message_that_nothing_refers_to_brings_nothing(tmp_path: Path) -> None:
    """STO-5, STO-12: what a reconversion finds would belong to nobody."""
    leaving = Settings(workers=1, attachments=AttachmentSettings(ingest=False))
    with Library.open(tmp_path / "library", settings=leaving) as library:
        library.corpora.create("board", BOARD)
        data = message("Plans", ("plan.txt", note("a pier"))).as_bytes()
        document_id = str(library.ingest(data, name="plans.eml", corpus="board").document_id)
        library.corpora.remove_document(document_id, "board")
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as library:
        library.document(document_id).reconvert()
        assert [ref.document_id for ref in library.document(document_id).result.attachments] == [None]
        assert is_whole(library)


def test_a_message_too_deep_brings_its_attachments_when_it_is_converted_by_itself(tmp_path: Path) -> None:
    """As the finding says."""
    with Library.open(
        tmp_path / "library", settings=Settings(workers=1, attachments=AttachmentSettings(depth=1))
    ) as library:
        *_, inner = library.ingest(nested(3).as_bytes(), name="deep.eml").walk()
        assert "Convert this document again" in inner.result.quality_report.findings[0].remedy
        inner.document.reconvert()
        assert [one.title for one in inner.document.attachments] == ["Level 0"]


def test_bytes_that_came_by_mail_as_well_are_there_when_the_file_is_gone(library: Library, tmp_path: Path) -> None:
    """STO-11: artifacts stay usable when every path is gone."""
    file = tmp_path / "plan.txt"
    file.write_bytes(note("a pier"))
    known = library.ingest(file)
    library.ingest(message("Plans", ("other.txt", note("a pier"))).as_bytes(), name="plans.eml")
    file.unlink()
    assert known.document.reconvert().version == 2


def test_the_first_name_of_the_same_bytes_says_what_they_are(library: Library) -> None:
    table = b"boat,berth\nPetrel,4\nGull,5\n"
    ingested = library.ingest(message("Boats", ("boats.csv", table), ("boats", table)).as_bytes(), name="boats.eml")
    (attached,) = ingested.attachments
    assert attached.source == "boats.eml › boats.csv"
    assert "| Petrel | 4 |" in attached.document.markdown


def test_different_files_of_one_name_are_told_apart(library: Library) -> None:
    parts: list[Part] = [("plan.md", note("a")), ("plan.md", note("b")), ("plan.md", note("c"))]
    ingested = library.ingest(message("Plans", *parts).as_bytes(), name="plans.eml")
    assert sorted(taken(ingested)) == ["plan (2).md", "plan (3).md", "plan.md"]


def test_a_title_can_be_asked_for_when_the_library_is_closed(library: Library) -> None:
    """It stands in the messages of what was cut off."""
    ingested = library.ingest(message("Plans", ("plan.txt", note("a pier"))).as_bytes(), name="plans.eml")
    (asked,), (unasked,) = ingested.document.attachments, ingested.document.attachments
    assert asked.title == "plan.txt"
    library.close()
    assert (asked.title, unasked.title) == ("plan.txt", None)


def test_a_signature_is_no_document(library: Library) -> None:
    signed = message("Signed", ("plan.txt", note("a pier")))
    signed.add_attachment(b"0\x80", "application", "pkcs7-signature", filename="smime.p7s")
    ingested = library.ingest(signed.as_bytes(), name="signed.eml")
    assert taken(ingested) == {"plan.txt": "complete"}
    assert [ref.name for ref in ingested.result.attachments] == ["plan.txt", "smime.p7s"]


def test_a_repair_during_an_ingest_leaves_what_is_on_its_way(library: Library) -> None:
    """What is attached is stored before anything names it."""
    seen = []
    put = library.context.artifacts.put_version

    def repaired_first(*given: object, **named: object) -> int:
        library.context.artifacts.put_version = put  # type: ignore[method-assign]  # once
        with Library.open(library.path, settings=Settings(workers=1)) as other:
            seen.append(other.maintenance.repair(other.maintenance.verify()).removed)
        return put(*given, **named)  # type: ignore[arg-type]  # as they came

    library.context.artifacts.put_version = repaired_first  # type: ignore[method-assign]  # to come in between
    ingested = library.ingest(message("Plans", ("plan.txt", note("a pier"))).as_bytes(), name="plans.eml")
    assert seen == [()]
    assert taken(ingested) == {"plan.txt": "complete"}
    assert is_whole(library)
