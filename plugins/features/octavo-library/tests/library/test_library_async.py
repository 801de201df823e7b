"""Octavo in an event loop, and at a prompt."""

from __future__ import annotations

import asyncio
from pathlib import Path

import octavo
import pytest
from octavo_contracts import UsageError
from octavo_library import Library


def test_convert_ingest_and_search_do_not_block_the_loop(tmp_path: Path) -> None:
    (tmp_path / "tides.md").write_text("# Tides\n\nHigh water at noon.\n")

    async def work() -> tuple[str, list[str], int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.005)
                ticks += 1

        ticking = asyncio.create_task(tick())
        converted = await octavo.aconvert(tmp_path / "tides.md")
        with Library.open(tmp_path / "library") as library:
            await library.aingest(tmp_path / "tides.md")
            hits = [hit.snippet for hit in await library.asearch("noon")]
            with pytest.raises(UsageError):
                await library.asearch("noon", corpus="moon")
        ticking.cancel()
        return converted.markdown, hits, ticks

    markdown, hits, ticks = asyncio.run(work())
    assert markdown == "# Tides\n\nHigh water at noon.\n"
    assert hits == ["Tides High water at noon."]
    assert ticks > 3


def test_what_a_prompt_shows_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "tides.md").write_text("# Tides\n\nHigh water at noon.\n")
    with Library.open(tmp_path / "library") as library:
        done = library.ingest(tmp_path / "tides.md")
        shown = [repr(library), repr(done.document), repr(done.result), repr(library.context.runtime)]
    assert shown[0] == f"<Library {str(tmp_path / 'library')!r}>"
    assert shown[1] == f"<Document {done.document_id[:8]} 'Tides': complete, version 1>"  # type: ignore[index]  # it was read
    assert all(len(text) < 160 and "\n" not in text for text in shown)


def test_octavo_exports_what_a_host_catches_and_passes() -> None:
    assert issubclass(octavo.UsageError, octavo.OctavoError)
    assert {"Runtime", "Settings", "WebSettings", "OcrOptions", "convert", "aconvert"} <= set(octavo.__all__)
    with pytest.raises(octavo.UsageError, match="no plugin named"):
        octavo.convert(b"x", name="a.txt", plugin="plaintxt")
