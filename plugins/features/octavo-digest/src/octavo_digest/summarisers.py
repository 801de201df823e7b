"""What a digestor needs of a summariser, and the one that needs no model (DIG-18)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from octavo.text.canonical import CanonicalText
from octavo_contracts import ContractViolation, Summariser, Summary

from .summarising import ExtractiveSummariser

Offload = Callable[..., Any]
"""Runs a function away from the event loop and gives an awaitable of its result: `asyncio.to_thread`, or a test's own."""


@runtime_checkable
class AsyncSummariser(Protocol):
    """A summariser that waits without a thread, and so can be cancelled at once."""

    @property
    def identity(self) -> str:
        """Its name with everything that changes what it says: model, prompt version. Part of the cache's key."""

    async def asummarise(self, text: str, *, query: str, max_chars: int = 2000) -> Summary:
        """Summarise a canonical text for a query."""


def identity_of(summariser: Summariser | AsyncSummariser) -> str:
    """What tells one summariser's output from another's."""
    if isinstance(summariser, AsyncSummariser):
        return summariser.identity
    if isinstance(summariser, ExtractiveSummariser):
        return "extractive/v1"
    return f"{type(summariser).__module__}.{type(summariser).__qualname__}"


async def summarise(
    summariser: Summariser | AsyncSummariser, text: CanonicalText, query: str, *, offload: Offload
) -> Summary:
    """Summarise with whatever summariser there is; one that blocks does so in a thread.

    Raises:
        ContractViolation: what came back is no summary.
        Exception: whatever the summariser raises.
    """
    if isinstance(summariser, AsyncSummariser):
        return checked(await summariser.asummarise(text.text, query=query))
    if isinstance(summariser, ExtractiveSummariser):
        summary: Summary = await offload(summariser.summarise_text, text, query=query)
        return summary
    return checked(await offload(called, summariser.summarise, text.text, query=query))


def called(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call a plugin's function in a thread.

    Raises:
        RuntimeError: it raised what no future delivers (a StopIteration would be waited for until the deadline) or what
            would end the host.
        Exception: whatever else it raises.
    """
    try:
        return function(*arguments, **named)
    except (StopIteration, GeneratorExit, SystemExit) as error:
        raise RuntimeError(f"a plugin raised {type(error).__name__}") from error


def checked(summary: object) -> Summary:
    """What a plugin's summariser returned, if it is a summary.

    Raises:
        ContractViolation: it is none, or its texts are no texts.
    """
    if not isinstance(summary, Summary):
        raise ContractViolation(f"the summariser returned {type(summary).__name__}, not a Summary")
    points = summary.key_points
    if not isinstance(points, tuple | list) or not all(
        isinstance(text, str) for text in (summary.text, summary.method, *points)
    ):
        raise ContractViolation("the summariser returned a Summary whose text, method or key points are no texts")
    return summary
