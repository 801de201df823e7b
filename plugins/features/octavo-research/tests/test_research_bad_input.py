"""Bad input: an empty library, providers and models that misbehave, sources that vanish, and a full disk (RES-5, RES-6)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from octavo_conformance.loopback import Asked, Reply, serving
from octavo_contracts import FetchResponse, OctavoError, SearchHit, ToolUnavailable, UsageError
from octavo_library import Library
from octavo_research import Research, ResearchOptions
from octavo_research.search_adapters import ADAPTERS
from octavo_research.web_search import GIVEN_UP_AFTER, MAX_URL, TRIES, ConfiguredProvider, WebSearch, fused

QUESTION = "How many harbour seals were counted, and how was the water level measured in November?"


def ran(library: Library, question: str = QUESTION, **given: Any) -> tuple[Research, str]:
    research = Research(library, **given)
    record = research.start(question)
    assert research.run(record.research_id).status == "completed"
    return research, record.research_id


def test_a_library_without_documents_has_a_report_that_says_so(fresh: Library) -> None:
    """RES-16."""
    research, run = ran(fresh)
    report = research.report(run)
    assert not report.citations()
    assert all(not claim.supported for section in report.sections for claim in section.claims)
    assert {one.reason for one in report.failures} == {"no_sources"}
    assert research.verify(run).status == "unavailable", "nothing was verified"


class Unreachable:
    """A double of a fetcher to a service that hangs: each request ends at its timeout."""

    def __init__(self) -> None:
        self.requests = 0

    def fetch(self, url: str, **_: Any) -> FetchResponse:
        self.requests += 1
        raise ToolUnavailable("the service did not answer in time")


def test_a_service_that_fails_again_and_again_is_asked_no_more_in_the_run() -> None:
    """RES-5: a run of six sub-queries waits for it twice, and says each time that it failed."""
    fetcher = Unreachable()
    provider = ConfiguredProvider(
        name="searxng", adapter=ADAPTERS["searxng"], base_url="http://127.0.0.1:9", fetcher=fetcher
    )
    search = WebSearch([provider], sleep=lambda _: None)
    failures = [search.search(f"query {number}").failures["searxng"] for number in range(6)]
    assert fetcher.requests == GIVEN_UP_AFTER * TRIES
    assert ["asked no more" in one for one in failures] == [False, False, True, True, True, True]


def test_a_provider_that_hangs_is_left_at_its_timeout() -> None:
    """RES-5: the server sends a byte now and then and never ends; the time of a request is for all of it."""
    release = threading.Event()

    def hang(_: Asked) -> Reply:
        release.wait(30)
        return Reply(body=b"{}")

    from octavo_sandbox.egress import own_fetcher, parse_target

    with serving(hang) as port:
        fetcher = own_fetcher(parse_target(f"http://127.0.0.1:{port}", ports={port}))
        started = time.monotonic()
        with pytest.raises(ToolUnavailable):
            ADAPTERS["searxng"].search("x", base_url=f"http://127.0.0.1:{port}", fetcher=Impatient(fetcher))
        assert time.monotonic() - started < 15
        release.set()


class Impatient:
    """A fetcher with a timeout of half a second."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def fetch(self, url: str, **given: Any) -> FetchResponse:
        found: FetchResponse = self._inner.fetch(url, **{**given, "timeout": 0.5})
        return found


def test_a_result_with_an_endless_url_is_left_out() -> None:
    """RES-5: it would stand in the report's failures in its whole length."""
    long = "http://x.example/" + "a" * MAX_URL
    hits = [SearchHit(url=one, title="", snippet="") for one in (long, "http://x.example/")]
    assert [one.url for one in fused({"a": hits})] == ["http://x.example/"]


@pytest.mark.parametrize("step", ["select:1", "refine:1", "synthesis"])
def test_sources_that_are_purged_while_a_run_is_executed_are_not_quoted(library: Library, step: str) -> None:
    """RES-6: between gathering and synthesis, the best source of the question vanishes."""
    _, before = ran(library)
    best = Research(library).report(before).citations()[0].document_id

    def purge(event: str, name: str) -> None:
        if (event, name) == ("start", step):
            library.maintenance.purge(best, confirm=best)

    research, run = ran(library, observer=purge)
    report = research.report(run)
    assert best not in {one.document_id for one in report.citations()}
    assert research.verify(run).status == "verified"
    assert report.citations(), "other sources are quoted"


