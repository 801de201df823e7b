"""Fixtures of the digest's tests; what they are made of stands in digest_doubles.py."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # tests are imported by path: what they share has to be found

from digest_doubles import Clock, Made, VirtualLoop, Writer, inline
from octavo_digest import AuditEvent, DigestConfig, DigestPolicy, DocumentDigestor, Observer

T = TypeVar("T")


@pytest.fixture
def loop() -> Any:
    made = VirtualLoop()
    yield made
    made.close()


@pytest.fixture
def run(loop: VirtualLoop) -> Callable[[Awaitable[T]], T]:
    """Runs something to its end in the loop of the test."""

    def call(work: Awaitable[T]) -> T:
        async def main() -> T:
            return await work

        return loop.run_until_complete(main())

    return call


@pytest.fixture
def make(loop: VirtualLoop) -> Callable[..., Made]:
    def build(writer: Writer | None = None, *, others: dict[str, Any] | None = None, **config: Any) -> Made:
        events: list[AuditEvent] = []
        used = writer or Writer()
        clock = Clock(loop)
        settings = DigestConfig(**{"policy": DigestPolicy.ALWAYS, **config})
        digestor = DocumentDigestor(
            used,
            config=settings,
            observer=Observer(events=events.append),
            clock=clock,
            offload=inline,
            **(others or {}),
        )
        return Made(digestor, used, events, clock)

    return build
