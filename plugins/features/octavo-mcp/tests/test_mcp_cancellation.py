"""A cancelled call stops its work, and the server goes on."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from mcp import Client
from octavo import Settings
from octavo_library import Library
from octavo_mcp import make_server
from octavo_retrieval import tools

sys.path.insert(0, str(Path(__file__).parent))  # tests are imported by path, so shared modules must be on sys.path

from mcp_clients import MODES

READS = (
    "import time\nfrom octavo_contracts import *\n@hookimpl\ndef convert(source, request, context):\n    "
    "time.sleep({seconds})\n"
    "    return Conversion(pages=(Page(number=1, kind='whole', markdown='Tide gauge'),), paginated=False)"
)


@pytest.mark.parametrize("mode", MODES)
def test_a_cancelled_call_stops_the_conversion_and_the_server_goes_on(
    tmp_path: Path, make_plugin: Callable[..., None], monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """Cancelling stops the conversion: no version is made, and the document can be converted again."""
    path = tmp_path / "notes.txt"
    path.write_text("Tide gauge")
    monkeypatch.setenv("OCTAVO_PLUGINS", "quick")
    make_plugin("quick", READS.format(seconds=0), priority=1)
    with Library.open(tmp_path / "library", settings=Settings(sampling=False)) as library:
        library.ingest(path, plugin="quick")
    make_plugin("slow", READS.format(seconds=40), priority=2)
    monkeypatch.setenv("OCTAVO_PLUGINS", "quick,slow")
    with Library.open(tmp_path / "library", settings=Settings(sampling=False)) as library:
        (document,) = library.documents()

        async def use(client: Client) -> None:
            begun = asyncio.Event()

            async def on(done: float, total: float | None, message: str | None) -> None:
                begun.set()

            arguments = {"document_id": document.id, "reconvert": True}
            asked = client.call_tool("convert_to_markdown", arguments, progress_callback=on)
            task = asyncio.create_task(asked)
            await begun.wait()
            await asyncio.sleep(0.5)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not (await client.call_tool("list_documents", {})).is_error

        async def serve(library: Library) -> None:
            async with Client(make_server(tools(library), groups=("documents", "ingest")), mode=mode) as client:
                await use(client)

        started = time.monotonic()
        asyncio.run(serve(library))
    assert time.monotonic() - started < 30, "the server did not wait for the conversion"
    with Library.open(tmp_path / "library") as library:
        assert [one.version for one in library.document(document.id).versions] == [1]
