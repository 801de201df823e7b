"""What one call leaves for the next: nothing it could see, and no answer given ahead of its question."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import pytest
from octavo_contracts import RetryableToolFailure
from octavo_sandbox import SourceHandle, WorkerPool

MakePool = Callable[..., WorkerPool]
OpenSource = Callable[..., SourceHandle]
LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="/proc is needed to see what a worker holds open")


def test_an_answer_that_lies_ready_before_the_call_is_thrown_away(make_pool: MakePool) -> None:
    """The next document must not be given what the one before had made up for it."""
    pool = make_pool(size=1)
    liar = pool.run("sandbox_tasks:answer_ahead", b"0.1").payload
    time.sleep(0.5)
    assert pool.run("sandbox_tasks:echo", b"honest").payload == b"honest"
    assert pool.run("sandbox_tasks:pid", b"").payload != liar


def test_an_answer_without_the_calls_own_nonce_is_not_believed(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    pool.run("sandbox_tasks:answer_ahead", b"0.5")
    with pytest.raises(RetryableToolFailure, match="sent invalid data"):
        pool.run("sandbox_tasks:sleep", b"5")


@LINUX_ONLY
@pytest.mark.parametrize("what", ["descriptor", "copy", "memory"])
def test_a_worker_that_holds_on_to_the_document_is_replaced(
    make_pool: MakePool, open_source: OpenSource, what: str
) -> None:
    pool = make_pool(size=1)
    holder = pool.run("sandbox_tasks:keep", what.encode(), source=open_source(b"secret")).payload
    assert pool.run("sandbox_tasks:pid", b"").payload != holder


@pytest.mark.parametrize("what", ["stream", "cycle"])
def test_what_a_tool_forgot_to_close_is_closed_with_its_call(
    make_pool: MakePool, open_source: OpenSource, what: str
) -> None:
    """An untidy tool does not cost a new worker for every document."""
    pool = make_pool(size=1)
    holder = pool.run("sandbox_tasks:keep", what.encode(), source=open_source(b"text")).payload
    assert pool.run("sandbox_tasks:pid", b"").payload == holder


def test_nothing_is_left_in_the_home_folder(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    first, *nothing = json.loads(pool.run("sandbox_tasks:leave_notes", b"home").payload)
    second, *left = json.loads(pool.run("sandbox_tasks:leave_notes", b"home").payload)
    assert (nothing, left) == ([], [])
    assert first == second


def test_a_worker_that_writes_beside_its_folders_is_replaced(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    untidy = json.loads(pool.run("sandbox_tasks:leave_notes", b"beside").payload)[0]
    assert int(pool.run("sandbox_tasks:pid", b"").payload) != untidy
