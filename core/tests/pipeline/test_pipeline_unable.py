"""An engine that says it cannot read a kind of document here is passed over for a while, and nothing hides it (CNV-16)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import octavo
import pytest
from octavo.plugins.availability import BELIEVED_SECONDS, UnavailableEngines
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_contracts import ToolUnavailable
from octavo_library import Library

GARBLED = """\
from octavo_contracts import Conversion, Page, Table, hookimpl

@hookimpl
def convert(source):
    table = Table(rows=(("a", "b"), ("1",), ("2",)), header_rows=1)
    page = Page(number=1, kind="whole", markdown=source.read_bytes().decode(), tables=(table,))
    return Conversion(pages=(page,), paginated=False)
"""
WITHOUT_MODEL = """\
from octavo_contracts import ToolUnavailable, hookimpl

@hookimpl
def convert(source):
    raise ToolUnavailable("its model is not here", remedy="Fetch the model")
"""
WEIGHTS = """
[plugin.weights]
setting = "layout.model"
files = ["model.bin"]
"""
NOT_YET = """\
from pathlib import Path
from octavo_contracts import Conversion, Page, ToolUnavailable, hookimpl

@hookimpl
def convert(source):
    text = source.read_bytes().decode()
    if text == "not yet":
        raise ToolUnavailable("its model is not here", remedy="Fetch the model")
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text),), paginated=False)
"""
PROFILE = """\
name = "two"
[routes]
plain_text = ["wants-model", "good"]
[escalate]
other = ["wants-model"]
[sampling]
documents = 2
[sampling.pairs]
plain_text = ["wants-model", "plaintext"]
"""


class Clock:
    """Seconds that pass when a test says so."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def two(make_plugin, good_plugin, tmp_path: Path, clock: Clock) -> Iterator[Runtime]:
    """A runtime that ranks an engine without its model before one that works."""
    make_plugin("wants-model", WITHOUT_MODEL, more=WEIGHTS)
    make_plugin("good", good_plugin)
    path = tmp_path / "two.toml"
    path.write_text(PROFILE)
    with Runtime(Settings(workers=1, profile=str(path))) as runtime:
        runtime.unable = UnavailableEngines(clock=clock)
        yield runtime


def asked(result) -> list[str]:
    return [attempt.plugin for attempt in result.attempts]


def test_it_is_asked_once_and_every_report_says_why_it_did_not_convert(two):
    first, second = (octavo.convert(text, name="a.txt", runtime=two).result for text in (b"one", b"two"))
    assert (asked(first), asked(second)) == (["wants-model", "good"], ["good"])
    (told,) = first.quality_report.fallback_attempts
    assert told.reason == "tool_unavailable: its model is not here"
    assert second.quality_report.fallback_attempts == (told,)


def test_it_is_asked_again_after_a_while(two, clock):
    """A model that was put in place is found without a restart."""
    octavo.convert(b"one", name="a.txt", runtime=two)
    clock.now += BELIEVED_SECONDS
    assert asked(octavo.convert(b"two", name="a.txt", runtime=two).result) == ["wants-model", "good"]


def test_it_is_asked_where_it_is_asked_for_by_name(two):
    octavo.convert(b"one", name="a.txt", runtime=two)
    result = octavo.convert(b"two", name="a.txt", runtime=two, plugin="wants-model").result
    assert asked(result) == ["wants-model"]
    (receipt,) = result.failure_receipts
    assert (receipt.reason_code, receipt.remedy) == ("tool_unavailable", "Fetch the model")


def test_it_is_asked_where_there_is_no_other(make_plugin, runtime):
    make_plugin("wants-model", WITHOUT_MODEL, media_types=["text/x-own"], more='extensions = [".own"]\n' + WEIGHTS)
    for text in (b"one", b"two"):
        assert asked(octavo.convert(text, name="a.own", runtime=runtime).result) == ["wants-model"]


def test_a_conversion_in_doubt_does_not_bring_it_up_again(make_plugin, tmp_path):
    """CNV-2: garbled tables ask for the heavier plugin, which is known to be of no use."""
    make_plugin("wants-model", WITHOUT_MODEL, more=WEIGHTS)
    make_plugin("good", GARBLED)
    path = tmp_path / "two.toml"
    path.write_text(PROFILE)
    with Runtime(Settings(workers=1, profile=str(path))) as runtime:
        reports = [
            octavo.convert(text, name="a.txt", runtime=runtime).result.quality_report for text in (b"one", b"two")
        ]
    assert all("tables_garbled" in report.degraded_flags for report in reports)
    assert [[one.tool for one in report.fallback_attempts] for report in reports] == [["wants-model"], ["wants-model"]]


