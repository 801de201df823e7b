"""What was left open goes on by itself: reconversions that were cut short, and what waits for a tool (ENG-6, ENG-7, ENG-10)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
from octavo.conversion.options import ConvertOptions
from octavo.settings.engine import CareSettings, EngineSettings, WakeSettings
from octavo.settings.entities import EntitySettings
from octavo.settings.ocr import OcrOptions
from octavo.settings.settings import Settings
from octavo_contracts import IngestionState, Intent, StorageError, UsageError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.facade.runs import unsettled
from octavo_library.ingestion.events import JobEnded, JobWaiting, RunFinished
from octavo_library.ingestion.requests import IngestRequest, PersistedRequest, serialize_request
from octavo_library.ingestion.retry_scheduler import CUT_SHORT, ResumeResult, RetryScheduler
from octavo_library.storage import PolicyContext, verify
from octavo_sandbox import Cancelled

SLOW = """\
import os, time
from octavo_contracts import *

@hookimpl
def convert(source, request, context):
    while os.path.exists({block!r}):
        time.sleep(0.02)
    return Conversion(pages=(Page(number=1, kind='whole', markdown=source.read_bytes().decode()),), paginated=False)
"""
PLAIN = SLOW.format(block="/nowhere/at/all")
HOST = """
import sys
from octavo_library import Library
from octavo.settings import Settings
index = sys.argv[3] if sys.argv[3].startswith("postgresql") else None
with Library.open(sys.argv[1], settings=Settings(workers=1), index=index) as library:
    library.documents()[0].reconvert(plugin="slow", activate=sys.argv[2] == "True")
