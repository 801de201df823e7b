"""`ContextManager` on a library of real documents: tiers, conversation state, caches, and what is refused (CTX-1 to CTX-6)."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import jsonschema
import pytest
from octavo import Settings
from octavo.settings.context import ContextSettings
from octavo.settings.ocr import OcrSettings
from octavo_context import (
    BudgetTooSmall,
    ContextManager,
    DocumentContextBlock,
    NoContext,
    count_tokens,
    note_retrieved_pages,
)
from octavo_contracts import UsageError
from octavo_library import Library

SONNET, GEMINI, TEXT_ONLY, OPENAI = "claude-sonnet-4-5", "gemini-2.5-pro", "deepseek-chat", "gpt-5"
SCHEMAS = Path(__file__).parent / "schemas"


def send(manager: ContextManager, document: str, conversation: str, model: str, message: str) -> DocumentContextBlock:
    """One turn: prepared, sent, recorded."""
    block = manager.prepare_document_context(document, conversation, model, message)
    manager.record_document_send(document, conversation, block.tier, block.token_estimate, block.prompt_cached)
    return block


def kinds(block: DocumentContextBlock) -> set[str]:
    return {notice.kind for notice in block.notices}


def text_of(block: DocumentContextBlock) -> str:
    (only,) = block.rendered("block")
    return str(only["text"])


# -- tiers ---------------------------------------------------------------------------------------------------


def test_a_new_pdf_goes_as_the_file_and_then_from_the_cache(manager: ContextManager, ids: dict[str, str]) -> None:
    first = send(manager, ids["report"], "c", SONNET, "What is it about?")
    again = send(manager, ids["report"], "c", SONNET, "And page 3?")
    (block,) = first.content_blocks
    assert block["source"]["data"].startswith("JVBERi")
    assert block["cache_control"] == {"type": "ephemeral"}
    assert (first.tier, first.cache, again.tier, again.cache) == (1, "write", 1, "read")
    assert first.metadata.pages_included == "all"
    assert again.estimated_cost is not None
    assert first.estimated_cost is not None
    assert again.estimated_cost < first.estimated_cost / 10
    state = manager.get_document_state(ids["report"], "c")
    assert state is not None
    assert (state.prompt_cache_active, state.total_tokens_sent) == (True, 2 * first.token_estimate)
    assert state.total_tokens_saved == round(0.9 * first.token_estimate)


def test_pages_that_a_message_names_are_sent_with_the_summary(manager: ContextManager, ids: dict[str, str]) -> None:
    send(manager, ids["report"], "c", GEMINI, "Read this.")
    block = manager.prepare_document_context(ids["report"], "c", GEMINI, "Compare pages 3-4 with page 99.")
    text = text_of(block)
    assert (block.tier, block.metadata.pages_included) == (3, (3, 4))
    assert f"Document ID: {ids['report']}" in text
    assert "station 94 " in text, "a sentence of page 3"
    assert "station 156 " not in text, "a sentence of page 5, of which the list of pages has the first line alone"
    assert f'retrieve_document_pages(document_id="{ids["report"]}"' in text
    assert kinds(block) == {"pages_beyond"}


def test_text_alone_for_models_that_read_no_files(manager: ContextManager, ids: dict[str, str]) -> None:
    known = manager.prepare_document_context(ids["report"], "c", TEXT_ONLY, "")
    unknown = manager.prepare_document_context(ids["report"], "c", "nobody-knows-it", "")
    assert (known.tier, unknown.tier) == (2, 2)
    assert text_of(known).startswith("[Document: Tide report]\nType: unknown | Pages: 12 | Classification: pdf_")
    assert kinds(known) == {"text_only"}
    assert kinds(unknown) == {"unknown_model"}
    assert unknown.estimated_cost is None
    assert unknown.rendered("block") == unknown.content_blocks


def test_retrieved_pages_ride_along_and_past_half_the_whole_text_goes(
    manager: ContextManager, library: Library, ids: dict[str, str]
) -> None:
    send(manager, ids["report"], "c", GEMINI, "Read this.")
    note_retrieved_pages(library, ids["report"], "c", [7, 2])
    block = manager.prepare_document_context(ids["report"], "c", GEMINI, "What of page 11?")
    assert (block.tier, block.metadata.pages_included) == (3, (2, 7, 11))
    note_retrieved_pages(library, ids["report"], "c", [1, 3, 4, 5, 6])
    assert send(manager, ids["report"], "c", GEMINI, "What of page 11?").tier == 2
    assert send(manager, ids["report"], "c", GEMINI, "And page 12?").tier == 2


def test_more_than_half_of_the_pages_is_the_whole_text(manager: ContextManager, ids: dict[str, str]) -> None:
    few = manager.prepare_document_context(ids["report"], "c", SONNET, "", specific_pages=[2, 3])
    many = manager.prepare_document_context(ids["report"], "c", SONNET, "", specific_pages=range(1, 8))
    assert (few.tier, few.metadata.pages_included) == (3, (2, 3))
    assert (many.tier, many.metadata.pages_included) == (2, "all")


def test_a_table_shows_a_hundred_rows_and_says_so(manager: ContextManager, ids: dict[str, str]) -> None:
    block = manager.prepare_document_context(ids["table"], "c", SONNET, "")
    text = text_of(block)
    assert text.startswith("[Spreadsheet: ")
    assert "(showing 100 of 250 rows)" in text
    assert "pier 100 |" in text
    assert "pier 101 |" not in text
    assert kinds(block) == {"rows_left_out"}


def test_a_note_without_pages_has_passages_with_spans(
    manager: ContextManager, library: Library, ids: dict[str, str]
) -> None:
    block = manager.prepare_document_context(ids["note"], "c", SONNET, "When did the tide turn?", force_tier=3)
    canonical = library.document(ids["note"]).canonical_text
    text = text_of(block)
    assert f'span="char:0-{len(canonical)}"' in text
    assert f"\n{canonical}\n</document_excerpt>" in text


@pytest.mark.parametrize("shape", ["anthropic", "openai", "gemini"])
@pytest.mark.parametrize("tier", [1, 2, 3])
def test_blocks_are_what_the_providers_take(
    manager: ContextManager, ids: dict[str, str], shape: Any, tier: Any
) -> None:
    """Against closed schemas of the SDKs' own types (CTX-8): one key too many fails."""
    schema = json.loads((SCHEMAS / f"{shape}.json").read_text())
    check = jsonschema.Draft202012Validator(schema)
    block = manager.prepare_document_context(ids["short"], "c", SONNET, "page 1", force_tier=tier)
    for one in block.rendered(shape):
        check.validate(one)
        assert not check.is_valid(one | {"unheard_of": 1})


