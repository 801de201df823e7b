"""A source's deadline ends the threads that compute for it too: no thread can be stopped from outside (DIG-20)."""

from __future__ import annotations

import asyncio
import gc
import warnings

import pytest
from octavo_digest import DigestConfig, DigestPolicy, DocumentDigestor, Source, digest_batch


def digestor() -> DocumentDigestor:
    return DocumentDigestor(config=DigestConfig(policy=DigestPolicy.ALWAYS, archive_content=False, timeout=0.1))


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        ("." * 8_000_000, "text/plain"),
        ("The tide was read. " * 400_000, "text/plain"),
        ("<p>tide" * 800_000, "text/html"),
    ],
)
def test_a_source_that_takes_too_long_fails_and_leaves_no_thread_at_work(content: str, content_type: str) -> None:
    """`asyncio.run` waits for its threads: one that went on after the deadline held the process for minutes."""
    source = Source(id="s", content=content, content_type=content_type)
    result = asyncio.run(digestor().digest(source, "tide"))
    assert (result.status, result.reason, result.payload) == ("failed", "timeout", None)


def test_a_batch_leaves_such_a_source_as_it_is() -> None:
    told = " ".join(f"The tide gauge w{number} was read at noon." for number in range(60))
    sources = [Source(id="long", content="." * 8_000_000), Source(id="short", content=told)]
    items = asyncio.run(digest_batch(digestor(), sources, "tide"))
    assert items[0].result is not None
    assert items[0].result.reason == "timeout"
    assert items[0].source is sources[0]


def test_the_canonical_text_of_a_source_is_made_once() -> None:
    from octavo_digest.digestor import canonical_of

    source = Source(id="s", content="<p>tide", content_type="text/html")
    assert canonical_of(source) is canonical_of(source)


def test_a_deadline_before_the_summary_begins_leaves_no_coroutine_behind() -> None:
    """A task that is cancelled before its first step never awaits a coroutine that was handed to it (DIG-20)."""
    from octavo_digest.digestor import _apart

    begun = []

    async def summary() -> None:
        begun.append(True)

    async def cancelled_at_once() -> None:
        task = asyncio.ensure_future(_apart(summary))
        await asyncio.sleep(0)  # the task of its own is made, and has not begun
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(cancelled_at_once())
        gc.collect()
    assert not begun
