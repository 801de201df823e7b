"""Several documents for one message, within one budget (CTX-7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from octavo_contracts import UsageError
from octavo_library.facade.document import Document

from .blocks import Block, BlockFormat, limit_breakpoints, render_blocks
from .context_block import DocumentContextBlock, Notice, unique_notices
from .drafts import Draft
from .errors import BudgetTooSmall
from .manager import ContextManager
from .models import ModelCapabilities
from .preparation import Preparation, PrepareOptions
from .tiers import Tier
from .tokens import count_tokens
from .workflows import Workflow, workflow_options


@dataclass(frozen=True, kw_only=True)
class TokenBudget:
    """Division of a model's context window (CTX-7).

    Attributes:
        documents: most tokens of all documents together; None: the rest of the window.
        system_tokens: tokens of the system prompt; None: the setting `context.system_tokens`.
        history_tokens: tokens of the conversation so far.
        response_tokens: tokens reserved for the answer; None: the setting `context.response_tokens`.
    """

    documents: int | None = None
    system_tokens: int | None = None
    history_tokens: int = 0
    response_tokens: int | None = None


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """Options for preparing several documents.

    Attributes:
        budget: token budget.
        workflow: usage pattern of the conversation; None: only the tier rules apply (CTX-10).
        force_tier: tier for every document.
        specific_pages: pages to send of every document.
    """

    budget: TokenBudget = field(default_factory=TokenBudget)
    workflow: Workflow | None = None
    force_tier: Tier | None = None
    specific_pages: Sequence[int] | None = None


@dataclass(frozen=True, kw_only=True)
class ContextPlan:
    """Several documents prepared for one message.

    Attributes:
        documents: documents to send, in the order given.
        left_out: (document id, title) of documents that do not fit into the budget.
        available: token budget of the documents.
        token_estimate: estimated tokens of the documents.
        estimated_cost: cost in USD; None if the price is unknown.
        suggestions: titles to remove so that the others are sent in full, least relevant first (CTX-11).
        notices: notices about single documents and the whole plan.
        shape: shape of `content_blocks`.
    """

    documents: tuple[DocumentContextBlock, ...]
    left_out: tuple[tuple[str, str], ...]
    available: int
    token_estimate: int
    estimated_cost: float | None
    suggestions: tuple[str, ...]
    notices: tuple[Notice, ...]
    shape: BlockFormat

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Neutral blocks of all documents, with cache breakpoints limited to what a request may have."""
        return tuple(limit_breakpoints([block for each in self.documents for block in each.blocks]))

    @property
    def content_blocks(self) -> list[dict[str, Any]]:
        """Content blocks of all documents in the shape of the model's provider."""
        return self.rendered(self.shape)

    def rendered(self, shape: BlockFormat) -> list[dict[str, Any]]:
        """Render the content blocks in a given shape.

        Raises:
            UsageError: the shape is unknown.
        """
        return render_blocks(self.blocks, shape)


def prepare_documents(
    manager: ContextManager,
    documents: Sequence[str | Document],
    conversation: str,
    model: str,
    message: str,
    *,
    options: PlanOptions | None = None,
) -> ContextPlan:
    """Prepare several documents for one message: each in its tier, or in a shorter form if the budget is short.

    The least recently sent document is shortened first; among equals, the larger one. Documents new to the conversation count
    as most recent. Every omission has a notice.

    Args:
        manager: context manager of the library.
        documents: the documents, without duplicates.
        conversation: the conversation.
        model: name of the model.
        message: the user's message.
        options: budget, workflow, tier and pages.

    Raises:
        UsageError: the list is empty; or as `ContextManager.prepare_document_context`.
        BudgetTooSmall: none of the documents fits.
        OctavoError: as `ContextManager.prepare_document_context`.
    """
    options = options or PlanOptions()
    refs = list(dict.fromkeys(one if isinstance(one, str) else one.id for one in documents))
    if not refs:
        raise UsageError("no document is named", remedy="Name at least one")
    capabilities = manager.registry.get(model)
    available = available_tokens(manager, capabilities, message, options.budget)
    begun = _begin_all(manager, refs, conversation, model, message, options)
    chosen = _allocate(begun, available)
    if not any(chosen):
        least = min(each.ladder()[-1].tokens for each in begun)
        raise BudgetTooSmall(
            f"{available} tokens hold nothing of {_named(begun)}", remedy=f"Give at least {least} tokens for documents"
        )
    blocks = [each.finish(draft) for each, draft in zip(begun, chosen, strict=True) if draft is not None]
    for block in blocks:
        manager.remember(conversation, block)
    gone = [each for each, draft in zip(begun, chosen, strict=True) if draft is None]
    costs = [block.estimated_cost for block in blocks]
    return ContextPlan(
        documents=tuple(blocks),
        left_out=tuple((each.material.document.id, each.material.title) for each in gone),
        available=available,
        token_estimate=sum(block.token_estimate for block in blocks),
        estimated_cost=sum(cost for cost in costs if cost is not None) if None not in costs else None,
        suggestions=_suggestions(begun, chosen, available),
        notices=unique_notices([*(notice for block in blocks for notice in block.notices), *map(_left_out, gone)]),
        shape=blocks[0].shape,
    )


