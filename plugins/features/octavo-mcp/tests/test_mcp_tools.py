"""The SDK's own client lists and calls every tool, in both generations of the protocol and over every transport."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
import pytest
from mcp import Client, MCPError
from octavo_contracts.markers import find_markers, parse_marker
from octavo_library import Library
from octavo_mcp import HttpOptions, make_server
from octavo_mcp.tool_calls import FAILURE_META, RECEIPT_META
from octavo_mcp.transports import listening
from octavo_memory import MemoryStore
from octavo_retrieval import POSTURE, tools

sys.path.insert(0, str(Path(__file__).parent))  # tests are imported by path, so shared modules must be on sys.path

from mcp_clients import LIMIT, MODES, http_server, over_http, over_stdio

ALL = ("documents", "memory", "ingest")


def calls(library: Library, ids: dict[str, str]) -> dict[str, dict[str, Any]]:
    """One call of each tool."""
    (found,) = MemoryStore(library).search("berm")
    memory_id = found.memory.memory_id
    return {
        "retrieve_document_pages": {"document_id": ids["annual-report.pdf"], "pages": [1, 2]},
        "retrieve_full_document": {"document_id": ids["staff-handbook.docx"]},
        "retrieve_memory_source": {"memory_id": memory_id},
        "retrieve_memory_by_id": {"memory_id": memory_id},
        "retrieve_related_memories": {"memory_id": memory_id},
        "retrieve_memory_cluster": {"source_ref": ids["field-notes.md"]},
        "search_memories": {"query": "berm"},
        "retrieve_memories_by_entity": {"entity_id": "place:Berm"},
        "verify_memory": {"memory_id": memory_id},
        "search_documents": {"query": "gauge surge"},
        "list_documents": {"limit": 2},
        "convert_to_markdown": {"document_id": ids["field-notes.md"]},
        "ocr_document": {"document_id": ids["annual-report.pdf"]},
    }


async def use_everything(client: Client, library: Library, ids: dict[str, str], *, ingest: bool) -> None:
    """List and call everything; validate each answer against its output schema."""
    listed = (await client.list_tools()).tools
    given = {
        name: one
        for name, one in calls(library, ids).items()
        if ingest or name not in ("convert_to_markdown", "ocr_document")
    }
    assert {tool.name for tool in listed} == set(given)
    for tool in listed:
        assert tool.input_schema["additionalProperties"] is False
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (tool.name not in ("convert_to_markdown", "ocr_document"))
        assert (tool.annotations.destructive_hint, tool.annotations.open_world_hint) == (False, False)
        steps: list[float] = []

        async def on(done: float, total: float | None, message: str | None, steps: list[float] = steps) -> None:
            steps.append(done)

        answer = await client.call_tool(tool.name, given[tool.name], progress_callback=on)
        assert not answer.is_error, answer.content
        jsonschema.validate(answer.structured_content, tool.output_schema or {})
        assert steps
        assert answer.meta is not None
        assert answer.meta[RECEIPT_META]["line"]
    resources = (await client.list_resources()).resources
    assert {one.name for one in resources} == set(ids.values())
    whole: Any = await client.read_resource(f"octavo://document/{ids['annual-report.pdf']}")
    page: Any = await client.read_resource(f"octavo://document/{ids['annual-report.pdf']}/page/3")
    assert page.contents[0].text in whole.contents[0].text
    assert len((await client.list_resource_templates()).resource_templates) == 2
    (prompt,) = (await client.list_prompts()).prompts
    posture: Any = (await client.get_prompt(prompt.name)).messages[0].content
    assert parse_marker(posture.text).content == POSTURE


def in_memory(library: Library, mode: str, use: Callable[[Client], Coroutine[Any, Any, None]], **more: Any) -> None:
    async def run() -> None:
        async with Client(make_server(tools(library, **more), groups=ALL), mode=mode) as client:
            await use(client)

    asyncio.run(run())


@pytest.mark.parametrize("mode", MODES)
def test_every_tool_in_process(library: Library, ids: dict[str, str], mode: str) -> None:
    in_memory(library, mode, lambda client: use_everything(client, library, ids, ingest=True))


@pytest.mark.parametrize("mode", MODES)
def test_every_tool_over_stdio(library: Library, ids: dict[str, str], mode: str) -> None:
    async def run() -> None:
        async with over_stdio(library.path, mode=mode) as client:
            await use_everything(client, library, ids, ingest=False)

    asyncio.run(run())


def test_every_tool_over_http_and_requests_that_are_refused(
    library: Library, ids: dict[str, str], tmp_path: Path
) -> None:
    """Both generations work over HTTP. Requests without the token, or with another Origin or Host, are refused."""
    token_file = tmp_path / "token"
    with http_server(library.path, token_file, "--tools", ",".join(ALL)) as url:
        token = token_file.read_text().strip()
        assert token_file.stat().st_mode & 0o077 == 0

        async def run() -> None:
            for mode in MODES:
                async with over_http(url, token, mode) as client:
                    await use_everything(client, library, ids, ingest=True)

        asyncio.run(run())
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        good = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
        for headers, status in (
            ({"authorization": ""}, 401),
            ({"authorization": "Bearer"}, 401),
            ({"authorization": f"Bearer {token}x"}, 401),
            ({"authorization": f"bearer {token[:-1]}"}, 401),
            ({"authorization": "Bearer \xff"}, 401),
            ({"host": "evil.example"}, 421),
            ({"host": "127.0.0.1"}, 421),
            ({"origin": "http://evil.example"}, 403),
        ):
            sent = {name: value.encode("latin-1") for name, value in (good | headers).items()}
            answer = httpx2.post(url, json=body, headers=sent, timeout=LIMIT)
            assert answer.status_code == status, headers
        assert httpx2.get(url.replace("/mcp", "/"), headers={"authorization": "x"}, timeout=LIMIT).status_code == 401


def test_hosts_and_origins_that_options_allow_are_answered(library: Library, tmp_path: Path) -> None:
    token_file = tmp_path / "token"
    options = ("--allow-host", "octavo.example:80", "--allow-origin", "https://app.example")
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    with http_server(library.path, token_file, *options) as url:
        sent = {
            "authorization": f"Bearer {token_file.read_text().strip()}",
            "accept": "application/json, text/event-stream",
        }
        for headers, is_refused in (
            ({"host": "octavo.example:80"}, False),
            ({"host": "other.example:80"}, True),
            ({"origin": "https://app.example"}, False),
            ({"origin": "https://other.example"}, True),
        ):
            answer = httpx2.post(url, json=body, headers=sent | headers, timeout=LIMIT)
            assert (answer.status_code in (403, 421)) is is_refused, (headers, answer.status_code)


@pytest.mark.parametrize("mode", MODES)
def test_bad_calls_are_answered_and_the_server_goes_on(library: Library, ids: dict[str, str], mode: str) -> None:
    """Unknown arguments are refused, no value is coerced, and each answer names the remedy in one sentence."""
    report = ids["annual-report.pdf"]
    cases: tuple[tuple[str, dict[str, Any] | None, str], ...] = (
        ("retrieve_document_pages", {"document_id": report, "pages": [0]}, "page_out_of_range"),
        ("retrieve_document_pages", {"document_id": report, "pages": [99]}, "page_out_of_range"),
        ("retrieve_document_pages", {"document_id": report, "page_range": {"start": 3, "end": 1}}, "invalid_range"),
        ("retrieve_document_pages", {"document_id": "ffffffffff", "pages": [1]}, "document_not_found"),
        ("retrieve_document_pages", {"document_id": report, "pages": ["1"]}, "invalid_arguments"),
        ("retrieve_document_pages", {"document_id": report, "pages": [1], "surprise": 1}, "invalid_arguments"),
        ("search_documents", None, "invalid_arguments"),
        ("search_documents", {"query": ""}, "invalid_arguments"),
        ("search_documents", {"query": "x" * 5_000}, "invalid_arguments"),
        ("list_documents", {"cursor": "nonsense"}, "invalid_arguments"),
        ("no_such_tool", {}, "unknown_tool"),
    )

    async def use(client: Client) -> None:
        for name, arguments, code in cases:
            answer: Any = await client.call_tool(name, arguments)
            assert answer.is_error, (name, arguments)
            assert answer.meta[FAILURE_META]["code"] == code
            assert answer.content[0].text.endswith(f". [{code}]")
            assert "\n" not in answer.content[0].text
        for uri in (
            "octavo://document/ffffffff",
            f"octavo://document/{report}/page/99",
            "file:///etc/passwd",
            "octavo:x",
        ):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
            assert caught.value.data["uri"] == uri
        with pytest.raises(MCPError):
            await client.get_prompt("no_such_prompt")
        assert not (await client.call_tool("list_documents", {})).is_error

    in_memory(library, mode, use)


def test_a_request_for_500_pages_returns_twenty_and_the_next_call(library: Library, ids: dict[str, str]) -> None:
    async def use(client: Client) -> None:
        arguments = {"document_id": ids["lecture.vtt"], "pages": list(range(1, 501))}
        answer: Any = await client.call_tool("retrieve_document_pages", arguments)
        assert answer.structured_content["notes"].startswith("Pages 4-500 do not exist; the document has 3.")
        (placed,) = find_markers(answer.content[0].text)
        assert placed.marker.content == answer.structured_content["content"]

    in_memory(library, "auto", use)


def test_invalid_options_of_the_command(library: Library, tmp_path: Path) -> None:
    open_file = tmp_path / "open"
    open_file.write_text("x" * 40)
    open_file.chmod(0o644)
    short = tmp_path / "short"
    short.write_text("secret")
    short.chmod(0o600)
    for options, said in (
        (("--http", "127.0.0.1:0"), "--http needs a token"),
        (("--http", "nowhere"), "is not HOST:PORT"),
        (("--token-file", str(tmp_path / "t")), "go with --http"),
        (("--tools", "documents,rm"), "'rm' is not one of documents, memory, ingest"),
        (("--corpus", "absent"), "absent"),
        (("--http", "127.0.0.1:0", "--token-file", str(open_file)), "other users can read the token file"),
        (("--http", "127.0.0.1:0", "--token-file", str(short)), "at least 16 printable ASCII characters"),
        (("--http", "0.0.0.0:0", "--token-file", str(tmp_path / "new")), "--allow-host NAME:PORT"),
    ):
        command = [sys.executable, "-m", "octavo", "mcp", "--library", str(library.path), *options]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL
        )
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert said in done.stderr


def test_hosts_are_checked_for_public_addresses_too() -> None:
    """The SDK disables the check for a public address."""
    options = HttpOptions(host="192.0.2.7", port=8931, token="t" * 40, allow_origins=("https://app.example",))
    assert options.security.enable_dns_rebinding_protection
    assert options.security.allowed_hosts == ["192.0.2.7:8931"]
    assert options.security.allowed_origins == ["http://192.0.2.7:8931", "https://app.example"]
    assert HttpOptions(host="::1", port=1, token="t" * 40).security.allowed_hosts == [
        "127.0.0.1:1",
        "localhost:1",
        "[::1]:1",
    ]


def test_malformed_lines_do_not_end_the_server(library: Library) -> None:
    lines = ["nonsense", "{}", "[]", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": 7})]
    initialize = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
    }
    command = [sys.executable, "-m", "octavo", "mcp", "--library", str(library.path)]
    given = "\n".join([*lines, json.dumps(initialize), ""])
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=60, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert any(one.get("id") == 2 and "result" in one for one in answers), done.stdout


def test_answers_over_http_are_sent_without_waiting_for_the_client() -> None:
    """A connection that collects small writes holds back the end of each answer until the client's system acknowledges."""

    async def is_direct() -> bool:
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            done.set_result(bool(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
            writer.close()

        with listening(HttpOptions(host="127.0.0.1", port=0, token="t" * 40)) as listener:
            async with await asyncio.start_server(accepted, sock=listener):
                _, client = await asyncio.open_connection(*listener.getsockname())
                found = await done
                client.close()
        return found

    assert asyncio.run(is_direct())