"""


@pytest.fixture
def settings():
    calm = CareSettings(memory_stop=101.0, memory_go=100.0, load_stop=1e6, load_go=1e5, heat_stop=1e6, disk_floor=0)
    return Settings(workers=1, engine=EngineSettings(care=calm, wake=WakeSettings(first=0.1, longest=0.4)))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "note.txt"
    path.write_text("The tide came in at noon.")
    return path


def until(said, *, seconds=20.0):
    ends = time.monotonic() + seconds
    while not said() and time.monotonic() < ends:
        time.sleep(0.02)
    assert said()


def reconversions(library):
    [document] = library.documents()
    return [job for job in library.context.index.jobs.of_hash(document.raw_hash) if job.intent is Intent.RECONVERT]


@pytest.fixture
def cut_short(make_plugin, tmp_path, file, settings):
    """A library whose host was killed while it reconverted its one document; the converter would go on by now."""
    block = tmp_path / "block"
    make_plugin("slow", SLOW.format(block=str(block)))

    def make(*, activate=True):
        with Library.open(tmp_path / "library", settings=settings) as library:
            library.ingest(file, plugin="slow")
            index = library.context.index.url.render_as_string(hide_password=False)
        block.touch()
        command = [sys.executable, "-c", HOST, str(tmp_path / "library"), str(activate), index]
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        with (
            subprocess.Popen(command, env=environment) as host,
            Library.open(tmp_path / "library", settings=settings) as watching,
        ):
            until(lambda: reconversions(watching))
            time.sleep(0.1)
            host.kill()
        block.unlink()
        return tmp_path / "library"

    return make


def test_a_reconversion_that_was_cut_short_goes_on_at_the_next_opening(cut_short, settings):
    with Library.open(cut_short(), settings=settings) as library:
        assert library.engine.wait_until_resumed(seconds=20)
        [document] = library.documents()
        assert [(version.version, version.tool, version.is_active) for version in document.versions] == [
            (1, "slow", False),
            (2, "slow", True),
        ]
        [job] = reconversions(library)
        assert job.state is IngestionState.COMPLETE
        assert [entry.details["outcome"] for entry in library.context.index.jobs.transitions(job.job_id)].count(
            "interrupted"
        ) == 1
        assert library.context.index.jobs.open_jobs() == ()
        assert verify(library.context.artifacts, library.context.index, read_contents=True).is_clean


def test_it_goes_on_as_it_was_asked_for(cut_short, settings):
    with Library.open(cut_short(activate=False), settings=settings) as library:
        assert library.engine.wait_until_resumed(seconds=20)
        assert [version.is_active for version in library.documents()[0].versions] == [True, False]


def test_a_reconversion_whose_original_is_gone_ends_and_says_so(cut_short, settings, file):
    folder = cut_short()
    file.unlink()
    told = []
    with Library.open(folder, settings=settings) as library:
        library.engine.events.subscribe(told.append)
        assert library.engine.wait_until_resumed(seconds=20)
        [job] = reconversions(library)
        assert (job.state, job.reason) == (IngestionState.HARD_FAILED, "source_missing")
        [document] = library.documents()
        assert (document.status, document.active_version) == ("complete", 1)
        [ended] = [event for event in told if isinstance(event, JobEnded)]
        assert (ended.document_id, ended.intent, ended.reason) == (document.id, "reconvert", "source_missing")
        [shown] = unsettled(library.runs.jobs(document.id))
        assert (shown.intent, shown.standing, shown.reason) == ("reconvert", "failed", "source_missing")
        log = json.loads(library.context.artifacts.read(f"store:by_hash/{document.raw_hash}/processing_log.json"))
        assert [job["reason"] for job in log["jobs"]] == [None, "source_missing"]


def test_what_is_begun_again_is_cut_short_by_the_close_and_goes_on_later(cut_short, settings, tmp_path):
    folder = cut_short()
    (tmp_path / "block").touch()
    for _ in range(settings.engine.retries.tries + 1):
        with Library.open(folder, settings=settings) as library:
            assert not library.engine.wait_until_resumed(seconds=0.1)
            begun = [(IngestionState.CONVERSION_PENDING, 2)]
            until(lambda: [(job.state, job.attempts) for job in reconversions(library)] == begun)  # noqa: B023 - called here
    (tmp_path / "block").unlink()
    with Library.open(folder, settings=settings) as library:
        [job] = reconversions(library)
        assert (job.owner, job.attempts) == (None, 1)
        assert library.engine.wait_until_resumed(seconds=20)
        assert [job.state for job in reconversions(library)] == [IngestionState.COMPLETE]


def test_openings_that_only_look_neither_claim_nor_begin_what_was_cut_short(cut_short, settings):
    folder = cut_short()
    patient = replace(settings, engine=replace(settings.engine, wake=WakeSettings(grace=60.0)))
    seen = []
    for _ in range(4):
        with Library.open(folder, settings=patient) as library:
            seen += reconversions(library)
    assert seen == [seen[0]] * 4
    assert (seen[0].owner, seen[0].attempts, seen[0].claims) == (None, 1, 2)  # the first settled what the host had
    with Library.open(folder, settings=patient) as library:
        assert library.engine.wait_until_resumed(seconds=20), "what is waited for begins at once"
        assert [job.state for job in reconversions(library)] == [IngestionState.COMPLETE]


def test_what_was_cut_short_begins_by_itself_in_an_opening_that_lasts(cut_short, settings):
    brief = replace(settings, engine=replace(settings.engine, wake=WakeSettings(grace=0.1)))
    with Library.open(cut_short(), settings=brief) as library:
        until(lambda: not library.context.index.jobs.open_jobs())
        assert [job.state for job in reconversions(library)] == [IngestionState.COMPLETE]


def test_one_that_was_cut_short_again_and_again_waits_for_a_caller(cut_short, settings):
    """What it converts may be what ends its hosts: it does not end every host to come."""
    folder = cut_short()
    once = replace(settings, engine=replace(settings.engine, retries=replace(settings.engine.retries, tries=1)))
    with Library.open(folder, settings=once) as library:
        assert library.engine.wait_until_resumed(seconds=20)
        assert [job.state for job in reconversions(library)] == [IngestionState.CONVERSION_FAILED]
        library.documents()[0].reconvert()
        assert library.context.index.jobs.open_jobs() == ()


def test_a_reconversion_that_its_caller_stopped_does_not_go_on(make_plugin, tmp_path, file, settings):
    block = tmp_path / "block"
    make_plugin("slow", SLOW.format(block=str(block)))
    with Library.open(tmp_path / "library", settings=settings) as library:
        library.ingest(file, plugin="slow")
        block.touch()
        stop = threading.Event()
        request = IngestRequest(options=ConvertOptions(plugin="slow", asked_by="the test", cancel=stop))
        threading.Timer(0.3, stop.set).start()
        with library.documents()[0].original.open() as source, pytest.raises(Cancelled):
            library.context.engine.reconverter.reconvert(source, request, activate=True)
        [job] = reconversions(library)
        assert (job.state, job.reason) == (IngestionState.HARD_FAILED, "not_attempted")


@pytest.fixture
def program(make_plugin, tmp_path, monkeypatch):
    """The path of a program that the plugin `needy` wants, and that is not there yet."""
    make_plugin("needy", PLAIN, more='[[plugin.system]]\ncommand = "the-missing-program"\ninstall = "apt install it"\n')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return tmp_path / "bin" / "the-missing-program"


def install(program):
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)


def test_documents_that_wait_for_a_tool_wake_within_the_run_when_it_comes(program, tmp_path, settings):
    """ENG-20."""
    paths = [tmp_path / f"{number}.txt" for number in range(4)]
    for number, path in enumerate(paths):
        path.write_text(f"Note {number}")
    told = []
    with Library.open(tmp_path / "library", settings=settings) as library:
        library.engine.events.subscribe(told.append)

        def sources():
            yield from paths[:3]
            while len([event for event in told if isinstance(event, JobWaiting)]) < 3:
                time.sleep(0.002)
                yield tmp_path / "absent"
            install(program)
            while library.context.index.jobs.open_jobs():
                time.sleep(0.002)
                yield tmp_path / "absent"
            yield paths[3]

        done = {item.source: item.result.ingestion_status for item in library.ingest_many(sources(), plugin="needy")}
        assert [done[str(path)] for path in paths] == ["hard_failed"] * 3 + ["complete"]
        assert [document.status for document in library.documents()] == ["complete"] * 4
        [finished] = [event for event in told if isinstance(event, RunFinished)]
        assert not any("wait" in sentence for sentence in finished.degraded)
        woken = [event for event in told if isinstance(event, JobEnded) and event.document_id]
        assert {event.run_id for event in woken} == {finished.run_id}
        waited = [event for event in told if isinstance(event, JobWaiting)]
        assert {event.tool for event in waited} == {"needy"}
        run = library.runs.get("last")
        assert run.counts.complete == 4
        assert verify(library.context.artifacts, library.context.index, read_contents=True).is_clean


@pytest.mark.parametrize("as_bytes", [False, True])
def test_what_waits_wakes_at_a_later_opening_too(program, tmp_path, settings, file, as_bytes):
    with Library.open(tmp_path / "library", settings=settings) as library:
        library.ingest(file.read_bytes() if as_bytes else file, name="note.txt" if as_bytes else None, plugin="needy")
    with Library.open(tmp_path / "library", settings=settings) as library:
        told = []
        library.engine.events.subscribe(told.append)
        until(lambda: any(isinstance(event, JobWaiting) for event in told))  # it was tried in vain
        [job] = library.context.index.jobs.open_jobs()
        assert (job.owner, job.waiting_reason) == (None, "tool_unavailable")
        install(program)
        until(lambda: not library.context.index.jobs.open_jobs())
        [document] = library.documents()
        assert (document.status, document.versions[0].tool) == ("complete", "needy")


TAGGER = """\
from octavo_contracts import EntityObservation, hookimpl

