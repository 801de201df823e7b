"""What language models were sent, what tiers and caches saved, which documents cost most, and advice (UI-6)."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec

from octavo_contracts import UsageError
from octavo_library.facade.lookup import asker_of
from octavo_library.storage import DocumentUsage, time_text
from pydantic import Field

from ..screen import Query, Reader, Screen, View

MOST_DOCUMENTS = 20
OFTEN = 3
"""Conversations from which an upload to the provider is advised (003 §24.2)."""


class UsageQuery(Query):
    """A period."""

    days: int = Field(
        default=30, ge=1, le=3_650, description="Conversations whose last send is at most so many days old."
    )


class DocumentUsageView(View):
    """A document that was sent."""

    name: str = Field(description="Its name.")
    url: str = Field(description="Its page.")
    conversations: int = Field(description="Conversations in which it was sent.")
    tokens: int = Field(description="Tokens that were sent.")
    saved: int = Field(description="Tokens that tiers and caches saved.")
    cost: float | None = Field(
        description="At most so many USD: the price of uncached tokens; null if a price is unknown."
    )


class UsageView(View):
    """Usage of documents by language models."""

    query: UsageQuery = Field(description="The query.")
    conversations: int = Field(description="Pairs of a document and a conversation.")
    tokens: int = Field(description="Tokens that were sent for documents.")
    saved: int = Field(description="Tokens that sending whole documents each time would have taken besides.")
    saved_share: float | None = Field(description="Share of the tokens that was saved, 0..1; null without any.")
    cost: float | None = Field(description="At most so many USD; null if no price is known.")
    cached_share: float | None = Field(
        description="Share of the last sends that used the prompt cache; null without any."
    )
    tiers: dict[str, int] = Field(description="Tier → tokens.")
    models: dict[str, int] = Field(description="Model → tokens.")
    costliest: list[DocumentUsageView] = Field(description="Documents with the most tokens.")
    flags: dict[str, int] = Field(description="Degraded flag → number of documents.")
    accepted: int = Field(description="Documents that a user accepted with their flags.")
    advice: list[str] = Field(description="What would save tokens, or improve what models read.")


def build(reader: Reader, query: UsageQuery) -> UsageView:
    """Sum up usage."""
    library = reader.library
    _, policy = asker_of(library.context, reader.corpus, None)
    since = time_text(datetime.now(UTC) - timedelta(days=query.days))
    found = library.context.index.conversations.usage(since=since, policy=policy)
    by_document: dict[str, list[DocumentUsage]] = defaultdict(list)
    tiers: dict[str, int] = defaultdict(int)
    models: dict[str, int] = defaultdict(int)
    for one in found:
        by_document[one.document_id].append(one)
        tiers[str(one.tier)] += one.tokens_sent
        models[one.model or "unknown"] += one.tokens_sent
    prices = _prices(reader, {one.model for one in found if one.model is not None})
    listed = sorted(by_document.items(), key=lambda item: (-sum(one.tokens_sent for one in item[1]), item[0]))
    costliest = [
        view for document_id, uses in listed[:MOST_DOCUMENTS] if (view := _document(reader, document_id, uses, prices))
    ]
    tokens, saved = sum(one.tokens_sent for one in found), sum(one.tokens_saved for one in found)
    conversations = sum(one.conversations for one in found)
    flags = library.catalogue.extent(corpus=reader.corpus).flags
    return UsageView(
        query=query,
        conversations=conversations,
        tokens=tokens,
        saved=saved,
        saved_share=saved / (tokens + saved) if tokens + saved else None,
        cost=_cost(found, prices),
        cached_share=sum(one.cached for one in found) / conversations if conversations else None,
        tiers=dict(sorted(tiers.items())),
        models=dict(sorted(models.items(), key=lambda item: (-item[1], item[0]))),
        costliest=costliest,
        flags=flags,
        accepted=reader.counts.counts(library.catalogue, reader.corpus).accepted,
        advice=_advice(costliest, flags),
    )


def _document(
    reader: Reader, document_id: str, uses: list[DocumentUsage], prices: dict[str, float]
) -> DocumentUsageView | None:
    catalogue = reader.library.catalogue
    try:
        name = catalogue.name_of(catalogue.find(document_id, corpus=reader.corpus))
    except UsageError:  # not the asker's, or purged meanwhile
        return None
    return DocumentUsageView(
        name=name,
        url=f"/documents/{document_id}",
        conversations=sum(one.conversations for one in uses),
        tokens=sum(one.tokens_sent for one in uses),
        saved=sum(one.tokens_saved for one in uses),
        cost=_cost(uses, prices),
    )


def _prices(reader: Reader, models: set[str]) -> dict[str, float]:
    """Model → price of an input token in USD, of the models whose price is known; needs octavo-context."""
    if not models or find_spec("octavo_context") is None:
        return {}
    from octavo_context import ModelRegistry

    registry = ModelRegistry(reader.library.context.runtime.settings.context.models)
    known = {name: registry.get(name).price for name in models}
    return {name: price.input / 1e6 for name, price in known.items() if price is not None}


def _cost(uses: tuple[DocumentUsage, ...] | list[DocumentUsage], prices: dict[str, float]) -> float | None:
    if not uses or any(one.model not in prices for one in uses):
        return None
    return sum(one.tokens_sent * prices[one.model or ""] for one in uses)


def _advice(costliest: list[DocumentUsageView], flags: dict[str, int]) -> list[str]:
    found = [
        f"{one.name} was sent in {one.conversations} conversations: upload it to the provider once, or mark it as a reference"
        for one in costliest
        if one.conversations >= OFTEN
    ]
    if waiting := flags.get("ocr_needed"):
        found.append(f"{waiting} document{'' if waiting == 1 else 's'} with unread scanned pages: recognise them")
    if garbled := flags.get("tables_garbled"):
        found.append(
            f"{garbled} document{'' if garbled == 1 else 's'} with garbled tables: convert them again, heavier"
        )
    return found


SCREEN = Screen(
    path="/usage",
    template="usage.html",
    summary="Show what language models were sent, what was saved, and which documents cost most.",
    query=UsageQuery,
    view=UsageView,
    build=build,
)
