"""A loop whose time is the test's, and the sources and doubles that the tests share."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from octavo_contracts import Summary
from octavo_digest import AuditEvent, DocumentDigestor, Source, SourceQuality

T = TypeVar("T")

SECRET = "sk-planted-7731-do-not-tell"
LINES = [
    f"On day {day} the gauge in harbour {day % 7} measured a surge of {day * 3 % 50} centimetres, and the keeper "
    f"wrote that the wind of force {day % 9} had come from the west. The log was signed by keeper {day % 3}."
    for day in range(1, 80)
]
TEXT = "\n\n".join([*LINES[:40], f"The password of the lighthouse is {SECRET}.", *LINES[40:]])
QUERY = "surge measured in harbour 3"


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop that never waits: when nothing is ready, its time jumps to the next thing that is due."""

    def __init__(self) -> None:
        super().__init__(_NeverWaiting(self))
        self.now = 1_000.0

    def time(self) -> float:
        return self.now


class _NeverWaiting(selectors.DefaultSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        if timeout is not None and timeout > 0:
            self._loop.now += timeout
        return super().select(0 if timeout is not None else None)


@dataclass
class Clock:
    """Seconds that pass when the loop's do, or when a test says so."""

    loop: VirtualLoop

    def __call__(self) -> float:
        return self.loop.now

    def advance(self, seconds: float) -> None:
        self.loop.now += seconds


async def inline(function: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """Computing takes no time here: it is done at once, on the loop."""
    return function(*arguments, **named)


@dataclass
class Writer:
    """A summariser that waits, fails or answers as it is told, and counts how often it was asked.

    Named for what it is: a double. The real ones are tested in test_digest_llm.py and in the core.
    """

    seconds: float = 0.0
    error: BaseException | None = None
    identity: str = "double/v1"
    asked: list[tuple[str, str]] = field(default_factory=list, repr=False)
    at_once: int = 0
    most_at_once: int = 0

    async def asummarise(self, text: str, *, query: str, max_chars: int = 2000) -> Summary:
        self.asked.append((text, query))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.at_once -= 1
        if self.error is not None:
            raise self.error
        return Summary(text=f"About {query}.", key_points=("It was high.",), method="double")


@dataclass
class Made:
    """A digestor and what it told."""

    digestor: DocumentDigestor
    writer: Writer
    events: list[AuditEvent]
    clock: Clock

    def names(self) -> list[str]:
        return [event.name for event in self.events]


def source(number: int = 1, **fields: Any) -> Source:
    defaults: dict[str, Any] = {
        "content": f"{TEXT} Number {number}.",
        "url": f"https://example.org/{number}",
        "quality": SourceQuality.HIGH,
    }
    return Source(**{**defaults, **fields})
