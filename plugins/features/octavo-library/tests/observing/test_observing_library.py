"""What a library's logs and metrics tell, and what they never tell: a planted secret is in none of them."""

from __future__ import annotations

import dataclasses
import inspect
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo.settings.settings import LogSettings, Settings
from octavo.settings.step_names import StepName
from octavo_contracts import IngestionState, Intent
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.ingestion import events
from octavo_library.ingestion.events import EngineEvent, PauseCause, Paused, PoolResized
from octavo_library.ingestion.use_events import ContextSent, RetrievalCalled
from octavo_library.observability import METRICS, AuditAction, EventLog, Metrics, event_row
from octavo_library.observability.event_log import LEFT_OUT
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

SECRET = "Merganser4711"
LEAKY = """\
from octavo_contracts import Conversion, DocumentMetadata, Page, SourceCorrupt, hookimpl

@hookimpl
def convert(source, request, context):
    text = source.read_bytes().decode()
    if "corrupt" in text:
        raise SourceCorrupt("cannot read " + text, source=source.name)
    page = Page(number=1, kind="whole", markdown=text)
    return Conversion(pages=(page,), paginated=False, metadata=DocumentMetadata(title=text))
"""

KINDS = [kind for _, kind in inspect.getmembers(events, inspect.isclass) if issubclass(kind, EngineEvent)]


@pytest.fixture
def library(make_plugin: Callable[..., Path], tmp_path: Path) -> Iterator[Library]:
    make_plugin("leaky", LEAKY)
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as opened:
        yield opened


def log(library: Library, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (library.path / "logs" / f"{name}.jsonl").read_text().splitlines()]


def busy_day(library: Library, folder: Path) -> None:
    """Everything that is logged, on documents whose names, titles and texts hold the secret."""
    folder.mkdir()
    good, bad = folder / f"{SECRET}.txt", folder / f"bad {SECRET}.txt"
    good.write_text(f"The tide of {SECRET}")
    bad.write_text(f"corrupt {SECRET}")
    library.corpora.create(SECRET, CorpusSettings(retention="active_only"))
    list(library.ingest_many([good, bad, folder / f"no {SECRET}"], corpus=SECRET, plugin="leaky", named=[SECRET]))
    list(library.ingest_many([good], corpus=SECRET))
    document = library.document(str(good))
    document.reconvert(plugin="leaky")
    document.versions.activate(1)
    document.export(folder / f"{SECRET}.zip")
    document.original.relink(good)
    library.corpora.update(SECRET, CorpusSettings(visibility="firewalled"))
    library.search(SECRET, corpus=SECRET)
    library.maintenance.repair()
    library.maintenance.purge_expired(library.maintenance.expired())
    library.corpora.remove_document(document, SECRET)
    assert not library.corpora.remove_document(document, SECRET)
    library.maintenance.purge(document, confirm=document.id)


def test_neither_log_holds_a_word_of_a_document(library: Library, tmp_path: Path):
    busy_day(library, tmp_path / "in")
    for path in (library.path / "logs").iterdir():
        text = path.read_text()
        assert SECRET.lower() not in text.lower(), path.name
        assert str(tmp_path) not in text, path.name


def test_the_event_log_follows_a_run_from_its_start_to_its_end(library: Library, tmp_path: Path):
    busy_day(library, tmp_path / "in")
    run = library.runs.list()[-1][0].run_id
    rows = [row for row in log(library, "events") if row["run_id"] == run]
    assert [rows[0]["event"], rows[-1]["event"]] == ["run_started", "run_finished"]
    ended = {row["reason"]: row["state"] for row in rows if row["event"] == "job_ended"}
    assert ended == {None: "complete", "source_corrupt": "hard_failed", "source_missing": "hard_failed"}
    for job in {row["job_id"] for row in rows if "job_id" in row}:
        times = [row["at"] for row in rows if row.get("job_id") == job]
        assert times == sorted(times)


