"""Tokens over ten turns of four workflows, beside sending the whole documents each time (CTX-10).

    python tests/benchmarks/context/workflows.py [--json] [--library DIR] [--documents 10]

Each workflow runs on documents of the corpus, with a model of each provider in turn; the registry has their caching rules and prices.
Tokens are counted as the provider bills them: one that is read from the prompt cache counts as its price against that of one
read anew, one that is put there likewise. Sending everything each time is given the same rules: where a provider caches equal
beginnings of requests by itself (`automatic`), its later turns are read from the cache as well; where blocks have to be marked,
they are not. A document that is larger than the window counts as the window. Turns follow each other within the time that caches hold.

`--json` prints {"workflow": {"naive", "octavo", "ratio", "models"}}, and `total`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from octavo.settings.settings import Settings
from octavo_context import ContextManager, ContextPlan, PlanOptions, Workflow, prepare_documents
from octavo_context.models import ModelCapabilities
from octavo_library import Library

MODELS = ("claude-sonnet-4-5", "gpt-5", "gemini-2.5-pro")
NAMES = (
    "pdf/maint-guide-en.pdf",
    "pdf/debian-faq-en.pdf",
    "pdf/debian-faq-fr.pdf",
    "pdf/debian-faq-ru.pdf",
    "pdf/r-lang.pdf",
    "pdf/r-intro.pdf",
    "pdf/financebench-bestbuy-2024q2-10q.pdf",
    "pdf/financebench-johnson-johnson-2022q4-earnings.pdf",
    "pdf/financebench-amcor-2023q4-earnings.pdf",
    "pdf/financebench-adobe-2022-10k.pdf",
)
TARGET = 0.35

MESSAGES: dict[Workflow, tuple[str, ...]] = {
    Workflow.RED_TEAM: (
        "Read this and tell me its weakest argument.",
        "Attack what page 3 says.",
        "Is the claim on page 5 supported anywhere?",
        "Now argue the other side of pages 6-7.",
        "What would a hostile reader quote from page 2?",
        "Which statement contradicts page 4?",
        "Check the numbers on page 8.",
        "Is page 9 consistent with page 3?",
        "What is missing from page 10?",
        "Collect the findings.",
    ),
    Workflow.COMPARISON: (
        "Compare the two documents.",
        "Where do they disagree?",
        "Compare page 2 of both.",
        "Which one is more detailed on page 5?",
        "Compare pages 3-4.",
        "What does one say that the other leaves out on page 6?",
        "Compare page 7.",
        "Compare page 8.",
        "Compare page 9.",
        "Summarise the differences.",
    ),
    Workflow.QUICK_REFERENCE: (
        "What is this document about?",
        "What does page 2 say?",
        "Who wrote it?",
        "What is on page 4?",
        "What are the terms of the licence?",
        "What does page 7 say about versions?",
        "Which date is named first?",
        "What is the last section?",
        "Is there a table on page 5?",
        "What was the figure on page 3?",
    ),
    Workflow.DRAFTING: (
        "Draft an introduction that refers to the report.",
        "Cite page 2 of the report.",
        "Shorten the second paragraph.",
        "Refer to page 5.",
        "Add what page 6 says.",
        "Make the tone more formal.",
        "Cite pages 3-4.",
        "Add a conclusion.",
        "Check the citation of page 2.",
        "Read it once more.",
    ),
}
DRAFT = (
    "# Draft\n\n"
    + "The report that is cited here says what was measured, and this draft says what follows from it.\n\n" * 40
)


def billed(tokens: int, model: ModelCapabilities, cache: str) -> float:
    """Tokens at the price of one that is read anew."""
    price = model.price
    if price is None or cache == "none":
        return float(tokens)
    special = price.cache_read if cache == "read" else price.cache_write
    return tokens * (special / price.input if special is not None else 1.0)


def naive_turn(plan: ContextPlan, model: ModelCapabilities, *, turn: int) -> float:
    """The whole documents in one turn, nothing marked; of documents larger than the window as much as it holds."""
    kept = model.caching == "automatic" and turn > 0
    tokens = min(sum(block.naive_tokens for block in plan.documents), plan.available)
    return billed(tokens, model, "read" if kept else "none")


def run_workflow(
    manager: ContextManager, documents: Sequence[str], workflow: Workflow, model: str, conversation: str
) -> tuple[float, float]:
    """Billed tokens of ten turns: naive, and by this package."""
    capabilities = manager.registry.get(model)
    naive = ours = 0.0
    for turn, message in enumerate(MESSAGES[workflow]):
        plan = prepare_documents(
            manager, documents, conversation, model, message, options=PlanOptions(workflow=workflow)
        )
        for block in plan.documents:
            manager.record_document_send(
                block.metadata.document_id,
                conversation,
                block.tier,
                block.token_estimate,
                block.prompt_cached,
                block=block,
            )
            ours += billed(block.token_estimate, capabilities, block.cache)
        naive += naive_turn(plan, capabilities, turn=turn)
    return naive, ours


def sets_of(workflow: Workflow, documents: Sequence[str], draft: str) -> Iterator[tuple[str, ...]]:
    """The documents of each conversation of a workflow."""
    match workflow:
        case Workflow.RED_TEAM | Workflow.QUICK_REFERENCE:
            yield from ((one,) for one in documents)
        case Workflow.COMPARISON:
            yield from zip(documents[::2], documents[1::2], strict=False)
        case Workflow.DRAFTING:
            yield from ((draft, one) for one in documents)


def measure(library: Library, documents: Sequence[str], draft: str) -> dict[str, Any]:
    """Every workflow with every model."""
    manager = ContextManager(library)
    found: dict[str, Any] = {}
    for workflow in Workflow:
        models = {}
        for model in MODELS:
            naive = ours = 0.0
            for number, chosen in enumerate(sets_of(workflow, documents, draft)):
                one, other = run_workflow(manager, chosen, workflow, model, f"{workflow} {model} {number}")
                naive, ours = naive + one, ours + other
            models[model] = _figures(naive, ours)
        found[workflow.value] = _together(models.values()) | {"models": models}
    found["total"] = _together(list(found.values()))
    return found


def _figures(naive: float, ours: float) -> dict[str, float]:
    return {"naive": round(naive), "octavo": round(ours), "ratio": round(ours / naive, 3) if naive else 0.0}


def _together(figures: Any) -> dict[str, Any]:
    listed = list(figures)
    return _figures(sum(one["naive"] for one in listed), sum(one["octavo"] for one in listed))


def main() -> int:
    """Print the figures; 1 where the total is above the target."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--library", type=Path, help="keep the library there, and use it again")
    parser.add_argument("--documents", type=int, default=len(NAMES))
    arguments = parser.parse_args()
    corpus = _corpus()
    if corpus is None:
        print("the corpus is not here: set OCTAVO_CORPUS")
        return 0
    with ExitStack() as closing:
        folder = arguments.library or Path(closing.enter_context(tempfile.TemporaryDirectory())) / "library"
        library = closing.enter_context(Library.open(folder, settings=Settings(workers=1, sampling=False)))
        taken = [library.ingest(corpus / name).document_id for name in NAMES[: arguments.documents]]
        draft = library.ingest(DRAFT.encode(), name="draft.md").document_id
        found = measure(library, [str(one) for one in taken], str(draft))
    if arguments.json:
        print(json.dumps(found, indent=1))
    else:
        for name, one in found.items():
            print(f"{name:16} {one['naive']:>12,} {one['octavo']:>12,} {one['ratio']:>6.3f}")
    return int(found["total"]["ratio"] > TARGET)


def _corpus() -> Path | None:
    import sys

    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    from tests.benchmarks.corpus import corpus_folder

    return corpus_folder()


if __name__ == "__main__":
    raise SystemExit(main())