def test_another_one_gives_the_second_opinion(two, tmp_path):
    """CNV-4."""
    path = tmp_path / "a.txt"
    path.write_text("The tide turns at six.")
    with Library.open(tmp_path / "library", runtime=two) as library:
        library.ingest(path)
        (compared,) = library.routing.sample()
    assert (compared.tool_a, compared.tool_b) == ("good", "plaintext")


def test_what_kept_a_worker_from_starting_says_nothing_of_the_engine(clock):
    unable = UnavailableEngines(clock=clock)
    unable.note(ToolUnavailable("a worker did not start"), plugin="good", media_type="text/plain")
    assert not unable.knows("good", "text/plain")
    unable.refuse("good", "text/plain")


def test_what_is_known_is_of_one_type_of_document(clock):
    said = ToolUnavailable("no weights", remedy="Fetch them")
    vars(said)["worker_traceback"] = ""
    unable = UnavailableEngines(clock=clock)
    unable.note(said, plugin="layout", media_type="application/pdf")
    with pytest.raises(ToolUnavailable, match="no weights"):
        unable.refuse("layout", "application/pdf")
    unable.refuse("layout", "text/html")
    unable.refuse("other", "application/pdf")


def test_what_one_document_lacks_is_not_said_of_the_next(make_plugin, good_plugin, tmp_path):
    """Only weights are missing for all documents alike; a plugin without any is asked each time."""
    make_plugin("wants-model", NOT_YET)
    make_plugin("good", good_plugin)
    path = tmp_path / "two.toml"
    path.write_text(PROFILE)
    with Runtime(Settings(workers=1, profile=str(path))) as runtime:
        first, second = (octavo.convert(text, name="a.txt", runtime=runtime).result for text in (b"not yet", b"two"))
    assert (asked(first), asked(second)) == (["wants-model", "good"], ["wants-model"])


def test_who_was_passed_over_is_asked_where_nobody_else_could(make_plugin, tmp_path):
    """Its weights may have been put in place since."""
    make_plugin("wants-model", NOT_YET, media_types=["text/x-own"], more='extensions = [".own"]\n' + WEIGHTS)
    make_plugin("never", WITHOUT_MODEL, media_types=["text/x-own"], priority=1)
    with Runtime(Settings(workers=1)) as runtime:
        first, second = (octavo.convert(text, name="a.own", runtime=runtime).result for text in (b"not yet", b"two"))
        third = octavo.convert(b"three", name="a.own", runtime=runtime).result
    assert first.ingestion_status == "hard_failed"
    assert asked(second) == ["never", "wants-model"]
    assert second.ingestion_status == "complete"
    assert asked(third) == ["wants-model"], "what it read takes back what it said"


def test_a_comparison_asks_whom_it_names(make_plugin, good_plugin, tmp_path):
    """CNV-4."""
    make_plugin("wants-model", NOT_YET, more=WEIGHTS)
    make_plugin("good", good_plugin)
    path = tmp_path / "two.toml"
    path.write_text(PROFILE)
    (tmp_path / "a.txt").write_text("The tide turns at six.")
    with (
        Runtime(Settings(workers=1, profile=str(path), sampling=False)) as runtime,
        Library.open(tmp_path / "library", runtime=runtime) as library,
    ):
        octavo.convert(b"not yet", name="b.txt", runtime=runtime)
        ingested = library.ingest(tmp_path / "a.txt")
        assert asked(ingested.result) == ["good"], "the other one was passed over"
        compared = library.routing.compare(ingested.document_id, plugins=("good", "wants-model"))
    assert (compared.a.tool, compared.b.tool) == ("good", "wants-model")


LOCKED = """\
from octavo_contracts import SourceEncrypted, hookimpl

@hookimpl
def convert(source):
    raise SourceEncrypted("it has a password")
"""


def test_nobody_is_asked_again_for_a_document_that_is_locked(make_plugin, tmp_path):
    make_plugin("wants-model", WITHOUT_MODEL, more=WEIGHTS)
    make_plugin("good", LOCKED)
    path = tmp_path / "two.toml"
    path.write_text(PROFILE)
    with Runtime(Settings(workers=1, profile=str(path))) as runtime:
        results = [octavo.convert(text, name="a.txt", runtime=runtime).result for text in (b"one", b"two")]
    assert [asked(result) for result in results] == [["wants-model", "good"], ["good"]]