@hookimpl
def extract_entities(text, request, context):
    return (EntityObservation(label="location", text="noon", start=text.index("noon"), end=text.index("noon") + 4,
                              confidence=0.9),)
"""


@pytest.fixture
def tagging(make_plugin, settings):
    """Settings with an engine that finds one entity in each note."""
    make_plugin("tagger", TAGGER, hooks=["extract_entities"])
    return replace(settings, entities=EntitySettings(engine="tagger"))


def names(library):
    return [entity.name for entity in library.entities.list()]


@pytest.mark.parametrize("by_corpus", [False, True])
@pytest.mark.parametrize("many", [False, True])
def test_what_woke_is_looked_through_for_entities_as_it_was_asked_for(
    program, tmp_path, tagging, file, by_corpus, many
):
    """ENT-1 holds for what had to wait for its converter too: by the word of the run, or of the corpus."""
    asked = {"corpus": "case"} if by_corpus else {"entities": True}
    with Library.open(tmp_path / "library", settings=tagging) as library:
        library.corpora.create("case", CorpusSettings(entities=True))
        if many:
            assert [item.result.ingestion_status for item in library.ingest_many([file], plugin="needy", **asked)] == [
                "hard_failed"
            ]
        else:
            library.ingest(file, plugin="needy", **asked)
        assert names(library) == []
        install(program)
        until(lambda: names(library) == ["noon"])


@pytest.mark.parametrize(("asked", "found"), [({"entities": True}, ["noon"]), ({"entities": False}, []), ({}, [])])
def test_what_wakes_at_a_later_opening_is_looked_through_if_that_was_asked_for(
    program, tmp_path, tagging, file, asked, found
):
    with Library.open(tmp_path / "library", settings=tagging) as library:
        library.ingest(file, plugin="needy", **asked)
    install(program)
    with Library.open(tmp_path / "library", settings=tagging) as library:
        until(lambda: library.documents() and library.documents()[0].active_version)
        if found:
            until(lambda: names(library) == found)
        time.sleep(0.3)
        assert names(library) == found


def test_an_engine_that_is_not_there_takes_nothing_from_what_woke(program, tmp_path, tagging, file, caplog):
    with Library.open(tmp_path / "library", settings=tagging) as library:
        library.ingest(file, plugin="needy", entities=True)
    install(program)
    gone = replace(tagging, entities=EntitySettings(engine="gliner"))
    with Library.open(tmp_path / "library", settings=gone) as library:
        until(lambda: library.documents())
        until(lambda: "a follow-up of its document failed" in caplog.text)
        assert library.documents()[0].status == "complete"
        assert library.context.index.jobs.open_jobs() == ()


BLOCKED_TAGGER = """\
import os, time
from octavo_contracts import EntityObservation, hookimpl

