"""What crosses between host and worker, and what a worker finds around it."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable

import pytest
from octavo_contracts import (
    ContractViolation,
    ConverterCrashed,
    RetryableToolFailure,
    SourceCorrupt,
    ToolUnavailable,
    UsageError,
)
from octavo_sandbox import SandboxLimits, WorkerPool

PARALLEL_CALLS = 8


@pytest.mark.parametrize("payload", [b"", b"text", b"\x80not\xffpickle\x00", b"x" * 3_000_000])
def test_bytes_come_back_as_they_went(shared_pool: WorkerPool, payload: bytes) -> None:
    assert shared_pool.run("sandbox_tasks:echo", payload).payload == payload


def test_a_reply_tells_its_time_and_memory(shared_pool: WorkerPool) -> None:
    reply = shared_pool.run("sandbox_tasks:sleep", b"0.05")
    assert 50 <= reply.duration_ms < 5000
    assert 5 < reply.peak_rss_mb < 500


def test_a_worker_has_a_clean_environment(shared_pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    """security.md, "While parsing": nothing of the user's environment, one thread a library, one seed."""
    monkeypatch.setenv("PLANTED_SECRET", "hunter2")
    facts = json.loads(shared_pool.run("sandbox_tasks:surroundings", b"").payload)
    assert "PLANTED_SECRET" not in facts["environ"]
    assert facts["environ"]["OMP_NUM_THREADS"] == "1"
    assert facts["environ"]["TZ"] == "UTC"
    assert facts["environ"]["HF_HUB_OFFLINE"] == "1"
    assert facts["environ"]["ORT_DISABLE_TELEMETRY"] == "1"
    assert facts["environ"]["PYDANTIC_DISABLE_PLUGINS"] == "__all__"
    assert facts["environ"]["HOME"] != os.environ.get("HOME")
    assert facts["session"]
    assert facts["umask"] == 0o077
    assert facts["stdin"] == ""
    assert facts["safe_path"]
    assert not facts["user_site"]


def test_settings_of_the_arithmetic_library_pass_through(
    make_pool: Callable[..., WorkerPool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    facts = json.loads(make_pool(size=1).run("sandbox_tasks:surroundings", b"").payload)
    assert facts["environ"]["OPENBLAS_CORETYPE"] == "Haswell"


def test_each_call_gets_an_empty_folder_to_work_in(shared_pool: WorkerPool) -> None:
    for _ in range(3):
        facts = json.loads(shared_pool.run("sandbox_tasks:surroundings", b"kept?").payload)
        assert facts["left"] == []
        assert facts["cwd"] == facts["work_dir"] == facts["temp"]
        assert 0 < facts["remaining"] <= 300


def test_hashes_are_the_same_in_every_worker(make_pool: Callable[..., WorkerPool]) -> None:
    pool = make_pool(size=1, recycle_after=1)
    seen = {json.loads(pool.run("sandbox_tasks:surroundings", b"").payload)["hash"] for _ in range(2)}
    assert len(seen) == 1


def test_a_typed_error_crosses_with_all_its_fields(shared_pool: WorkerPool) -> None:
    with pytest.raises(SourceCorrupt) as caught:
        shared_pool.run("sandbox_tasks:typed_error", b"")
    error = caught.value
    assert (error.message, error.source, error.plugin, error.page, error.remedy) == (
        "the trailer is missing", "a.pdf", "pdfium", 3, "Save it again",
    )  # fmt: skip
    assert "in typed_error" in vars(error)["worker_traceback"]


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("untyped_error", "raised ValueError: seven is no page"),
        ("unprintable_error", "raised Unprintable: (its message cannot be formatted)"),
        ("system_exit", "raised SystemExit: enough"),
        ("text", "raised TypeError: sandbox_tasks:text returned str instead of bytes"),
    ],
)
def test_an_untyped_error_is_a_crash_of_the_tool(shared_pool: WorkerPool, task: str, message: str) -> None:
    with pytest.raises(ConverterCrashed) as caught:
        shared_pool.run(f"sandbox_tasks:{task}", b"")
    assert not isinstance(caught.value, RetryableToolFailure)
    assert caught.value.message == f"sandbox_tasks:{task} {message}"
    assert "Traceback" not in str(caught.value)
    assert "Traceback" in vars(caught.value)["worker_traceback"]


def test_an_error_that_breaks_the_contract_is_named_so(shared_pool: WorkerPool) -> None:
    with pytest.raises(ContractViolation, match="malformed SourceCorrupt"):
        shared_pool.run("sandbox_tasks:malformed_error", b"")


def test_a_worker_outlives_an_error(make_pool: Callable[..., WorkerPool]) -> None:
    pool = make_pool(size=1)
    before = pool.run("sandbox_tasks:pid", b"").payload
    with pytest.raises(SourceCorrupt):
        pool.run("sandbox_tasks:typed_error", b"")
    assert pool.run("sandbox_tasks:pid", b"").payload == before


@pytest.mark.parametrize("function", ["sandbox_tasks:nothing", "no_such_module:echo", "sandbox_tasks"])
def test_a_function_that_is_not_there_is_an_unavailable_tool(shared_pool: WorkerPool, function: str) -> None:
    with pytest.raises(ToolUnavailable, match=function):
        shared_pool.run(function, b"")


def test_what_a_tool_prints_reaches_nobody(shared_pool: WorkerPool, capfd: pytest.CaptureFixture[str]) -> None:
    assert shared_pool.run("sandbox_tasks:print_much", b"3").payload == b"done"
    assert capfd.readouterr() == ("", "")


def test_a_tool_that_only_prints_is_stopped(shared_pool: WorkerPool) -> None:
    with pytest.raises(ConverterCrashed, match="printed more than"):
        shared_pool.run("sandbox_tasks:print_much", b"1000", limits=SandboxLimits(output_bytes=1 << 20))


def test_calls_of_many_threads_do_not_mix(shared_pool: WorkerPool) -> None:
    answers: dict[int, bytes] = {}

    def call(number: int) -> None:
        answers[number] = shared_pool.run("sandbox_tasks:echo", bytes([number]) * 1000).payload

    threads = [threading.Thread(target=call, args=(number,)) for number in range(PARALLEL_CALLS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: bytes([number]) * 1000 for number in range(PARALLEL_CALLS)}


@pytest.mark.parametrize("limit", [{"wall_seconds": 0}, {"memory_mb": -1}, {"wall_seconds": float("inf")}])
def test_a_limit_that_limits_nothing_is_refused(limit: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=next(iter(limit))):
        SandboxLimits(**limit)  # type: ignore[arg-type]  # a float where MiB are whole is refused too