def test_a_shape_that_nobody_takes(manager: ContextManager, ids: dict[str, str]) -> None:
    block = manager.prepare_document_context(ids["note"], "c", SONNET, "")
    with pytest.raises(UsageError, match="there is no shape 'xml'"):
        block.rendered("xml")  # type: ignore[arg-type]  # what a caller without types might give


# -- conversations -------------------------------------------------------------------------------------------


def test_state_is_alive_after_a_restart(library: Library, ids: dict[str, str]) -> None:
    send(ContextManager(library), ids["report"], "c", SONNET, "Read this.")
    folder, runtime = library.path, library.context.runtime
    library.close()
    with Library.open(folder, runtime=runtime) as again:
        block = ContextManager(again).prepare_document_context(ids["report"], "c", SONNET, "Go on.")
        assert (block.tier, block.cache) == (1, "read")


def test_a_cache_is_cold_after_five_minutes(library: Library, ids: dict[str, str]) -> None:
    send(ContextManager(library), ids["report"], "c", SONNET, "Read this.")

    def at(minutes: float) -> ContextManager:
        return ContextManager(library, clock=lambda: datetime.now(UTC) + timedelta(minutes=minutes))

    assert at(4.5).prepare_document_context(ids["report"], "c", SONNET, "").cache == "read"
    late = at(5.5)
    assert late.prepare_document_context(ids["report"], "c", SONNET, "").cache == "write"
    state = late.get_document_state(ids["report"], "c")
    assert state is not None
    assert not state.prompt_cache_active