@hookimpl
def extract_entities(text, request, context):
    while os.path.exists({block!r}):
        time.sleep(0.02)
    return (EntityObservation(label="location", text="noon", start=text.index("noon"), end=text.index("noon") + 4,
                              confidence=0.9),)
"""
RUN_HOST = """
import os, sys
from octavo_library import Library
from octavo.settings.entities import EntitySettings
from octavo.settings import Settings
from octavo_library.storage.index.commits import JobRepository
folder, index, death, *files = sys.argv[1:]
if death == "before the commit":
    def die(self, *done, **more):
        os._exit(9)
    JobRepository.complete = die
settings = Settings(workers=1, entities=EntitySettings(engine="tagger"))
with Library.open(folder, settings=settings, index=index if index.startswith("postgresql") else None) as library:
    for _ in library.ingest_many(files, corpus="case"):
        pass
"""


@pytest.fixture
def killed_run(make_plugin, tmp_path, settings):
    """A library in whose corpus entities are looked for, and whose host was killed in a run; the tagger works by now."""
    block = tmp_path / "block"
    make_plugin("slow", PLAIN)
    make_plugin("tagger", BLOCKED_TAGGER.format(block=str(block)), hooks=["extract_entities"])
    tagging = replace(settings, entities=EntitySettings(engine="tagger"))

    def make(texts, *, death="while it tags", until_committed=0):
        files = [tmp_path / f"{number}.txt" for number in range(len(texts))]
        for path, text in zip(files, texts, strict=True):
            path.write_text(text)
        with Library.open(tmp_path / "library", settings=tagging) as library:
            library.corpora.create("case", CorpusSettings(entities=True))
            index = library.context.index.url.render_as_string(hide_password=False)
        block.touch()
        command = [sys.executable, "-c", RUN_HOST, str(tmp_path / "library"), index, death, *map(str, files)]
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        with (
            subprocess.Popen(command, env=environment) as host,
            Library.open(tmp_path / "library", settings=tagging) as watching,
        ):
            if death == "while it tags":
                until(lambda: len(watching.documents()) >= until_committed)
                time.sleep(0.2)
                host.kill()
            host.wait(timeout=30)
            assert names(watching) == []
        block.unlink()
        return tmp_path / "library", tagging

    return make


def extractions(library):
    return [
        (
            job.intent,
            job.state,
            [entry.details["outcome"] for entry in library.context.index.jobs.transitions(job.job_id)],
        )
        for document in library.documents()
        for job in library.context.index.jobs.of_hash(document.raw_hash)
        if job.intent is Intent.EXTRACT
    ]


def test_entities_of_what_was_committed_before_its_host_died_are_found_at_the_next_opening_once(killed_run):
    """ENG-6: one that was being looked through, and those whose turn had not come; nobody asks for them again."""
    folder, tagging = killed_run(["First at noon.", "Second at noon.", "Third at noon."], until_committed=3)

    with Library.open(folder, settings=tagging) as library:
        assert library.engine.wait_until_resumed(seconds=30)
        [entity] = library.entities.list(corpus="case")
        assert (entity.name, entity.documents, len(entity.observations)) == ("noon", 3, 3)
        found = extractions(library)
        assert [(state, outcomes.count("interrupted")) for _, state, outcomes in found] == [
            (IngestionState.COMPLETE, 1)
        ] * 3
        assert all("kept 1, dropped 0" in outcomes for _, _, outcomes in found)
        assert library.context.index.jobs.open_jobs() == ()
    with Library.open(folder, settings=tagging) as library:
        assert library.engine.wait_until_resumed(seconds=30)
        assert len(extractions(library)) == 3


def test_entities_are_owed_to_a_version_that_recovery_commits(killed_run):
    """Its host died between the version's files and their commit, and the next opening finishes the job."""
    folder, tagging = killed_run(["First at noon."], death="before the commit")

    with Library.open(folder, settings=tagging) as library:
        assert [document.status for document in library.documents()] == ["complete"]
        assert library.engine.wait_until_resumed(seconds=30)
        assert names(library) == ["noon"]
        assert library.context.index.jobs.open_jobs() == ()