def test_the_audit_log_tells_what_was_done_to_which_document(library: Library, tmp_path: Path):
    busy_day(library, tmp_path / "in")
    rows = log(library, "audit")
    assert [row["action"] for row in rows] == [
        "corpus_created",
        "run_started",
        "run_started",
        "plugin_set",
        "activated",
        "exported",
        "relinked",
        "corpus_changed",
        "repaired",
        "purged",
        "removed",
        "purged",
    ]
    by_action = {row["action"]: row for row in rows}
    assert by_action["corpus_changed"]["visibility"] == "firewalled"
    assert by_action["exported"]["sha256"]
    assert by_action["purged"]["document_id"] == by_action["exported"]["document_id"]
    assert {row["user"] for row in rows} != {""}


def test_what_a_policy_refused_is_written_down(library: Library):
    refused = events.JobEnded(
        job_id="j",
        document_id="d",
        raw_hash=None,
        intent=Intent.INGEST,
        state=IngestionState.HARD_FAILED,
        reason="policy_refused",  # type: ignore[arg-type]  # equal to the member, as JSON has it
        tool=None,
        seconds=1.0,
    )
    library.engine.events.emit(dataclasses.replace(refused, reason=events.HardFailReason.POLICY_REFUSED))
    assert [(row["action"], row["document_id"]) for row in log(library, "audit")] == [("policy_refused", "d")]


def test_logs_can_be_turned_off(make_plugin: Callable[..., Path], tmp_path: Path):
    settings = Settings(workers=1, log=LogSettings(events=False, audit=False))
    with Library.open(tmp_path / "library", settings=settings) as library:
        library.ingest(b"The tide", name="a.txt")
        library.corpora.create("shore")
        assert not (library.path / "logs").exists()


def test_a_log_that_can_not_be_written_stops_nothing(library: Library, caplog: pytest.LogCaptureFixture):
    (library.path / "logs").write_text("in the way")
    library.corpora.create("shore")
    assert library.ingest(b"The tide", name="a.txt").result.ingestion_status == "complete"
    assert "the audit log cannot be written" in caplog.text
    assert "a listener failed" in caplog.text


def test_logs_are_no_findings_of_a_check(library: Library):
    library.ingest(b"The tide", name="a.txt")
    assert library.maintenance.verify().is_clean


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_event_says_in_words_only_what_the_log_leaves_out(kind):
    """A new field of an event is an id, a number, a member of a closed set, or is left out of the log."""
    in_words = {
        "outcome",
        "tool",
        "second",
        "routing_type",
        "reason",
        "because",
        "bottleneck",
        "commit_policy",
        "surface",
        "taken_from",
        "service",  # a plugin, or the host that a setting names
    }
    for field in dataclasses.fields(kind):
        is_text = "str" in str(field.type)
        is_id = field.name == "at" or field.name.endswith(("_id", "_ids", "_hash"))
        assert not is_text or is_id or field.name in in_words | LEFT_OUT, field.name


def test_events_without_a_run_are_rows_too():
    row = event_row(Paused(cause=PauseCause.DISK, value=12.3456789, resumes_at=20.0, advice="purge /home/you"))
    assert (row["event"], row["run_id"], row["cause"], row["value"]) == ("paused", None, "disk", 12.345679)
    assert "advice" not in row


# -- metrics --------------------------------------------------------------------------------------------------


@pytest.fixture
def reader() -> InMemoryMetricReader:
    return InMemoryMetricReader()


def measured(reader: InMemoryMetricReader) -> dict[str, list[Any]]:
    """Metric → its data points."""
    data = reader.get_metrics_data()
    assert data is not None
    return {
        metric.name: list(metric.data.data_points)
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }


def test_metrics_are_told_by_their_documented_names_and_attributes(library: Library, tmp_path: Path, reader):
    provider = MeterProvider(metric_readers=[reader])
    library.engine.events.subscribe(Metrics(provider))
    busy_day(library, tmp_path / "in")
    found = measured(reader)
    documented = {metric.name: metric for metric in METRICS}
    assert set(found) <= set(documented)
    for name, points in found.items():
        for point in points:
            assert set(point.attributes) <= set(documented[name].attributes)
            assert SECRET not in str(point.attributes)
    ended = {point.attributes.get("reason"): point.value for point in found["octavo.documents"]}
    assert ended["source_corrupt"] == ended["source_missing"] == 1
    assert sum(point.value for point in found["octavo.documents.reused"]) == 1
    assert [point.value for point in found["octavo.runs.active"]] == [0]
    assert sum(point.count for point in found["octavo.run.duration"]) == 2
    provider.shutdown()


def test_trouble_is_counted(reader):
    provider = MeterProvider(metric_readers=[reader])
    count = Metrics(provider)
    for event in (
        Paused(cause=PauseCause.MEMORY, value=90.0, resumes_at=75.0),
        PoolResized(step=StepName.OCR, size=1, full_size=2, because="a person is active"),
        events.RetryPlanned(job_id="j", reason="converter_crashed", attempt=1, of=3, delay=1.0, tool="pdfium"),
        events.JobWaiting(job_id="j", raw_hash=None, reason="tool_unavailable"),
        events.JobRecovered(job_id="j", raw_hash=None, finished=True),
        events.Resumed(cause=PauseCause.MEMORY, value=70.0, seconds=3.0),
    ):
        count(event)
    found = measured(reader)
    assert {name: points[0].value for name, points in found.items()} == {
        "octavo.pauses": 1,
        "octavo.pool.size": 1,
        "octavo.retries": 1,
        "octavo.jobs.put_aside": 1,
        "octavo.jobs.recovered": 1,
    }
    assert dict(found["octavo.retries"][0].attributes) == {"reason": "converter_crashed", "tool": "pdfium"}
    provider.shutdown()


def test_sends_and_retrievals_are_counted(reader):
    """MET-1: tokens by tier and cache, what was saved, cost where the price is known, use of retrieval tools."""
    provider = MeterProvider(metric_readers=[reader])
    count = Metrics(provider)
    for event in (
        ContextSent(document_id="d", tier=1, tokens=900, saved=0, cache="write", cost=0.5),
        ContextSent(document_id="d", tier=1, tokens=900, saved=800, cache="read", cost=None),
        RetrievalCalled(tool="retrieve_document_pages", outcome="ok", seconds=0.2),
    ):
        count(event)
    found = measured(reader)
    caches = {point.attributes["cache"]: point.value for point in found["octavo.context.tokens"]}
    assert caches == {"write": 900, "read": 900}
    assert sum(point.value for point in found["octavo.context.sends"]) == 2
    assert sum(point.value for point in found["octavo.context.tokens.saved"]) == 800
    assert [point.value for point in found["octavo.context.cost"]] == [0.5]
    (called,) = found["octavo.retrieval.duration"]
    assert dict(called.attributes) == {"tool": "retrieve_document_pages", "outcome": "ok"}
    provider.shutdown()


def test_without_a_provider_nothing_is_kept_and_no_sdk_is_imported(tmp_path: Path):
    """Telemetry is the host's to turn on: the library imports the interface alone, and only once there is an event."""
    code = (
        "import sys\n"
        "from octavo_library import Library\n"
        "library = Library.open(sys.argv[1])\n"
        "assert 'opentelemetry.metrics' not in sys.modules\n"
        "library.ingest(b'The tide', name='a.txt')\n"
        "assert 'opentelemetry.metrics' in sys.modules\n"
        "library.close()\n"
        "assert not [name for name in sys.modules if name.startswith(('opentelemetry.sdk', 'opentelemetry.exporter'))]\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "library")], check=True, timeout=120)


def test_names_are_unique_and_every_action_is_explained():
    assert len({metric.name for metric in METRICS}) == len(METRICS)
    source = inspect.getsource(AuditAction)
    assert source.count('"""') == 2 * (len(AuditAction) + 1)
    assert EventLog.__doc__