def test_another_model_makes_caches_cold_and_is_told(manager: ContextManager, ids: dict[str, str]) -> None:
    send(manager, ids["report"], "c", SONNET, "Read this.")
    block = manager.prepare_document_context(ids["report"], "c", "claude-opus-4-1", "Go on.")
    (notice,) = [one for one in block.notices if one.kind == "model_switch"]
    assert notice.message.startswith(
        "Switching from claude-sonnet-4-5 to claude-opus-4-1: 1 document cache will be re-built"
    )
    assert notice.estimated_cost is not None
    assert notice.estimated_cost > 0
    assert block.cache == "none" or block.cache == "write"
    manager.record_document_send(
        ids["short"], "c", 1, 10, True, block=manager.prepare_document_context(ids["short"], "c", "claude-opus-4-1", "")
    )
    state = manager.get_document_state(ids["report"], "c")
    assert state is not None
    assert not state.prompt_cache_active
    back = manager.prepare_document_context(ids["report"], "c", SONNET, "Back again.")
    assert back.cache != "read"


def test_notices_of_a_switch_can_be_turned_off(reopened: Callable[[ContextSettings], Library]) -> None:
    with reopened(ContextSettings(switch_notices=False)) as library:
        document = next(one.id for one in library.documents() if len(one.pages) == 12)
        manager = ContextManager(library)
        send(manager, document, "c", SONNET, "Read this.")
        assert kinds(manager.prepare_document_context(document, "c", "claude-opus-4-1", "Go on.")) == set()


def test_a_reconversion_between_turns_makes_the_cache_cold_and_is_told(
    manager: ContextManager, library: Library, ids: dict[str, str]
) -> None:
    """INT-3."""
    send(manager, ids["short"], "c", SONNET, "Read this.")
    library.document(ids["short"]).reconvert(activate=True)
    block = manager.prepare_document_context(ids["short"], "c", SONNET, "Go on.")
    assert block.cache != "read"
    assert "content_changed" in kinds(block)
    state = manager.get_document_state(ids["short"], "c")
    assert state is not None
    assert not state.prompt_cache_active


@pytest.mark.skipif(not which("tesseract") or not find_spec("octavo_tesseract"), reason="no recogniser is installed")
def test_a_model_is_told_which_text_was_recognised_with_low_confidence(tmp_path: Path) -> None:
    """CTX-13: each page says it where it begins, and a notice names the pages."""
    scan = Path(__file__).parents[4] / "docs/samples/logbook-scan.pdf"
    settings = Settings(workers=1, sampling=False, ocr=OcrSettings(doubtful_below=1.0))
    with Library.open(tmp_path / "scans", settings=settings) as library:
        document = library.ingest(scan).document_id
        block = ContextManager(library).prepare_document_context(document, "c", TEXT_ONLY, "What is written?")
    assert "low_confidence" in kinds(block)
    assert "confidence" in text_of(block)


@pytest.mark.skipif(not which("tesseract") or not find_spec("octavo_tesseract"), reason="no recogniser is installed")
@pytest.mark.parametrize("is_on", [True, False])
def test_unread_pages_are_recognised_before_a_document_is_sent(is_on: bool, tmp_path: Path) -> None:
    """OCR-7: once; with the setting off, the model is given the file or nothing."""
    scan = Path(__file__).parents[4] / "docs/samples/logbook-scan.pdf"
    off = Settings(workers=1, sampling=False, ocr=OcrSettings(automatic=False))
    with Library.open(tmp_path / "scans", settings=off) as library:
        document = library.ingest(scan).document_id or ""
        assert "LOGBOOK" not in library.document(document).canonical_text
    settings = Settings(workers=1, sampling=False, ocr=OcrSettings(on_send=is_on))
    with Library.open(tmp_path / "scans", settings=settings) as library:
        manager = ContextManager(library)
        if not is_on:
            with pytest.raises(NoContext):
                manager.prepare_document_context(document, "c", TEXT_ONLY, "What is written?")
        else:
            assert "LOGBOOK" in text_of(manager.prepare_document_context(document, "c", TEXT_ONLY, "What is written?"))
        versions = [one.version for one in library.document(document).versions]
        assert versions == ([1, 2] if is_on else [1])


def test_preparing_writes_nothing(manager: ContextManager, ids: dict[str, str]) -> None:
    manager.prepare_document_context(ids["report"], "c", SONNET, "Read this.")
    assert manager.get_document_state(ids["report"], "c") is None