def test_what_is_owed_and_not_wanted_any_more_is_left(killed_run):
    folder, tagging = killed_run(["First at noon."], until_committed=1)
    [document_type] = {None, *_types(folder, tagging)} - {None}

    with Library.open(folder, settings=_without(tagging, document_type)) as library:
        assert library.engine.wait_until_resumed(seconds=30)
        assert names(library) == []
        [(_, state, outcomes)] = extractions(library)
        assert (state, outcomes[-2]) == (IngestionState.COMPLETE, "skipped")


def _types(folder, settings):
    with Library.open(folder, settings=settings) as library:
        return {document.result.document_type for document in library.documents()}


def _without(settings, document_type):
    return replace(settings, entities=replace(settings.entities, by_document_type={document_type: False}))


def test_an_owed_search_takes_no_place_of_one_that_is_asked_for(killed_run):
    """Whoever asks for the document first finds its entities; what is owed then is nothing more to do."""
    folder, tagging = killed_run(["First at noon."], until_committed=1)
    patient = replace(tagging, engine=replace(tagging.engine, wake=WakeSettings(grace=600.0)))

    with Library.open(folder, settings=patient) as library:
        [document] = library.documents()
        library.entities.extract(document.id)
        assert names(library) == ["noon"]
        assert library.engine.wait_until_resumed(seconds=30)
        assert library.context.index.jobs.open_jobs() == ()
        assert [outcomes.count("kept 1, dropped 0") for _, _, outcomes in extractions(library)] in ([0, 1], [1, 0])


def test_the_work_on_a_document_that_waits_is_shown_before_it_is_one(program, tmp_path, settings, file):
    """A document that was never converted is found by its path and by its id, by whom its way in allows (STO-5)."""
    with Library.open(tmp_path / "library", settings=settings) as library:
        library.corpora.create("case", CorpusSettings(visibility="firewalled"))
        document_id = library.ingest(file, plugin="needy", corpus="case").result.document_id
        for ref in (str(file), document_id, document_id[:8]):
            [job] = library.runs.jobs(ref)
            assert (job.document_id, job.intent, job.state) == (document_id, "ingest", "conversion_pending")
            assert (job.standing, job.reason, job.is_open) == ("waiting", "tool_unavailable", True)
            assert job.attempts == 1
        assert [one.job_id for one in library.runs.jobs(document_id, corpus="case")] == [job.job_id]
        library.corpora.create("other")
        for asker in ({"corpus": "other"}, {"policy": PolicyContext()}):
            with pytest.raises(UsageError, match="no document matches"):
                library.runs.jobs(document_id, **asker)
        with pytest.raises(UsageError, match="no document matches"):
            library.runs.jobs("abcdef12")


