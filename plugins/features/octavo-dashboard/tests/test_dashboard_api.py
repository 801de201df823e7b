"""What programs use: the description of the API, conversion in the shapes of docling-serve, metrics."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from octavo import Settings
from octavo_dashboard import Access, DashboardOptions
from octavo_library import Library
from starlette.testclient import TestClient
from web_clients import SAMPLES, open_client

TOKEN = "t" * 40


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("api")
    with Library.open(folder / "library", settings=Settings(sampling=False, workers=1)) as opened:
        yield opened


@pytest.fixture
def program(own: Library) -> Iterator[TestClient]:
    with open_client(own, DashboardOptions(upload_limit=1_000_000)) as client:
        yield client


def test_a_server_with_too_much_work_says_when_to_come_back(
    program: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The request is right, and so is the status: 503 with Retry-After. A malformed one is refused before it waits."""
    monkeypatch.setattr("octavo_dashboard.background_work.MOST_WAITING", 0)
    upload = {"files": ("note.txt", b"A note of the tide.", "text/plain")}
    answer = program.post("/upload", files=upload)
    assert (answer.status_code, answer.json()["reason"]) == (503, "busy")
    assert answer.headers["retry-after"] == "60"
    malformed = program.post("/v1/convert/source/async", json={"sources": []})
    assert malformed.status_code in (400, 422)
    assert "retry-after" not in malformed.headers
    monkeypatch.undo()
    assert program.post("/upload", files=upload).status_code == 202


def test_every_twin_answers_as_the_description_says(
    client: TestClient, path_values: dict[str, str], queries: dict[str, str]
) -> None:
    described = client.get("/openapi.json").json()
    twins = [path for path in described["paths"] if path.endswith(".json")]
    assert len(twins) >= 7
    for path in twins:
        operation = described["paths"][path]["get"]
        url = path
        for name, value in path_values.items():
            url = url.replace(name, value)
        query = queries.get(path.removesuffix(".json"), "?")
        answer = client.get(f"{url}{query}")
        assert answer.status_code == 200, url
        schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
        jsonschema.validate(answer.json(), {**schema, "components": described["components"]})
        assert {one["name"] for one in operation["parameters"] if one["in"] == "path"} == set(
            re.findall(r"{(\w+)}", path)
        )
        refused = client.get(f"{url}{query}&surprise=1")
        problem = operation["responses"]["400"]["content"]["application/problem+json"]["schema"]
        assert refused.status_code == 400
        jsonschema.validate(refused.json(), {**problem, "components": described["components"]})


def test_a_file_is_converted_as_by_docling_serve(program: TestClient, own: Library) -> None:
    data = (SAMPLES / "field-notes.md").read_bytes()
    sent = {"files": ("field-notes.md", data)}
    answer = program.post("/v1/convert/file", files=sent, data={"to_formats": ["md", "text", "html"], "do_ocr": "true"})
    assert answer.status_code == 200, answer.text
    result = answer.json()
    assert (result["status"], result["errors"], result["document"]["filename"]) == ("success", [], "field-notes.md")
    assert "#" in result["document"]["md_content"]
    assert "<h1>" in result["document"]["html_content"]
    assert result["document"]["text_content"]
    assert own.documents() == []


def test_a_source_is_converted_as_by_docling_serve(program: TestClient) -> None:
    """The request is the one that the documentation of docling-serve publishes, with a file in it."""
    data = base64.b64encode(b"# Tide\n\nHigh water at noon.\n").decode()
    body: dict[str, Any] = {
        "options": {
            "from_formats": ["docx", "md"],
            "to_formats": ["md"],
            "image_export_mode": "placeholder",
            "do_ocr": True,
        },
        "sources": [{"kind": "file", "base64_string": data, "filename": "tide.md"}],
        "target": {"kind": "inbody"},
    }
    result = program.post("/v1/convert/source", json=body).json()
    assert result["status"] == "success"
    assert "High water at noon." in result["document"]["md_content"]
    body["options"]["to_formats"] = ["md", "doctags"]
    result = program.post("/v1/convert/source", json=body).json()
    assert (result["status"], len(result["errors"])) == ("partial_success", 1)
    assert result["document"]["md_content"]
    body["sources"][0] |= {"base64_string": base64.b64encode(b"%PDF-1.7 broken").decode(), "filename": "a.pdf"}
    result = program.post("/v1/convert/source", json=body).json()
    assert result["status"] == "failure"
    assert result["document"]["md_content"] is None
    assert "source_corrupt" in result["errors"][0]["error_message"]


@pytest.mark.parametrize(
    "change",
    [
        {"sources": []},
        {"sources": [{"kind": "s3", "bucket": "b"}]},
        {"sources": [{"kind": "file", "base64_string": "%%%", "filename": "a.md"}]},
        {"sources": [{"kind": "http", "url": "file:///etc/passwd"}]},
        {"target": {"kind": "s3"}},
        {"options": {"document_timeout": -1}},
    ],
)
def test_bad_requests_for_a_conversion_are_refused(program: TestClient, change: dict[str, Any]) -> None:
    body = {"sources": [{"kind": "file", "base64_string": "YQ==", "filename": "a.md"}], **change}
    assert program.post("/v1/convert/source", json=body).status_code == 422
    assert program.post("/v1/convert/source", content=b"{").status_code == 422
    assert program.post("/v1/convert/source", content=b"x" * 3_000_000).status_code == 413


def test_urls_are_fetched_only_where_the_settings_allow_it(program: TestClient) -> None:
    body = {"sources": [{"kind": "http", "url": "http://127.0.0.1:1/secret"}]}
    result = program.post("/v1/convert/source", json=body).json()
    assert result["status"] == "failure"
    assert "policy_refused" in result["errors"][0]["error_message"]


def test_conversion_and_metrics_are_the_owners(own: Library) -> None:
    own.corpora.create("case")
    access = Access.of_tokens([(TOKEN, "case"), ("o" * 40, None)])
    with open_client(own, DashboardOptions(access=access)) as client:
        for headers, status in (({"x-api-key": TOKEN}, 403), ({"x-api-key": "o" * 40}, 200), ({}, 401)):
            assert client.get("/metrics", headers=headers).status_code == status
            sent = client.post("/v1/convert/file", files={"files": ("a.md", b"# A")}, headers=headers)
            assert sent.status_code == status
        assert client.get("/health").json() == {"status": "ok"}


def test_metrics_are_samples_of_prometheus_and_count_what_happens(
    program: TestClient, own: Library, tmp_path: Path
) -> None:
    """MET-1."""
    path = tmp_path / "tide.txt"
    path.write_text("The tide turned.")
    for _ in own.ingest_many([path]):
        pass
    answer = program.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    samples: dict[str, float] = {}
    for line in answer.text.splitlines():
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP [a-z_]+ \S.*|TYPE [a-z_]+ (counter|gauge|histogram))", line)
            continue
        found = re.fullmatch(r'([a-z_]+(?:\{[a-z_]+="[^"]*"(?:,[a-z_]+="[^"]*")*\})?) (\S+)', line)
        assert found is not None, line
        samples[found[1]] = float(found[2])
    assert samples['octavo_documents_total{intent="ingest",state="complete"}'] == 1
    assert samples["octavo_runs_active"] == 0
    assert samples['octavo_library_documents{status="complete"}'] == 1
    assert samples['octavo_tool_up{tool="plaintext"}'] == 1
    steps = [name for name in samples if name.startswith("octavo_step_duration_seconds_bucket")]
    assert any('le="+Inf"' in name for name in steps)
    assert "tide" not in answer.text
