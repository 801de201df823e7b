"""OC-MUT, OC-FS, OC-NET, OC-DET, OC-TIME and OC-MEM for the hooks other than `convert`: the same rules apply."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from octavo_contracts import Capability, EntityRequest, HookName, Model, OCRRequest
from octavo_sandbox import SandboxLimits, WorkerPool

from ..checks import Broken, check, expect_equal, expect_none
from ..evidence import Facts, Observed, describe
from ..originals import AnyVector
from ..subject import Subject
from ..vectors import load_golden
from .entities import LABELS, TEXT
from .isolation import accumulating
from .ocr import page_image
from .quality import EVIDENCE, conversion_keeping
from .resources import expect_no_idling, growth_of

_ANSWERS = ("OC-CLS-001", "OC-OCR-001", "OC-ENT-001", "OC-QUAL-001")
_REPEATS = ("OC-CLS-003", "OC-ENT-006", "OC-QUAL-004")


def _calls(subject: Subject) -> Iterator[tuple[HookName, dict[str, Model | str], AnyVector | None]]:
    """Yield the arguments for each of the plugin's hooks other than `convert`, as in the family of that hook."""
    arguments: dict[HookName, dict[str, Model | str]] = {
        "classify": {},
        "ocr": {"image": page_image("png/printed.png"), "request": OCRRequest(languages=("en",))},
        "extract_entities": {"text": TEXT, "request": EntityRequest(labels=LABELS, threshold=0.0)},
        "score_quality": {"conversion": conversion_keeping(0.5), "evidence": EVIDENCE},
    }
    for hook in subject.manifest.hooks:
        if hook == "convert":
            continue
        vector = _document(subject) if hook == "classify" else None
        if hook != "classify" or vector is not None:
            yield hook, arguments[hook], vector


def _document(subject: Subject) -> AnyVector | None:
    return next((vector for vector in load_golden() if vector.media_type in subject.manifest.media_types), None)


def _observed(subject: Subject) -> Iterator[tuple[HookName, Observed]]:
    for hook, arguments, vector in _calls(subject):
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
    for hook, arguments, vector in _calls(subject):
        first = subject.call_once(hook, arguments, vector=vector)
        second = subject.call(hook, arguments, vector=vector, pool=subject.second_pool)
        if _timeless(first) != _timeless(second):
            raise Broken(
                f"{hook} gives different answers in two processes", expected=_told(first), actual=_told(second)
            )


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
    for hook, arguments, vector in _calls(subject):
        first = subject.call_once(hook, arguments, vector=vector)
        other = subject.call_elsewhere(hook, arguments, vector=vector)
        if _timeless(first) != _timeless(other):
            raise Broken(
                f"{hook} gives another answer in other surroundings", expected=_told(first), actual=_told(other)
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

    Fix:
    Keep one model for all calls; close files, shut thread pools down, limit the size of every cache.
    """
    limit = subject.budget.growth_mb / 2
    for hook, arguments, vector in _calls(subject):
        seen: list[Facts] = []

        def call(
            hook: HookName = hook,
            arguments: dict[str, Model | str] = arguments,
            vector: AnyVector | None = vector,
            seen: list[Facts] = seen,
        ) -> Observed:
            made = subject.call(hook, arguments, vector=vector, pool=subject.second_pool)
            if made.facts is not None:
                seen.append(made.facts)
            return made

        growth = growth_of(call, subject.budget)
        if growth > limit:
            # An allocator may grow once; a leak keeps growing.
            growth = min(growth, growth_of(call, subject.budget))
        if growth > limit:
            what = f"{growth:.0f} MiB"
            raise Broken(f"the worker's memory grows with {hook}", expected=f"under {limit:g} MiB", actual=what)
        for what, counts in (accumulating(seen) if seen else {}).items():
            raise Broken(f"{what} accumulate with {hook}", expected=f"about {counts[0]}", actual=counts[-1])


def _timeless(seen: Observed) -> Any:
    answer = json.loads(seen.answer) if seen.answer is not None else None
    return {**answer, "processed_at": None} if isinstance(answer, dict) else answer


def _told(seen: Observed) -> str:
    return seen.answer if seen.answer is not None else describe(seen.error)


@check("OC-TIME-003", scope="plugin", level=2, spec=("ENG-11",), requires=_ANSWERS, beside=True)
def others_are_quick(subject: Subject) -> None:
    """A hook other than `convert` answers within ten seconds in a warm worker: for a page, a paragraph, three pages.

    Fix:
    Load models once per process and keep them; look for retries and sleeps.
    """
    limit = subject.budget.convert_seconds
    for hook, arguments, vector in _calls(subject):
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
    for hook, arguments, vector in _calls(subject):
        expect_no_idling(partial(subject.call, hook, arguments, vector=vector), subject.budget.idle_seconds)


@check("OC-MEM-003", scope="plugin", level=2, spec=("ENG-11",), requires=_ANSWERS, beside=True)
def others_take_the_memory_they_declare(subject: Subject) -> None:
    """In a warm worker, the peak memory of a hook other than `convert` stays within the limit in the manifest.

    Fix:
    Raise `memory_mb` under `[plugin.limits]` (at most 4096), or work in smaller batches.
    """
    allowed = subject.manifest.limits.memory_mb or SandboxLimits().memory_mb
    for hook, arguments, vector in _calls(subject):
        used = _used(subject, hook, arguments, vector, subject.second_pool)
        if used > allowed:
            raise Broken(
                f"{hook} uses more memory than the manifest declares",
                expected=f"{allowed} MiB",
                actual=f"{used:.0f} MiB",
            )


def _used(
    subject: Subject,
    hook: HookName,
    arguments: dict[str, Model | str],
    vector: AnyVector | None,
    pool: WorkerPool,
) -> float:
    """Peak memory that the second of two calls adds to the worker's, MiB; 0 if it cannot be measured."""
    warm, again = (subject.call(hook, arguments, vector=vector, pool=pool) for _ in range(2))
    base = warm.facts.resident_mb if warm.facts else 0.0
    return again.peak_rss_mb - base if base else 0.0
