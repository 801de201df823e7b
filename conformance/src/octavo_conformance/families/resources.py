"""OC-TIME and OC-MEM: time and memory stay within the declared limits."""

from __future__ import annotations

import time
from collections.abc import Callable

from octavo_contracts import Capability, ConversionTimeout, DegradedFlag
from octavo_sandbox import SandboxLimits

from ..budget import Budget
from ..checks import Broken, check
from ..evidence import Facts, Observed, describe, growth_mb, page_texts
from ..subject import Subject
from ..targets import QUICK
from ..vectors import GoldenVector, words_of
from ..vectors.stored import FAMILIES


@check("OC-TIME-001", scope="golden", level=2, spec=("ENG-11",), requires=("OC-SCHEMA-002",), hook="convert")
def small_documents_are_quick(subject: Subject, vector: GoldenVector) -> None:
    """A golden vector, under 200 KB, converts within ten seconds in a warm worker.

    Fix:
    Load models once per process and keep them; look for retries and sleeps.
    """
    limit = subject.budget.convert_seconds
    seen = subject.convert(vector)
    seconds = seen.seconds if seen.seconds < limit else subject.convert_again(vector).seconds
    if seconds >= limit:
        raise Broken("the conversion is slow", expected=f"under {limit:g} s", actual=f"{seconds:.1f} s")


@check("OC-TIME-002", scope="plugin", level=2, spec=("ENG-11",), requires=("OC-LOAD-002",))
def declared_deadline_is_allowed(subject: Subject) -> None:
    """The wall time requested in the manifest is not above the host's five minutes.

    Fix:
    Lower `timeout_seconds` under `[plugin.limits]`, or remove it.
    """
    asked, allowed = subject.manifest.limits.timeout_seconds, SandboxLimits().wall_seconds
    if asked is not None and asked > allowed:
        raise Broken(
            "the manifest requests more time than hosts allow", expected=f"at most {allowed:g} s", actual=f"{asked:g} s"
        )


@check(
    "OC-TIME-004",
    scope="golden",
    level=2,
    spec=("ENG-11", "QLT-2"),
    requires=("OC-SCHEMA-002",),
    hook="convert",
    vectors="family",
)
def deadlines_cut_nothing_in_silence(subject: Subject, vector: GoldenVector) -> None:
    """With no time left the hook returns its full answer, raises ConversionTimeout, or warns `partial_conversion`.

    Fix:
    If you check `context.deadline`, raise ConversionTimeout once it has passed, or add the warning.
    Pass `context.remaining()` to programs, and turn their timeout into ConversionTimeout.
    """
    seen = subject.convert_again(vector, seconds=0.0)
    if isinstance(seen.error, ConversionTimeout):
        return
    if seen.error is not None:
        raise Broken(
            "a passed deadline raises another error", expected="ConversionTimeout", actual=describe(seen.error)
        )
    late = seen.conversion()
    if DegradedFlag.PARTIAL_CONVERSION.value in {warning.code for warning in late.warnings}:
        return
    found, whole = (
        [words_of(text) for text in page_texts(conversion)]
        for conversion in (late, subject.convert(vector).conversion())
    )
    if found != whole:
        raise Broken(
            "the answer is truncated without a warning",
            expected=f"{sum(map(len, whole))} words on {len(whole)} pages, or ConversionTimeout",
            actual=f"{sum(map(len, found))} words on {len(found)} pages",
        )


@check(
    "OC-TIME-005",
    scope="golden",
    level=2,
    spec=("ENG-11",),
    requires=("OC-TIME-001",),
    hook="convert",
    vectors="family",
    lacks=Capability.SUBPROCESS,
)
def calls_do_not_wait(subject: Subject, vector: GoldenVector) -> None:
    """In a warm worker a call is not idle for a second: it waits for nothing but the processor.

    Fix:
    Remove sleeps, retries and locks; let threads that you join do work.
    """
    expect_no_idling(lambda: subject.convert_again(vector), subject.budget.idle_seconds)


def expect_no_idling(call: Callable[[], Observed], limit: float) -> None:
    """Raise if each of three calls is idle for too long: one may be, on a machine that has other work.

    Raises:
        Broken: they are.
    """
    shortest = limit
    for _ in range(3):
        facts = call().facts
        shortest = facts.idle_seconds if facts else 0.0
        if shortest < limit:
            return
    raise Broken("the hook waits", expected=f"idle for less than {limit:g} s", actual=f"{shortest:.1f} s")


@check(
    "OC-MEM-001",
    scope="golden",
    level=2,
    spec=("ENG-11",),
    requires=("OC-SCHEMA-002",),
    hook="convert",
    vectors="family",
)
def memory_is_as_declared(subject: Subject, vector: GoldenVector) -> None:
    """In a warm worker, the peak memory of a call stays within the limit in the manifest.

    Fix:
    Raise `memory_mb` under `[plugin.limits]` (at most 4096), or read the document in pieces.
    """
    allowed = subject.manifest.limits.memory_mb or SandboxLimits().memory_mb
    warm = subject.convert_again(vector)
    again = subject.convert_again(vector)
    base = warm.facts.resident_mb if warm.facts else 0.0
    used = again.peak_rss_mb - base
    if base and used > allowed:
        raise Broken(
            "the hook uses more memory than the manifest declares", expected=f"{allowed} MiB", actual=f"{used:.0f} MiB"
        )


@check(
    "OC-MEM-002",
    scope="golden",
    level=2,
    spec=("ENG-11", "ENG-13"),
    requires=("OC-MEM-001",),
    hook="convert",
    vectors="family",
)
def memory_does_not_grow(subject: Subject, vector: GoldenVector) -> None:
    """Repeated conversions of one document, ten to fifty, do not increase the worker's memory.

    Nothing is said of formats of which the suite stores no document, and a short one takes longer than 0.7 seconds.

    Fix:
    Close the engine's documents, pages and bitmaps; limit the size of every cache.
    """
    # The first call may load the engine.
    if vector.family not in FAMILIES and min(subject.convert_again(vector).seconds for _ in range(2)) > QUICK:
        return
    growth = _growth(subject, vector)
    limit = subject.budget.growth_mb / 2
    if growth > limit:
        # An allocator may grow once; a leak keeps growing.
        growth = min(growth, _growth(subject, vector))
    if growth > limit:
        raise Broken(
            "the worker's memory grows",
            expected=f"under {limit:g} MiB in half of the calls",
            actual=f"{growth:.0f} MiB",
        )


def _growth(subject: Subject, vector: GoldenVector) -> float:
    """Growth of the memory in use in the second half of the repeats, MiB: the first half may fill permanent caches."""
    return growth_of(lambda: subject.convert_again(vector, pool=subject.second_pool), subject.budget)


def growth_of(call: Callable[[], Observed], budget: Budget) -> float:
    """Growth of the memory in use in the second half of repeated calls, MiB.

    A quick plugin is called more often, so that a small leak shows too.
    """
    calls: list[Facts] = []
    until = time.monotonic() + budget.repeat_seconds
    while len(calls) < budget.repeats or (len(calls) < budget.most_repeats and time.monotonic() < until):
        facts = call().facts
        if facts is None:
            return 0.0
        calls.append(facts)
    return growth_mb(calls)