def test_a_send_that_nobody_prepared_leaves_the_cache_cold(library: Library, ids: dict[str, str]) -> None:
    manager = ContextManager(library)
    manager.record_document_send(ids["report"], "c", 1, 500, True)
    state = manager.get_document_state(ids["report"], "c")
    assert state is not None
    assert (state.tier, state.total_tokens_sent, state.prompt_cache_active) == (1, 500, False)


def _send_for_ever(folder: Path, document: str, ready: Any) -> None:
    with Library.open(folder) as library:
        manager = ContextManager(library)
        block = manager.prepare_document_context(document, "shared", GEMINI, "page 1", force_tier=3)
        ready.set()
        while True:
            manager.record_document_send(document, "shared", 3, 7, False, block=block)


@pytest.mark.slow
@pytest.mark.sqlite_files
def test_two_processes_and_a_kill_leave_the_state_true(library: Library, ids: dict[str, str]) -> None:
    """Each send is whole or was not made: the sum is a multiple of 7, and both processes see it (CTX-4)."""
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    child = context.Process(target=_send_for_ever, args=(library.path, ids["report"], ready))
    child.start()
    try:
        assert ready.wait(120)
        manager = ContextManager(library)
        block = manager.prepare_document_context(ids["report"], "shared", GEMINI, "page 1", force_tier=3)
        for _ in range(20):
            manager.record_document_send(ids["report"], "shared", 3, 7, False, block=block)
    finally:
        os.kill(int(child.pid or 0), signal.SIGKILL)
        child.join()
    state = manager.get_document_state(ids["report"], "shared")
    assert state is not None
    assert state.total_tokens_sent % 7 == 0
    assert state.total_tokens_sent >= 140
    manager.record_document_send(ids["report"], "shared", 3, 7, False, block=block)
    after = manager.get_document_state(ids["report"], "shared")
    assert after is not None
    assert after.total_tokens_sent == state.total_tokens_sent + 7


# -- budgets of one document ---------------------------------------------------------------------------------


def test_a_budget_steps_down_and_says_so(manager: ContextManager, ids: dict[str, str]) -> None:
    whole = manager.prepare_document_context(ids["report"], "c", SONNET, "page 5")
    tiers = []
    for budget in (whole.token_estimate, whole.token_estimate - 1, 3000, 1500, 700):
        block = manager.prepare_document_context(ids["report"], "c", SONNET, "pages 5-8", max_token_budget=budget)
        assert block.token_estimate <= budget
        assert (
            block.token_estimate
            == sum(count_tokens(one.get("text", ""), factor=1.15) + 8 for one in block.rendered("block"))
            or block.tier == 1
        )
        tiers.append(block.tier)
        assert ("stepped_down" in kinds(block)) == (budget < whole.token_estimate)
    assert tiers[0] == 1
    assert tiers[-1] == 3
    assert "pages_left_out" in kinds(
        manager.prepare_document_context(
            ids["report"], "c", SONNET, "", specific_pages=[5, 6, 7, 8], max_token_budget=1700
        )
    )


def test_a_budget_of_ten_tokens_holds_nothing(manager: ContextManager, ids: dict[str, str]) -> None:
    with pytest.raises(BudgetTooSmall, match=r"a budget of 10 tokens holds nothing of it\. Give at least \d+ tokens"):
        manager.prepare_document_context(ids["report"], "c", SONNET, "", max_token_budget=10)


def test_costs_are_estimated_by_tier(manager: ContextManager, ids: dict[str, str]) -> None:
    native, text, summary = (manager.estimate_cost(ids["report"], SONNET, tier) for tier in (1, 2, 3))  # type: ignore[arg-type]  # 1 to 3
    assert native.tokens > text.tokens > summary.tokens
    assert (native.tier, manager.estimate_cost(ids["report"], SONNET).tier) == (1, 1)
    assert manager.estimate_cost(ids["report"], "nobody-knows-it").estimated_cost is None


def test_async_twins_do_the_same(manager: ContextManager, ids: dict[str, str]) -> None:
    async def turn() -> DocumentContextBlock:
        block = await manager.aprepare_document_context(ids["report"], "c", SONNET, "Read this.")
        await manager.arecord_document_send(ids["report"], "c", block.tier, block.token_estimate, block.prompt_cached)
        return block

    assert asyncio.run(turn()).tier == 1
    assert manager.get_document_state(ids["report"], "c") is not None
