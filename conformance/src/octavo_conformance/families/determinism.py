"""OC-DET and OC-IDEM: equal bytes give equal conversions, in any process and after any other document."""

from __future__ import annotations

from ..checks import Broken, check
from ..evidence import Observed, describe
from ..subject import Subject
from ..vectors import GoldenVector
from ..vectors.hostile import load_hostile


def expect_same(actual: Observed, expected: Observed, what: str) -> None:
    """Raise unless two calls gave the same answer.

    Raises:
        Broken: they did not.
    """
    if actual.answer is None:
        raise Broken(what, expected="the same Conversion", actual=describe(actual.error))
    if actual.answer != expected.answer:
        raise Broken(what, **_difference(expected.answer or "", actual.answer))


def _difference(expected: str, actual: str) -> dict[str, object]:
    """Return the first difference of two JSON texts with its context."""
    at = next(
        (i for i, (a, b) in enumerate(zip(expected, actual, strict=False)) if a != b), min(len(expected), len(actual))
    )
    return {"expected": f"…{expected[max(0, at - 40) : at + 40]}…", "actual": f"…{actual[max(0, at - 40) : at + 40]}…"}


@check(
    "OC-DET-001",
    scope="golden",
    level=2,
    spec=("QLT-2", "ENG-18"),
    requires=("OC-SCHEMA-002",),
    hook="convert",
    deterministic=True,
)
def processes_agree(subject: Subject, vector: GoldenVector) -> None:
    """Another process gives the same Conversion, byte for byte of its JSON.

    Fix:
    Remove times, random numbers, addresses and paths of the work folder from the answer.
    """
    expect_same(
        subject.convert_again(vector, pool=subject.second_pool),
        subject.convert(vector),
        "two processes give different Conversions",
    )


@check(
    "OC-DET-002",
    scope="golden",
    level=2,
    spec=("QLT-2", "ENG-18"),
    requires=("OC-DET-001",),
    hook="convert",
    vectors="family",
    deterministic=True,
)
def surroundings_do_not_matter(subject: Subject, vector: GoldenVector) -> None:
    """Hash seed, time zone, locale, date, machine, user and home folder do not change the Conversion.

    Fix:
    Sort the content of sets; format numbers and dates independently of the locale.
    Put neither the current time nor names of the machine, the user or their folders into the answer.
    """
    expect_same(
        subject.convert_elsewhere(vector), subject.convert(vector), "another environment gives another Conversion"
    )


@check(
    "OC-DET-004",
    scope="golden",
    level=2,
    spec=("QLT-2", "ENG-18"),
    requires=("OC-DET-001",),
    hook="convert",
    vectors="family",
    deterministic=True,
)
def being_tested_does_not_matter(subject: Subject, vector: GoldenVector) -> None:
    """Called by a host, without the suite in its process, the hook gives the same Conversion.

    Fix:
    Do not inspect the caller: neither the loaded modules nor the process.
    """
    expect_same(
        subject.convert_as_host(vector), subject.convert(vector), "a host gets a different Conversion from the suite"
    )


@check(
    "OC-IDEM-001",
    scope="golden",
    level=2,
    spec=("ENG-6",),
    requires=("OC-DET-001",),
    hook="convert",
    vectors="family",
    deterministic=True,
)
def reuse_equals_fresh(subject: Subject, vector: GoldenVector) -> None:
    """A worker that has converted other documents gives the same Conversion as a fresh one.

    Fix:
    Keep no state between calls; create a new engine object if the engine keeps state.
    """
    first = subject.convert(vector)
    for _ in range(2):
        expect_same(
            subject.convert_again(vector, pool=subject.second_pool), first, "a reused worker gives another Conversion"
        )


@check(
    "OC-IDEM-002",
    scope="golden",
    level=2,
    spec=("ENG-6", "ENG-15"),
    requires=("OC-IDEM-001",),
    hook="convert",
    vectors="family",
    deterministic=True,
)
def failures_leave_no_trace(subject: Subject, vector: GoldenVector) -> None:
    """After a document that failed, the next one gives the same Conversion as before.

    Fix:
    Restore in a `finally` everything that a call changes before it may raise.
    """
    first = subject.convert(vector)
    for bad in load_hostile(vector.family):
        if bad.kind == "empty":
            subject.convert_again(bad, pool=subject.second_pool)
    seen = subject.convert_again(vector, pool=subject.second_pool)
    expect_same(seen, first, "the Conversion differs after a failure")


@check(
    "OC-CONC-001",
    scope="golden",
    level=2,
    spec=("ENG-8",),
    requires=("OC-IDEM-001", "OC-DET-002"),
    hook="convert",
    vectors="one",
    parallel=True,
    deterministic=True,
)
def parallel_equals_serial(subject: Subject, vector: GoldenVector) -> None:
    """Eight concurrent calls give the same Conversion as a single one.

    Fix:
    Share no file, lock or port between processes, or declare `concurrency = "serial"`.
    """
    first = subject.convert(vector)
    for seen in subject.convert_at_once(vector):
        expect_same(seen, first, "concurrent calls give different Conversions")
