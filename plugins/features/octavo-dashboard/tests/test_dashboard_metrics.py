"""Metrics: what is exported to a collector and to Prometheus, and the dashboard of Grafana that shows it."""

from __future__ import annotations

import http.server
import json
import re
import threading
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from octavo import Settings
from octavo_context import TurnTokens, record_turn
from octavo_contracts import UsageError
from octavo_dashboard import DashboardOptions
from octavo_dashboard.prometheus_text import PrometheusText, prometheus_name
from octavo_library import Library
from octavo_library.ingestion.use_events import ContextSent, RetrievalCalled
from octavo_library.observability import METRICS
from octavo_library.telemetry import GAUGES, LibraryGauges, MetricsExport, otlp_reader
from starlette.testclient import TestClient
from web_clients import SAMPLES, open_client

SECRET = "annual-report"


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A library in which something happens after the metrics were set up: `happen`."""
    folder = tmp_path_factory.mktemp("metrics")
    with Library.open(folder / "library", settings=Settings(sampling=False, workers=1)) as opened:
        yield opened


def happen(library: Library, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    (folder / "note.md").write_text(f"# Note\n\nOf {folder.name}.\n")
    sources = [SAMPLES / "annual-report.pdf", folder / "broken.pdf", folder / "note.md"]
    for _ in library.ingest_many(sources, corpus="reports"):
        pass
    for _ in library.ingest_many([SAMPLES / "annual-report.pdf"]):
        pass
    library.context.events.emit(ContextSent(document_id="d", tier=1, tokens=900, saved=800, cache="read", cost=0.5))
    library.context.events.emit(RetrievalCalled(tool="retrieve_document_pages", outcome="ok", seconds=0.2))
    tokens = TurnTokens(documents=900, message=50, system=200, markers=30)
    record_turn(library, "claude-sonnet-4-5", tokens, tier=1, seconds=0.8)


def samples(text: str) -> dict[str, float]:
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


def board() -> dict[str, Any]:
    return json.loads(files("octavo_dashboard").joinpath("grafana", "octavo.json").read_text(encoding="utf-8"))


def expressions() -> list[str]:
    return [target["expr"] for panel in board()["panels"] for target in panel.get("targets", ())]


def series_of(text: str) -> dict[str, str]:
    """Name of a series → name of its metric, from the comments of an answer of `/metrics`."""
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, flags=re.MULTILINE))
    parts = ("_bucket", "_sum", "_count")
    return {
        series: name
        for name, kind in kinds.items()
        for series in ([name + part for part in parts] if kind == "histogram" else [name])
    }


def test_every_metric_is_counted_for_prometheus_and_shown_by_grafana(used: Library, tmp_path: Path) -> None:
    """MET-1: tokens by part, caches, tiers, cost, latency, steps, tools, flags, storage, retrieval."""
    exported = PrometheusText(used, interval=0)
    happen(used, tmp_path)
    text = exported.text()
    exported.close()
    found = samples(text)
    assert found['octavo_turn_tokens_total{part="documents"}'] == 900
    assert found['octavo_turn_tokens_total{part="markers"}'] == 30
    assert found['octavo_turn_cost_total{part="documents"}'] > found['octavo_turn_cost_total{part="other"}'] > 0
    assert found['octavo_turn_duration_seconds_count{tier="1"}'] == 1
    assert found['octavo_context_sends_total{cache="read",tier="1"}'] == 1
    assert found['octavo_library_documents{status="hard_failed"}'] == 1
    assert found["octavo_library_size_bytes"] > 0
    assert found["octavo_library_disk_free_bytes"] > 0
    corpus = used.corpora.get("reports").id
    assert found[f'octavo_corpus_documents{{corpus="{corpus}"}}'] == 3
    assert any(name.startswith("octavo_step_duration_seconds_bucket") for name in found)
    assert SECRET not in text
    assert "reports" not in text

    series = series_of(text)
    shown = {word for expression in expressions() for word in re.findall(r"\boctavo_\w+", expression)}
    assert shown <= set(series)
    assert {series[name] for name in shown} == {prometheus_name(metric) for metric in (*METRICS, *GAUGES)}
    labels = {prometheus_name(metric): {*metric.attributes, "le"} for metric in (*METRICS, *GAUGES)}
    for expression in expressions():
        known = set.union(*(labels[series[name]] for name in re.findall(r"\boctavo_\w+", expression)))
        grouped = {label for group in re.findall(r"by \(([^)]*)\)", expression) for label in group.split(", ")}
        filtered = set(re.findall(r"[{,](\w+)!?=", expression))
        assert grouped | filtered <= known, expression


def test_panels_of_the_board_have_places_of_their_own() -> None:
    panels = board()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (place["x"] + x, place["y"] + y)
        for place in (panel["gridPos"] for panel in panels)
        for x in range(place["w"])
        for y in range(place["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24


class Collector(http.server.BaseHTTPRequestHandler):
    """Keeps what an exporter sends."""

    bodies: list[bytes]

    def do_POST(self) -> None:
        self.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """A collector on this machine: its address, and the bodies that it received."""
    bodies: list[bytes] = []
    handler = type("Handler", (Collector,), {"bodies": bodies})
    with http.server.HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1/metrics", bodies
        server.shutdown()
        thread.join(10)


def test_metrics_are_sent_to_a_collector(
    used: Library, tmp_path: Path, collector: tuple[str, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """MET-1, MET-2: by OTLP, at the interval, and once more at the end."""
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="needs octavo-library[otel]")
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", Compression.NoCompression.value)
    address, bodies = collector
    with MetricsExport(used, otlp_reader(address, interval=3600), interval=0):
        happen(used, tmp_path)
        assert bodies == []
    (body,) = bodies
    request = ExportMetricsServiceRequest.FromString(body)
    (resource,) = request.resource_metrics
    assert [one.value.string_value for one in resource.resource.attributes if one.key == "service.name"] == ["octavo"]
    sent = {metric.name for scope in resource.scope_metrics for metric in scope.metrics}
    # Nothing was retried, put aside, paused, resized, recovered or flagged in so short a time.
    seldom = {"octavo.retries", "octavo.jobs.put_aside", "octavo.jobs.recovered", "octavo.pauses", "octavo.pool.size"}
    every = {metric.name for metric in (*METRICS, *GAUGES)}
    assert every - seldom - {"octavo.library.flags"} <= sent <= every
    assert SECRET.encode() not in body


@pytest.mark.parametrize(("endpoint", "interval"), [("localhost:4318", 60), ("file:///tmp/x", 60), ("http://h/", 0)])
def test_a_wrong_collector_is_refused(endpoint: str, interval: float) -> None:
    with pytest.raises(UsageError):
        otlp_reader(endpoint, interval=interval)


def test_the_state_of_the_library_is_read_once_in_an_interval(used: Library) -> None:
    """MET-2."""
    now = 0.0
    gauges = LibraryGauges(used, interval=60, clock=lambda: now)
    first = gauges.read()
    used.ingest(b"One more document.", name="more.txt")
    now = 59
    assert gauges.read() is first
    now = 60
    documents = {
        tuple(read.attributes.values()): read.value for read in gauges.read() if "documents" in read.metric.name
    }
    before = {tuple(read.attributes.values()): read.value for read in first if "documents" in read.metric.name}
    assert documents["complete",] == before.get(("complete",), 0) + 1


def test_the_dashboard_keeps_the_interval_of_its_options(used: Library) -> None:
    with open_client(used, DashboardOptions(metrics_interval=3600)) as client:
        before = states(client)
        used.ingest(b"Yet another document.", name="other.txt")
        assert states(client) == before


def states(client: TestClient) -> dict[str, float]:
    return {name: value for name, value in samples(client.get("/metrics").text).items() if "library" in name}


def test_the_audit_of_types_counts_what_was_confirmed_and_corrected(used: Library) -> None:
    """MET-2."""
    for number in range(2):
        message = (
            f"From: anna@example.org\nTo: ben@example.org\nSubject: Rope {number}\n\nDear Ben, the rope is here.\n"
        )
        used.ingest(message.replace("\n", "\r\n").encode(), name=f"rope-{number}.eml")
    with open_client(used, DashboardOptions(metrics_interval=0.0)) as client:
        view = client.get("/types.json?size=200").json()
        assert (view["right"], view["wrong"], view["accuracy"]) == (0, 0, None)
        assert view["open"] == len(view["documents"]) >= 2
        first, second = view["documents"][:2]
        other = next(one for one in view["types"] if one not in (second["document_type"], "unknown"))
        for one, given in ((first, first["document_type"]), (second, other)):
            sent = client.post(f"/documents/{one['id']}/type", data={"document_type": given, "by": "anna"})
            assert sent.json() == {"document_id": one["id"], "document_type": given}
        view = client.get("/types.json?size=200").json()
        assert (view["right"], view["wrong"], view["accuracy"]) == (1, 1, 0.5)
        assert {one["set_by"] for one in view["documents"]} >= {"anna"}
        found = samples(client.get("/metrics").text)
        assert found['octavo_types_audited{verdict="right"}'] == found['octavo_types_audited{verdict="wrong"}'] == 1
        refused = client.post(f"/documents/{first['id']}/type", data={"document_type": "no_such_type"})
        assert refused.status_code == 400
