"""Several documents in one budget, workflows, attachments, and the command (CTX-7, CTX-10, CTX-11)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from octavo_context import (
    BudgetTooSmall,
    ContextManager,
    ContextPlan,
    PlanOptions,
    TokenBudget,
    Workflow,
    prepare_attachments,
    prepare_documents,
    take_in,
)
from octavo_context.command import command
from octavo_contracts import UsageError
from octavo_library import Library

SONNET, GEMINI = "claude-sonnet-4-5", "gemini-2.5-pro"


def plan(manager: ContextManager, documents: list[str], budget: int | None = None, **options: Any) -> ContextPlan:
    chosen = PlanOptions(budget=TokenBudget(documents=budget), **options)
    return prepare_documents(manager, documents, "c", SONNET, "What of page 2?", options=chosen)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(budget=st.integers(min_value=1, max_value=40_000), names=st.permutations(["report", "short", "table", "note"]))
def test_the_sum_of_blocks_never_exceeds_the_budget(
    manager: ContextManager, ids: dict[str, str], budget: int, names: list[str]
) -> None:
    """And every document is sent, or it is said that it is not."""
    documents = [ids[name] for name in names]
    if budget < 50:
        with pytest.raises(BudgetTooSmall, match="Give at least"):
            plan(manager, documents, budget)
        return
    try:
        made = plan(manager, documents, budget)
    except BudgetTooSmall:
        assert budget < 200  # the shortest header of these has about 60 tokens
        return
    assert sum(block.token_estimate for block in made.documents) == made.token_estimate <= budget
    sent = {block.metadata.document_id for block in made.documents}
    gone = {document_id for document_id, _ in made.left_out}
    assert sent | gone == set(documents)
    assert not sent & gone
    assert gone == {notice.document_id for notice in made.notices if notice.kind == "document_left_out"}


def test_the_window_is_shared_with_prompt_history_and_answer(manager: ContextManager, ids: dict[str, str]) -> None:
    budget = TokenBudget(system_tokens=1000, history_tokens=150_000, response_tokens=40_000)
    made = prepare_documents(manager, [ids["report"]], "c", SONNET, "", options=PlanOptions(budget=budget))
    assert made.available == 200_000 - 1000 - 150_000 - 40_000


def test_the_document_that_was_sent_longest_ago_is_stepped_down_first(
    manager: ContextManager, ids: dict[str, str]
) -> None:
    for name in ("report", "short"):
        block = manager.prepare_document_context(ids[name], "c", SONNET, "")
        manager.record_document_send(ids[name], "c", block.tier, block.token_estimate, True, block=block)
    full = plan(manager, [ids["short"], ids["report"]])
    made = plan(manager, [ids["short"], ids["report"]], full.token_estimate - 1)
    assert [block.tier for block in full.documents] == [1, 1]
    assert [block.tier for block in made.documents] == [1, 2]
    assert made.suggestions == ("Tide report",)
    assert full.suggestions == ()


def test_forty_documents_at_once(library: Library, manager: ContextManager) -> None:
    texts = [f"# Letter {number}\n\nThe boat number {number} came in on day {number}.\n" for number in range(40)]
    documents = [
        str(library.ingest(text.encode(), name=f"{number}.md").document_id) for number, text in enumerate(texts)
    ]
    everything = plan(manager, documents)
    assert (len(everything.documents), everything.left_out) == (40, ())
    tight = plan(manager, documents, 1500)
    assert tight.token_estimate <= 1500
    assert len(tight.documents) + len(tight.left_out) == 40
    assert len(tight.left_out) == sum(notice.kind == "document_left_out" for notice in tight.notices)


def test_no_more_marks_than_a_request_may_have(library: Library, manager: ContextManager, ids: dict[str, str]) -> None:
    for number in range(5):
        words = " ".join(f"word{number}x{at}" for at in range(1500))
        ids[f"more{number}"] = str(
            library.ingest(f"# Part {number}\n\n{words}\n".encode(), name=f"{number}.md").document_id
        )
    blocks = plan(manager, list(ids.values())).rendered("anthropic")
    marks = [place for place, block in enumerate(blocks) if "cache_control" in block]
    assert len(marks) == 4


def test_workflows_choose_tiers(manager: ContextManager, ids: dict[str, str]) -> None:
    both = [ids["report"], ids["short"]]
    assert [one.tier for one in plan(manager, both, workflow=Workflow.RED_TEAM).documents] == [1, 1]
    assert [one.tier for one in plan(manager, both, workflow=Workflow.COMPARISON).documents][1] == 2
    assert [one.tier for one in plan(manager, both, workflow=Workflow.QUICK_REFERENCE).documents] == [3, 3]
    assert [one.tier for one in plan(manager, both, workflow=Workflow.DRAFTING).documents] == [2, 3]


def test_no_document_is_no_request(manager: ContextManager) -> None:
    with pytest.raises(UsageError, match="no document is named"):
        plan(manager, [])


def test_attachments_are_taken_in_once_and_sorted(library: Library, manager: ContextManager, tmp_path: Path) -> None:
    (tmp_path / "gulls.md").write_text("# Gulls\n\nHerring gulls nest on the roof of the boat hall.\n")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing")
    gulls = (tmp_path / "gulls.md").read_bytes()
    attached = take_in(
        library,
        [
            ("tea.md", b"# Tea\n\nThe kettle is not calibrated.\n"),
            tmp_path / "gulls.md",
            ("again.md", gulls),
            tmp_path / "broken.pdf",
        ],
        message="Where do the gulls nest?",
    )
    assert [document.title for document in attached.documents] == ["Gulls", "Tea"]
    assert attached.reused == {attached.documents[0].id}
    (failed,) = attached.failed
    assert failed.message.startswith("broken.pdf: the attachment cannot be read")
    assert list((library.path / "originals").iterdir())
    made = prepare_attachments(manager, attached, "c", GEMINI, "Where do the gulls nest?")
    assert made.token_estimate == sum(block.token_estimate for block in made.documents) > 0


def run(library: Library, *arguments: str) -> Any:
    folder, runtime = library.path, library.context.runtime
    del runtime
    library.close()
    return CliRunner().invoke(command, [*arguments, "--library", str(folder)])


def test_the_command_prints_what_is_sent(library: Library, ids: dict[str, str]) -> None:
    shown = run(library, ids["report"], ids["note"], "--model", SONNET, "--message", "What of page 3?", "--json")
    assert shown.exit_code == 0, shown.output
    found = json.loads(shown.stdout)
    assert [one["tier"] for one in found["documents"]] == [1, 2]
    assert found["documents"][0]["metadata"]["title"] == "Tide report"
    assert found["token_estimate"] <= found["available_tokens"]
    assert len(found["content_blocks"]) == 2


def test_the_command_goes_on_with_a_conversation(library: Library, ids: dict[str, str]) -> None:
    arguments = (ids["report"], "--model", SONNET, "--conversation", "c1", "--as", "anthropic")
    folder = library.path
    first = run(library, *arguments)
    assert json.loads(first.stdout)[0]["cache_control"] == {"type": "ephemeral"}
    again = CliRunner().invoke(command, [*arguments[:-2], "--library", str(folder)])
    assert "from the prompt cache" in again.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.pdf", "--model", SONNET), "no document"),
        (("report", "--model", SONNET, "--pages", "9-7"), "the range 9-7 runs backwards"),
        (("report", "--model", SONNET, "--pages", "99"), "there is no page 99; it has 12"),
        (("report", "--model", SONNET, "--budget", "10"), "10 tokens hold nothing of Tide report"),
    ],
)
def test_the_command_refuses_in_one_sentence(
    library: Library, ids: dict[str, str], arguments: tuple[str, ...], message: str
) -> None:
    shown = run(library, *(ids.get(one, one) for one in arguments))
    assert shown.exit_code == 2
    assert message in shown.stderr
    assert "[usage]" in shown.stderr