def test_what_came_with_a_password_waits_for_it_in_another_process(program, tmp_path, settings, file):
    with Library.open(tmp_path / "library", settings=settings) as library:
        library.ingest(file, plugin="needy", password="sesame")
        [job] = library.context.index.jobs.open_jobs()
        assert "sesame" not in job.request_json
    install(program)
    with Library.open(tmp_path / "library", settings=settings) as library:
        time.sleep(0.5)
        assert len(library.context.index.jobs.open_jobs()) == 1
        assert library.ingest(file, plugin="needy", password="sesame").result.ingestion_status == "complete"


def test_a_vanished_file_leaves_its_document_waiting(program, tmp_path, settings, file):
    with Library.open(tmp_path / "library", settings=settings) as library:
        library.ingest(file, plugin="needy")
        file.unlink()
        install(program)
        time.sleep(0.8)
        [job] = library.context.index.jobs.open_jobs()
        assert (job.owner, job.waiting_reason) == (None, "tool_unavailable")


def test_a_request_is_remembered_without_its_password():
    options = ConvertOptions(
        plugin="tesseract",
        asked_by="the user",
        profile="fast",
        timeout=7.0,
        password="sesame",
        ocr=OcrOptions(pages=(2, 3), engine="tesseract"),
    )
    text = serialize_request(IngestRequest(surface="browser_capture", options=options), "file:///a", activate=False)
    assert "sesame" not in text
    assert PersistedRequest.read(text) == PersistedRequest(
        path="file:///a",
        surface="browser_capture",
        corpus_id=None,
        activate=False,
        has_password=True,
        options=replace(options, password=None),
    )
    assert PersistedRequest.read('{"purge": true}') is None
    by_rules = PersistedRequest.read(serialize_request(IngestRequest(is_by_rules=True), None))
    assert by_rules is not None
    assert by_rules.request(None, run_id=None).is_by_rules


class Jobs:
    """Stands for the library under `RetryScheduler`: says what comes of each try, and notes them."""

    def __init__(self, *, first=0.05):
        self.tried = []
        self.answers = {}
        self.lacking = set()
        self.retries = RetryScheduler(
            self.resume, lacks=self.lacking.__contains__, settings=WakeSettings(first=first, longest=2 * first)
        )

    def resume(self, job_id, request, /, *, cancel):
        self.tried.append(job_id)
        answer = self.answers.get(job_id, ResumeResult.ENDED)
        if isinstance(answer, Exception):
            raise answer
        if answer is ResumeResult.WAITS:
            self.wait(job_id, tool="tool")
        return answer

    def wait(self, job_id, *, tool=None):
        self.retries.add_waiting(Job(job_id), None, tool=tool)


class Job:
    def __init__(self, job_id):
        self.job_id = job_id
        self.waiting_reason = "tool_unavailable"


@pytest.fixture
def jobs():
    made = Jobs()
    yield made
    made.retries.close()


def test_of_many_that_wait_for_a_tool_one_is_tried_and_the_others_follow_it(jobs):
    jobs.lacking.add("tool")
    for number in range(20):
        jobs.wait(f"{number}", tool="tool")
    time.sleep(0.3)
    assert jobs.tried == []
    jobs.answers = {str(number): ResumeResult.WAITS for number in range(20)}
    jobs.lacking.clear()
    until(lambda: len(jobs.tried) >= 2)
    assert len(jobs.tried) <= 10
    jobs.answers = {}
    until(lambda: {str(number) for number in range(20)} <= set(jobs.tried))


def test_trouble_of_the_library_loses_no_job(jobs, caplog):
    jobs.answers = {"one": StorageError("the disk is full")}
    jobs.wait("one")
    until(lambda: jobs.tried.count("one") >= 2)
    jobs.answers = {}
    before = len(jobs.tried)
    until(lambda: len(jobs.tried) > before)
    assert "the disk is full" in caplog.text


def test_what_was_cut_short_is_tried_at_once_where_it_is_waited_for():
    jobs = Jobs(first=600)
    try:
        jobs.wait("patient")
        jobs.retries.add_interrupted(Job("hasty"))
        assert jobs.tried == []
        assert jobs.retries.wait_until_resumed(30)
        assert jobs.tried == ["hasty"]
        assert CUT_SHORT.reason == ""
    finally:
        jobs.retries.close()
