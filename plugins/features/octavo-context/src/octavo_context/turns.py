"""Records turns of conversations for the metrics: their tokens by part, cost and latency (MET-1)."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_contracts import UsageError
from octavo_library import Library
from octavo_library.ingestion.use_events import TurnRecorded

from .models import ModelRegistry
from .tiers import Tier


@dataclass(frozen=True, kw_only=True)
class TurnTokens:
    """Tokens of one turn, by part. Nothing else of the turn is recorded.

    Attributes:
        documents: of documents, without their markers.
        message: of the user's message and of the turns before it.
        system: of the system prompt and of tool schemas.
        markers: of markers around documents and memories.
    """

    documents: int = 0
    message: int = 0
    system: int = 0
    markers: int = 0


def record_turn(
    library: Library,
    model: str,
    tokens: TurnTokens,
    *,
    tier: Tier | None = None,
    seconds: float | None = None,
    registry: ModelRegistry | None = None,
) -> None:
    """Count a turn of a conversation in the library's metrics.

    Args:
        library: the library.
        model: the model, for its price.
        tokens: tokens of the turn.
        tier: the lowest tier of the documents that were sent; None without any.
        seconds: from the message to the first token of the answer; None if it was not measured.
        registry: the models; None: the shipped ones.

    Raises:
        UsageError: a number is negative, or the tier does not exist.
    """
    parts = (tokens.documents, tokens.message, tokens.system, tokens.markers)
    if min(parts) < 0 or tier not in (None, 1, 2, 3) or (seconds is not None and not seconds >= 0):
        raise UsageError(
            f"tokens and seconds must be at least 0 and tier 1, 2 or 3, got {parts}, {seconds} and {tier}",
            remedy="Give the numbers of one turn",
        )
    prices = (registry or ModelRegistry()).get(model)
    library.context.events.emit(
        TurnRecorded(
            documents=tokens.documents,
            message=tokens.message,
            system=tokens.system,
            markers=tokens.markers,
            tier=tier,
            seconds=seconds,
            document_cost=prices.cost(tokens.documents),
            other_cost=prices.cost(sum(parts) - tokens.documents),
        )
    )
