"""OC-MUT, OC-FS, OC-NET, OC-DET, OC-TIME and OC-MEM for the hooks other than `convert`: the same rules apply."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any

from octavo_contracts import Capability, EntityRequest, HookName, PageImage
from octavo_sandbox import SandboxLimits

from ..checks import Broken, check, expect_equal, expect_none
from ..evidence import Facts, Observed, describe, growth_mb
from ..hook_inputs import LABELS, image_of, inputs, long_input, page_image, recognition
from ..hook_series import make_series, series_of
from ..subject import Subject
from ..vectors.fresh_page import make_blank
from ..vectors.fresh_text import NAMESAKES, TO_COME, YEARLESS
from .isolation import accumulating
from .resources import expect_no_idling

_ANSWERS = ("OC-CLS-001", "OC-OCR-001", "OC-ENT-001", "OC-QUAL-001")
_REPEATS = ("OC-CLS-003", "OC-ENT-006", "OC-QUAL-004")


def _observed(subject: Subject) -> Iterator[tuple[HookName, Observed]]:
    for hook, arguments, vector in inputs(subject):
        yield hook, subject.call_once(hook, arguments, vector=vector)


def _facts(subject: Subject) -> Iterator[tuple[HookName, Facts]]:
    for hook, seen in _observed(subject):
        if seen.facts is not None:
            yield hook, seen.facts


@check("OC-MUT-004", scope="plugin", level=1, spec=("CNV-17", "ENG-11"), requires=_ANSWERS, beside=True)
def others_change_nothing(subject: Subject) -> None:
    """A hook other than `convert` leaves its arguments and the process unchanged.

    Fix:
    Copy an argument before you change it; change process state in a `try` and restore it in its `finally`.
    """
    found = [f"{hook}: {name}" for hook, facts in _facts(subject) for name in (*facts.changed_arguments, *facts.changed_state)]  # fmt: skip
    expect_none(found, "the hook changed its arguments or the process")


@check("OC-FS-004", scope="plugin", level=2, spec=("CNV-17", "ENG-11"), requires=_ANSWERS, beside=True)
def others_write_in_their_folder(subject: Subject) -> None:
    """A hook other than `convert` writes, and tries to write, only below its own folder, and leaves no file open.

    Fix:
    Write in `context.work_dir`; let the engine keep its caches below the worker's HOME.
    Open files in `with` blocks.
    """
    found = [f"{hook}: {name}" for hook, facts in _facts(subject) for name in (*facts.writes, *facts.kept_files)]
    expect_none(found, "the hook writes outside its folder or leaves files open")


@check(
    "OC-FS-005",
    scope="plugin",
    level=2,
    spec=("ENG-11",),
    requires=_ANSWERS,
    beside=True,
    lacks=Capability.SUBPROCESS,
)
def others_start_no_program(subject: Subject) -> None:
    """Without the capability `subprocess` a hook other than `convert` does not start programs or try to.

    Fix:
    Declare `subprocess` and the program under `[[plugin.system]]`, or use a library.
    """
    found = [f"{hook}: {name}" for hook, facts in _facts(subject) for name in facts.programs]
    expect_none(found, "the hook starts programs")


@check("OC-NET-002", scope="plugin", level=2, spec=("CNV-15", "DIG-27"), requires=_ANSWERS, beside=True)
def others_open_no_socket(subject: Subject) -> None:
    """A hook other than `convert` does not open sockets or resolve names, or try to.

    Fix:
    Switch off the engine's downloads, telemetry and model hubs; install models instead of fetching them in a call.
    Declare `network` and use `context.fetch`.
    """
    found = [f"{hook}: {name}" for hook, facts in _facts(subject) for name in facts.network]
    expect_none(found, "the hook uses the network")


@check(
    "OC-DET-003",
    scope="plugin",
    level=2,
    spec=("ENG-18",),
    requires=(*_ANSWERS, *_REPEATS),
    beside=True,
    deterministic=True,
)
def others_agree_over_processes(subject: Subject) -> None:
    """A hook other than `convert` gives the same answer in another process, except for time stamps.

    Fix:
    Remove random numbers, addresses and paths from answers; fix the model's seeds; sort the content of sets.
    """
    for hook, arguments, vector in inputs(subject):
        first = subject.call_once(hook, arguments, vector=vector)
        second = series_of(subject, hook).first
        if without_times(first) != without_times(second):
            raise Broken(
                f"{hook} gives different answers in two processes", expected=told_of(first), actual=told_of(second)
            )


@check(
    "OC-IDEM-004",
    scope="plugin",
    level=2,
    spec=("ENG-6", "ENG-18"),
    requires=("OC-DET-003",),
    beside=True,
    deterministic=True,
)
def others_answer_later_as_at_first(subject: Subject) -> None:
    """A hook other than `convert` gives the same answer again after calls with other pages, texts or documents.

    Fix:
    Keep no state between calls; let the input decide what a cache holds, not the number of calls.
    """
    for hook, _, _ in inputs(subject):
        for first, later in series_of(subject, hook).repeated:
            if without_times(first) != without_times(later):
                raise Broken(f"{hook} gives another answer later", expected=told_of(first), actual=told_of(later))


@check(
    "OC-DET-005",
    scope="plugin",
    level=2,
    spec=("ENG-18",),
    requires=("OC-DET-003", "OC-NET-002", "OC-FS-004"),
    beside=True,
    deterministic=True,
)
def others_do_not_depend_on_surroundings(subject: Subject) -> None:
    """Hash seed, time zone, locale, date, machine, user and home folder do not change the answer of another hook; it leaves nothing behind.

    Fix:
    Sort the content of sets; put neither the current time nor names of the machine or the user into the answer.
    Wait for the programs that you start; make temporary files in `context.work_dir`.
    """
    for hook, arguments, vector in inputs(subject):
        if hook == "extract_entities":
            # Dates without a year and dates to come tempt an extractor to ask the clock, and names that occur again to count.
            text = f"{YEARLESS} {arguments['text']} {NAMESAKES} {NAMESAKES} {NAMESAKES} {TO_COME}"
            arguments = {**arguments, "text": text}
            arguments["request"] = EntityRequest(labels=(*LABELS, "date"), threshold=0.5)
        first = subject.call_once(hook, arguments, vector=vector, key="elsewhere" if hook == "extract_entities" else "")
        other = subject.call_elsewhere(hook, arguments, vector=vector)
        if without_times(first) != without_times(other):
            raise Broken(
                f"{hook} gives another answer in other surroundings", expected=told_of(first), actual=told_of(other)
            )
        expect_none(other.facts.programs if other.facts else [], "processes are still running after the call")
        # A program's own libraries may look for a network; the sandbox refuses it.
        if Capability.SUBPROCESS not in subject.manifest.capabilities:
            expect_equal(other.facts.native_sockets if other.facts else 0, 0, "network sockets of native code")
        left = subject.outside.accumulating(partial(subject.call_elsewhere, hook, arguments, vector=vector))
        expect_none(left, "each call leaves files behind")


@check("OC-MEM-004", scope="plugin", level=2, spec=("ENG-11", "ENG-13"), requires=_ANSWERS, beside=True)
def others_leave_nothing_in_the_worker(subject: Subject) -> None:
    """Repeated calls of a hook other than `convert` increase neither the worker's memory, nor its threads, nor its open files.

    Nor do long texts, large documents and, of a quick recogniser, full pages increase threads and files, nor do pictures that
    cannot be read; nor do large blank pages, which take a recogniser no time, increase any of the three.

    Fix:
    End in a `finally` what a call has begun. Keep one model for all calls; close files, shut thread pools down, limit the size of every cache.
    """
    limit = subject.budget.growth_mb / 2
    for hook, _, _ in inputs(subject):
        calls = series_of(subject, hook)
        growth = calls.growth_mb
        if growth > limit:
            # An allocator may grow once; a leak keeps growing.
            growth = min(growth, make_series(subject, hook).growth_mb)
        if growth > limit:
            what = f"{growth:.0f} MiB"
            raise Broken(f"the worker's memory grows with {hook}", expected=f"under {limit:g} MiB", actual=what)
        further = _pages_without_words(subject, limit) if hook == "ocr" else []
        for facts in (calls.facts, _with_much_text(subject, hook), *further):
            for what, counts in (accumulating(facts) if facts else {}).items():
                raise Broken(f"{what} accumulate with {hook}", expected=f"about {counts[0]}", actual=counts[-1])


def _with_much_text(subject: Subject, hook: HookName) -> list[Facts]:
    """Return the side effects of the last call of the series, and of two or more calls with much text.

    Nothing is returned for a recogniser that is slow with a page of four words: it would take minutes for a full page.
    """
    arguments, calls = long_input(subject, hook), [series_of(subject, hook).last]
    if arguments is None:
        return []
    if hook == "ocr" and calls[0].seconds > _PAGE_SECONDS and _page_seconds(subject) > _PAGE_SECONDS:
        return []
    given, vector = arguments
    while len(calls) < 3 or (len(calls) < _TURNS and calls[-1].seconds < _QUICK):
        calls.append(subject.call(hook, given, vector=vector, pool=subject.second_pool))
    return [one.facts for one in calls if one.facts is not None]


def _page_seconds(subject: Subject) -> float:
    """Return the seconds of one more call with a page of four words: one call may have waited for a busy processor."""
    return subject.call("ocr", recognition(page_image("png/printed.png")), pool=subject.second_pool).seconds


def _pages_without_words(subject: Subject, limit: float) -> list[list[Facts]]:
    """Return the side effects of recognising a blank sheet several times, then those of one of which the end is missing.

    Raises:
        Broken: the worker keeps more than the limit, in MiB, of blank sheets.
    """
    printed, blank = page_image("png/printed.png"), image_of(make_blank(), dpi=300.0)

    def recognised(page: PageImage) -> list[Facts]:
        calls = [subject.call("ocr", recognition(page), pool=subject.second_pool) for _ in range(_TURNS)]
        return [one.facts for one in calls if one.facts is not None]

    sheets = recognised(blank)
    if growth_mb(sheets) > limit and (growth := growth_mb(recognised(blank))) > limit:
        raise Broken(
            "the worker's memory grows with each blank page",
            expected=f"under {limit:g} MiB",
            actual=f"{growth:.0f} MiB",
        )
    return [sheets, recognised(printed.model_copy(update={"png": printed.png[:200]}))]


_QUICK = 1.0
"""Seconds of a call that is repeated more than twice."""
_PAGE_SECONDS = 0.1
"""Seconds for a page of four words of a recogniser that is given a full page, too."""
_TURNS = 5
"""Calls with each input that is unlike the others of a series."""


def without_times(seen: Observed) -> Any:
    """Return an answer without its time stamp."""
    answer = json.loads(seen.answer) if seen.answer is not None else None
    return {**answer, "processed_at": None} if isinstance(answer, dict) else answer


def told_of(seen: Observed) -> str:
    """Return the answer of a call, or its error."""
    return seen.answer if seen.answer is not None else describe(seen.error)


@check("OC-TIME-003", scope="plugin", level=2, spec=("ENG-11",), requires=_ANSWERS, beside=True)
def others_are_quick(subject: Subject) -> None:
    """A hook other than `convert` answers within ten seconds in a warm worker: for a page, a paragraph, three pages.

    Fix:
    Load models once per process and keep them; look for retries and sleeps.
    """
    limit = subject.budget.convert_seconds
    for hook, arguments, vector in inputs(subject):
        seconds = subject.call_once(hook, arguments, vector=vector).seconds
        if seconds >= limit:  # the first call may have included loading a model
            seconds = subject.call(hook, arguments, vector=vector).seconds
        if seconds >= limit:
            raise Broken(f"{hook} is slow", expected=f"under {limit:g} s", actual=f"{seconds:.1f} s")


@check(
    "OC-TIME-006",
    scope="plugin",
    level=2,
    spec=("ENG-11",),
    requires=("OC-TIME-003",),
    beside=True,
    lacks=Capability.SUBPROCESS,
)
def others_do_not_wait(subject: Subject) -> None:
    """In a warm worker a call of a hook other than `convert` is not idle for a second.

    Fix:
    Remove sleeps, retries and locks; let threads that you join do work.
    """
    for hook, arguments, vector in inputs(subject):
        calls = chain(
            (series_of(subject, hook).last,), _repeated(partial(subject.call, hook, arguments, vector=vector))
        )
        expect_no_idling(partial(next, calls), subject.budget.idle_seconds)


def _repeated(call: Callable[[], Observed]) -> Iterator[Observed]:
    while True:
        yield call()


@check("OC-MEM-003", scope="plugin", level=2, spec=("ENG-11",), requires=_ANSWERS, beside=True)
def others_take_the_memory_they_declare(subject: Subject) -> None:
    """In a warm worker, the peak memory of a hook other than `convert` stays within the limit in the manifest.

    Fix:
    Raise `memory_mb` under `[plugin.limits]` (at most 4096), or work in smaller batches.
    """
    allowed = subject.manifest.limits.memory_mb or SandboxLimits().memory_mb
    for hook, _, _ in inputs(subject):
        used = series_of(subject, hook).used_mb
        if used > allowed:
            raise Broken(
                f"{hook} uses more memory than the manifest declares",
                expected=f"{allowed} MiB",
                actual=f"{used:.0f} MiB",
            )