def available_tokens(manager: ContextManager, model: ModelCapabilities, message: str, budget: TokenBudget) -> int:
    """Tokens available to documents: the window minus system prompt, history, message and answer; at least 0.

    Args:
        manager: context manager with the settings.
        model: capabilities of the model.
        message: the user's message.
        budget: the caller's token budget.
    """
    settings = manager.library.context.runtime.settings.context
    system = settings.system_tokens if budget.system_tokens is None else budget.system_tokens
    answer = settings.response_tokens if budget.response_tokens is None else budget.response_tokens
    said = count_tokens(message, factor=model.token_factor)
    left = max(0, model.window - system - answer - budget.history_tokens - said)
    return left if budget.documents is None else max(0, min(left, budget.documents))


def _begin_all(
    manager: ContextManager, refs: Sequence[str], conversation: str, model: str, message: str, options: PlanOptions
) -> list[Preparation]:
    view = manager.view(conversation)
    begun: dict[str, Preparation] = {}
    plain = PrepareOptions(force_tier=options.force_tier, specific_pages=options.specific_pages)
    for ref in refs:
        each = manager.begin(ref, conversation, model, message, options=plain)
        begun.setdefault(each.material.document.id, each)
    together = len({*begun, *(state.document_id for state in view.states.values() if state.first_sent_at is not None)})
    made = []
    for place, each in enumerate(begun.values()):
        asked = replace(plain, documents=together)
        if options.workflow is not None and options.force_tier is None and options.specific_pages is None:
            asked = workflow_options(options.workflow, each, place=place, plain=asked)
        made.append(replace(each, options=asked))
    return made


def _allocate(begun: Sequence[Preparation], available: int) -> list[Draft | None]:
    """Choose a draft for each document so that the sum fits the budget; None for a document that does not fit."""
    ladders = [each.ladder() for each in begun]
    steps = [0] * len(begun)
    order = _least_relevant_first(begun)

    def total() -> int:
        return sum(ladder[step].tokens for ladder, step in zip(ladders, steps, strict=True))

    for depth in range(1, max(map(len, ladders))):
        for place in order:
            if total() <= available:
                break
            if steps[place] < depth < len(ladders[place]):
                steps[place] = depth
    chosen: list[Draft | None] = [ladder[step] for ladder, step in zip(ladders, steps, strict=True)]
    for place in order:
        if sum(draft.tokens for draft in chosen if draft is not None) <= available:
            break
        chosen[place] = None
    return chosen


def _least_relevant_first(begun: Sequence[Preparation]) -> list[int]:
    def rank(place: int) -> tuple[str, int, int]:
        each = begun[place]
        state = each.view.states.get(each.material.document.id)
        recent = (
            state.last_sent_at if state is not None and state.last_sent_at else "~"
        )  # documents not sent yet sort after every time
        return recent, -each.maker.naive_tokens, -place

    return sorted(range(len(begun)), key=rank)


def _suggestions(begun: Sequence[Preparation], chosen: Sequence[Draft | None], available: int) -> tuple[str, ...]:
    """Titles to remove so that the others need no shorter form; empty if no document was shortened."""
    wanted = sum(each.draft.tokens for each in begun)
    if all(draft is each.draft for each, draft in zip(begun, chosen, strict=True)):
        return ()
    removed = []
    for place in _least_relevant_first(begun)[:-1]:
        if wanted <= available:
            break
        wanted -= begun[place].draft.tokens
        removed.append(begun[place].material.title)
    return tuple(removed)


def _left_out(each: Preparation) -> Notice:
    return Notice(
        kind="document_left_out",
        message=f"{each.material.title}: it is left out, because not even its shortest form fits",
        document_id=each.material.document.id,
    )


def _named(begun: Sequence[Preparation]) -> str:
    return begun[0].material.title if len(begun) == 1 else f"the {len(begun)} documents"
