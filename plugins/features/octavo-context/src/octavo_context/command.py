"""`octavo context`: documents as content blocks for a language model.

JSON:
    `--json` prints one object:

    - `model`, `conversation` (or null), `shape` (of the blocks); `available_tokens`, `token_estimate`, `estimated_cost` (USD, or
      null if the price is unknown).
    - `content_blocks`: the blocks of all documents, in the shape given by `--as`.
    - `documents`: a list of `tier`, `reason`, `token_estimate`, `prompt_cached`, `cache` (none, write, read), `estimated_cost` and
      `metadata`: `document_id`, `title`, `page_count`, `pages_included` (a list, or "all"), `extraction_method`, `quality_flags`.
    - `left_out`: a list of `document_id`, `title`; `suggestions`: titles of documents to remove so that the others fit.
    - `notices`: a list of `kind`, `message`, `document_id`, `estimated_cost`.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from .manager import ContextManager
    from .plans import ContextPlan


@octavo_command(name="context")
@click.argument("documents", metavar="DOC...", nargs=-1, required=True)
@click.option(
    "--model",
    metavar="MODEL",
    required=True,
    help="The model, such as claude-sonnet-4-5. An unknown model is sent text.",
)
@click.option(
    "--message", metavar="TEXT", default="", help="The user's message. Pages and sections that it names are sent."
)
@click.option(
    "--conversation",
    metavar="ID",
    help="Continue this conversation and record that the documents were sent. Without it nothing is recorded.",
)
@click.option(
    "--tier",
    type=click.Choice(["auto", "1", "2", "3"]),
    default="auto",
    show_default=True,
    help="1: the file; 2: the full text; 3: a summary and single pages; auto: choose by the rules.",
)
@click.option("--pages", metavar="LIST", help="Send these pages, such as 3,7-9.")
@click.option("--budget", metavar="TOKENS", type=click.IntRange(min=1), help="Token budget for all documents together.")
@click.option(
    "--workflow",
    type=click.Choice(["red_team", "comparison", "quick_reference", "drafting"]),
    help="Usage pattern of the conversation.",
)
@click.option(
    "--as",
    "shape",
    type=click.Choice(["block", "anthropic", "openai", "gemini"]),
    help="Print content blocks as JSON, in this shape.",
)
@click.option("--corpus", metavar="NAME", help="Act as this corpus: only documents that its policy may see.")
@library_option
@json_option
def command(
    documents: tuple[str, ...],
    model: str,
    message: str,
    conversation: str | None,
    tier: str,
    pages: str | None,
    budget: int | None,
    workflow: str | None,
    shape: str | None,
    corpus: str | None,
    library: str,
    as_json: bool,
) -> None:
    """Prepare documents for a language model, within a token budget.

    DOC is as for `octavo show`. Prints the form and the token count of each document; with --as, the content
    blocks for a provider's API. The command calls no model and sends nothing over the network.
    """
    from octavo_cli.toolkit.output import clean, note, write_json
    from octavo_library.commands.opening import open_library

    from .manager import ContextManager
    from .page_references import parse_pages
    from .plans import PlanOptions, TokenBudget, prepare_documents
    from .workflows import Workflow

    options = PlanOptions(
        budget=TokenBudget(documents=budget),
        workflow=Workflow(workflow) if workflow is not None else None,
        force_tier=None if tier == "auto" else cast("Any", int(tier)),
        specific_pages=parse_pages(pages) if pages is not None else None,
    )
    asked = message.encode("utf-8", "replace").decode()
    with open_library(library, create=False) as opened:
        manager = ContextManager(opened, corpus=corpus)
        plan = prepare_documents(manager, documents, conversation or "", model, asked, options=options)
        if as_json:
            write_json(_as_json(plan, model=model, conversation=conversation, shape=shape))
        elif shape is not None:
            write_json(plan.rendered(cast("Any", shape)))
        else:
            _write(plan)
        for notice in plan.notices:
            note(f"octavo: {clean(notice.message)} [{notice.kind}]")
        if conversation is not None:
            _record(manager, plan, conversation)


def _record(manager: ContextManager, plan: ContextPlan, conversation: str) -> None:
    for block in plan.documents:
        manager.record_document_send(
            block.metadata.document_id,
            conversation,
            block.tier,
            block.token_estimate,
            block.prompt_cached,
            block=block,
        )


def _as_json(plan: ContextPlan, *, model: str, conversation: str | None, shape: str | None) -> dict[str, Any]:
    chosen: Any = shape or "block"
    return {
        "model": model,
        "conversation": conversation,
        "shape": chosen,
        "available_tokens": plan.available,
        "token_estimate": plan.token_estimate,
        "estimated_cost": plan.estimated_cost,
        "content_blocks": plan.rendered(chosen),
        "documents": [
            {
                "tier": block.tier,
                "reason": block.reason,
                "token_estimate": block.token_estimate,
                "prompt_cached": block.prompt_cached,
                "cache": block.cache,
                "estimated_cost": block.estimated_cost,
                "metadata": asdict(block.metadata),
            }
            for block in plan.documents
        ],
        "left_out": [{"document_id": document_id, "title": title} for document_id, title in plan.left_out],
        "suggestions": list(plan.suggestions),
        "notices": [asdict(notice) for notice in plan.notices],
    }


def _write(plan: ContextPlan) -> None:
    from octavo_cli.toolkit.output import clean, write_line

    from .header_text import page_list

    for block in plan.documents:
        included = block.metadata.pages_included
        pages = "all pages" if included == "all" else f"pages {page_list(included)}" if included else "no pages"
        cache = {"none": "", "write": ", to the prompt cache", "read": ", from the prompt cache"}[block.cache]
        write_line(clean(f"Tier {block.tier}  {block.token_estimate:>8,} tokens  {block.metadata.title}"))
        write_line(clean(f"        {pages}{cache}: {block.reason}"))
    cost = f", about ${plan.estimated_cost:.4f}" if plan.estimated_cost is not None else ""
    write_line(f"Total: {plan.token_estimate:,} of {plan.available:,} tokens{cost}")
    if plan.suggestions:
        write_line(clean(f"To send the rest in full, remove {', '.join(plan.suggestions)}"))
