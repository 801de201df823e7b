"""Interface between digestors and summarisers, and checks of a plugin's results (DIG-18)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from octavo_contracts import ContractViolation, Summariser, Summary
from octavo_text.canonical import CanonicalText

from .summarising import ExtractiveSummariser

Offload = Callable[..., Any]
"""Runs a function outside the event loop and returns an awaitable of its result, like `asyncio.to_thread`."""


@runtime_checkable
class AsyncSummariser(Protocol):
    """A summariser that waits asynchronously and can be cancelled at once."""

    @property
    def identity(self) -> str:
        """Name with everything that changes the output: model, prompt version. Part of the cache key."""

    async def asummarise(self, text: str, *, query: str, max_chars: int = 2000) -> Summary:
        """Summarise a canonical text for a query."""


def identity_of(summariser: Summariser | AsyncSummariser) -> str:
    """Return the identity of a summariser's output."""
    if isinstance(summariser, AsyncSummariser):
        return summariser.identity
    if isinstance(summariser, ExtractiveSummariser):
        return "extractive/v1"
    return f"{type(summariser).__module__}.{type(summariser).__qualname__}"


async def summarise(
    summariser: Summariser | AsyncSummariser, text: CanonicalText, query: str, *, offload: Offload
) -> Summary:
    """Call a summariser; a blocking one runs in a thread.

    Raises:
        ContractViolation: the result is not a summary.
        Exception: any exception of the summariser.
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
        RuntimeError: it raised an exception that a future cannot deliver (the caller would wait for a StopIteration until
            the deadline) or that would end the host.
        Exception: any other exception that it raises.
    """
    try:
        return function(*arguments, **named)
    except (StopIteration, GeneratorExit, SystemExit) as error:
        raise RuntimeError(f"a plugin raised {type(error).__name__}") from error


def checked(summary: object) -> Summary:
    """Return the result of a plugin's summariser if it is a valid summary.

    Raises:
        ContractViolation: the result is not a summary, or its texts are not strings.
    """
    if not isinstance(summary, Summary):
        raise ContractViolation(f"the summariser returned {type(summary).__name__}, not a Summary")
    points = summary.key_points
    if not isinstance(points, tuple | list) or not all(
        isinstance(text, str) for text in (summary.text, summary.method, *points)
    ):
        raise ContractViolation("the summariser returned a Summary whose text, method or key points are not strings")
    return summary
