"""Conversion for programs in the background, and the clients of docling-serve."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo import Settings
from octavo_dashboard import Access, DashboardOptions
from octavo_dashboard.docling_document import docling_document
from octavo_library import Library
from starlette.testclient import TestClient
from web_clients import SAMPLES, open_client, served

DOCLING = os.environ.get("OCTAVO_DOCLING_CLIENT", "")
"""The interpreter of an environment with docling-client, which is not installed here: it brings the package `docling`."""
MARKDOWN = """# Gauges

Two *gauges* stand on the [mole](https://example.org/mole).

## Reading them

1. Read the float.
2. Write it down:

   - in the red folder
   - with the hour

| gauge | place |
|---|---|
| 1 | harbour |
| 2 | Brannoch Head |

```
battery = 3.1
```

> Storms are named.
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("conversion")
    with Library.open(folder / "library", settings=Settings(sampling=False, workers=1)) as opened:
        yield opened


@pytest.fixture
def program(own: Library) -> Iterator[TestClient]:
    with open_client(own, DashboardOptions(upload_limit=1_000_000)) as client:
        yield client


def ended(client: TestClient, task_id: str) -> dict[str, Any]:
    """The status of a task once it has ended."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        status: dict[str, Any] = client.get(f"/v1/status/poll/{task_id}?wait=5").json()
        if status["task_status"] not in ("pending", "started"):
            return status
    raise AssertionError("the task did not end")


def test_a_file_is_converted_in_the_background(program: TestClient, own: Library) -> None:
    sent = {"files": ("field-notes.md", (SAMPLES / "field-notes.md").read_bytes())}
    started = program.post("/v1/convert/file/async", files=sent, data={"to_formats": ["md"], "target_type": "inbody"})
    assert started.status_code == 200, started.text
    task = started.json()["task_id"]
    status = ended(program, task)
    assert (status["task_status"], status["error_message"]) == ("success", None)
    assert status["task_meta"] == {"num_docs": 1, "num_processed": 1, "num_succeeded": 1, "num_failed": 0}
    result = program.get(f"/v1/result/{task}").json()
    assert result["document"]["md_content"].startswith("---") or "# " in result["document"]["md_content"]
    assert program.get(f"/v1/result/{task}").json() == result
    assert own.documents() == []


def test_a_document_that_fails_says_why_in_status_and_result(program: TestClient) -> None:
    started = program.post("/v1/convert/file/async", files={"files": ("a.pdf", b"%PDF-1.7 broken")}).json()
    status = ended(program, started["task_id"])
    assert status["task_status"] == "failure"
    assert "source_corrupt" in status["error_message"]
    result = program.get(f"/v1/result/{started['task_id']}").json()
    assert result["status"] == "failure"
    assert result["document"]["md_content"] is None


@pytest.mark.parametrize(
    ("target", "word"), [("presigned_url", "Input should be 'inbody', not 'presigned_url'"), ("zip", "not 'zip'")]
)
def test_results_are_put_nowhere_else(program: TestClient, target: str, word: str) -> None:
    """The text tells clients that prefer another target to ask for the result itself."""
    files = {"files": ("a.md", b"# A")}
    refused = program.post("/v1/convert/file/async", files=files, data={"target_type": target})
    assert refused.status_code == 422
    assert word in refused.json()["detail"]


@pytest.mark.parametrize("path", ["/v1/status/poll/unknown", "/v1/result/unknown"])
def test_an_unknown_task_is_told_as_clients_expect(program: TestClient, path: str) -> None:
    answer = program.get(path)
    assert (answer.status_code, answer.json()["detail"]) == (404, "Task not found.")


def test_a_task_that_converts_nothing_is_none_of_these(program: TestClient, own: Library) -> None:
    uploaded = program.post("/upload", files={"files": ("a.md", b"# A")}).json()["tasks"][0]["id"]
    assert program.get(f"/v1/status/poll/{uploaded}").status_code == 404


@pytest.mark.parametrize("wait", ["soon", "-1", "nan"])
def test_a_time_to_wait_is_a_number(program: TestClient, wait: str) -> None:
    assert program.get(f"/v1/status/poll/unknown?wait={wait}").status_code == 422


def test_only_owners_convert_in_the_background(own: Library) -> None:
    own.corpora.create("case")
    access = Access.of_tokens([("t" * 40, "case"), ("o" * 40, None)])
    with open_client(own, DashboardOptions(access=access)) as client:
        owner, other = {"x-api-key": "o" * 40}, {"x-api-key": "t" * 40}
        started = client.post("/v1/convert/file/async", files={"files": ("a.md", b"# A")}, headers=owner).json()
        for path in (f"/v1/status/poll/{started['task_id']}", f"/v1/result/{started['task_id']}", "/version"):
            assert client.get(path, headers=other).status_code == 403
            assert client.get(path).status_code == 401
        assert client.get("/version", headers=owner).json().keys() == {"octavo"}


def test_a_websocket_is_refused(program: TestClient) -> None:
    from starlette.websockets import WebSocketDisconnect

    with pytest.raises(WebSocketDisconnect), program.websocket_connect("/v1/status/ws/unknown"):
        pass


def test_the_form_of_docling_has_every_part_in_order() -> None:
    document = docling_document(MARKDOWN, name="gauges")
    items = {one["self_ref"]: one for kind in ("texts", "tables", "groups") for one in document[kind]}
    assert [items[child["$ref"]]["label"] for child in document["body"]["children"]] == [
        "title", "text", "section_header", "list", "table", "code", "text",
    ]  # fmt: skip
    for item in items.values():
        assert all(items[child["$ref"]]["parent"] == {"$ref": item["self_ref"]} for child in item["children"])
    first, second = (items[child["$ref"]] for child in document["groups"][0]["children"])
    assert [(one["text"], one["enumerated"], one["marker"]) for one in (first, second)] == [
        ("Read the float.", True, "1."), ("Write it down:", True, "2."),
    ]  # fmt: skip
    (inner,) = (items[child["$ref"]] for child in second["children"])
    assert [items[child["$ref"]]["text"] for child in inner["children"]] == ["in the red folder", "with the hour"]
    data = document["tables"][0]["data"]
    assert (data["num_rows"], data["num_cols"]) == (3, 2)
    assert [one["text"] for one in data["table_cells"] if one["column_header"]] == ["gauge", "place"]
    texts = [one["text"] for one in document["texts"]]
    assert "Two gauges stand on the mole." in texts
    assert "battery = 3.1" in texts


def test_a_document_without_text_has_no_parts() -> None:
    document = docling_document("", name="empty")
    assert (document["texts"], document["body"]["children"]) == ([], [])


@pytest.mark.skipif(not DOCLING, reason="OCTAVO_DOCLING_CLIENT does not name an interpreter that has docling-client")
def test_the_client_of_docling_works_unchanged(own: Library, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 broken")
    files = [SAMPLES / name for name in ("staff-handbook.docx", "tide-table.csv", "annual-report.pdf")]
    script = Path(__file__).with_name("docling_client_script.py")
    with served(own) as url:
        command = [DOCLING, str(script), url, *map(str, files), str(broken)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [found[file.name]["status"] for file in files] == ["success"] * 3
    assert "# Reading the gauges" in found["staff-handbook.docx"]["markdown"]
    assert "Yusuf Haddad" in found["staff-handbook.docx"]["markdown"]
    assert found["tide-table.csv"]["tables"] == [
        len(list(csv.reader((SAMPLES / "tide-table.csv").read_text().splitlines(keepends=True))))
    ]
    assert len(found["annual-report.pdf"]["markdown"]) > 1000
    assert found["broken.pdf"]["status"] == "failure"
    assert "source_corrupt" in found["broken.pdf"]["errors"][0]
    assert found["submitted"] == "success"