def test_two_runs_of_one_library_at_the_same_time_end_with_the_reports_of_each(library: Library) -> None:
    """RES-2."""
    questions = [QUESTION, "What does the storm warning say about boats?"]

    def content(run: tuple[Research, str]) -> dict[str, Any]:
        return {**run[0].report(run[1]).to_dict(), "research_id": ""}

    expected = [content(ran(library, question)) for question in questions]
    found: list[Any] = [None, None]

    def work(place: int) -> None:
        found[place] = content(ran(library, questions[place]))

    threads = [threading.Thread(target=work, args=(place,)) for place in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


def _device(folder: Path) -> Path:
    return Path("/dev/zero")


def _pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


@pytest.mark.skipif(sys.platform == "win32", reason="no such files there")
@pytest.mark.parametrize("make", [_device, _pipe])
def test_a_recording_is_a_file(library: Library, tmp_path: Path, make: Callable[[Path], Path]) -> None:
    """A device has no end, and a pipe would block: both are refused before there is a run."""
    research = Research(library)
    before = research.list()
    with pytest.raises(UsageError, match="exists"):
        research.start(QUESTION, options=ResearchOptions(record=str(make(tmp_path))))
    assert research.list() == before


@pytest.mark.skipif(sys.platform == "win32", reason="no such files there")
def test_a_pipe_that_takes_the_place_of_a_recording_fails_the_run_which_can_be_resumed(
    library: Library, tmp_path: Path
) -> None:
    research = Research(library)
    record = research.start(QUESTION, options=ResearchOptions(record=str(tmp_path / "pipe")))
    pipe = _pipe(tmp_path)
    with pytest.raises(UsageError, match="no file"):
        research.run(record.research_id)
    assert research.get(record.research_id).status == "failed"
    pipe.unlink()
    assert research.run(record.research_id).status == "completed"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (ResearchOptions(providers=("corpus", "nowhere")), "nowhere"),
        (ResearchOptions(providers=("searxng",)), "has no server"),
        (ResearchOptions(model="m", model_url="ftp://example.org"), "an http or https URL"),
        (ResearchOptions(record="/nowhere/at/all/run.jsonl"), "no folder"),
    ],
    ids=["provider", "server", "model", "folder"],
)
def test_what_is_wrong_with_the_options_is_told_before_there_is_a_run(
    library: Library, options: ResearchOptions, problem: str
) -> None:
    """RES-6: the list of runs has no run that could never begin."""
    research = Research(library)
    before = research.list()
    with pytest.raises(OctavoError, match=problem):
        research.start(QUESTION, options=options)
    assert research.list() == before


FULL = """
import resource, signal, sys
from octavo import Settings
from octavo_contracts import StorageError
from octavo_library import Library
from octavo_research import Research, ResearchOptions
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with Library.open(sys.argv[1], create=False, settings=Settings(workers=1, sampling=False)) as library:
    research = Research(library)
    run = research.start(sys.argv[3], options=ResearchOptions(record=sys.argv[2])).research_id
    resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, resource.RLIM_INFINITY))
    try:
        research.run(run)
        told = "no error"
    except StorageError as error:
        told = error.message
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print(run, told, sep="\\t")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of a file's size there")
def test_a_disk_that_is_full_ends_the_run_which_is_resumed_once_there_is_room(folder: Path, tmp_path: Path) -> None:
    """RES-2, RES-6: a limit of the size of files stands for the disk. The report is that of a run that had room."""
    arguments = [sys.executable, "-c", FULL, str(folder), str(tmp_path / "run.jsonl"), QUESTION]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    run, _, told = done.stdout.strip().splitlines()[-1].partition("\t")
    assert told != "no error", done.stdout
    with Library.open(folder, create=False) as library:
        research = Research(library)
        assert research.state(research.get(run)) in ("failed", "interrupted", "waiting")
        assert research.run(run).status == "completed"
        _, other = ran(library)
        contents = [{**research.report(one).to_dict(), "research_id": ""} for one in (run, other)]
        assert contents[0] == contents[1]
        assert json.dumps(contents[0]["failures"]) == "[]"
