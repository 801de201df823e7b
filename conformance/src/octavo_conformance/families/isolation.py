"""OC-FS and OC-NET: a hook writes only in its folder, starts only declared programs, and opens no socket."""

from __future__ import annotations

from collections.abc import Sequence

from octavo_contracts import Capability

from ..checks import Broken, check, expect_none
from ..evidence import Facts
from ..subject import Subject
from ..vectors import GoldenVector

SPARE = 2
"""Number of threads that an engine may start once and keep."""


def accumulating(calls: Sequence[Facts]) -> dict[str, list[int]]:
    """Return what grew with each call of one process: the name of what is counted → the counts."""
    same = [facts for facts in calls if facts.process == calls[-1].process]
    counted = {
        "threads": [facts.threads for facts in same],
        "open files, pipes or sockets": [facts.descriptors for facts in same],
    }
    # An engine may start a thread or open a file once and keep it; a leak grows with each call.
    return {
        what: counts
        for what, counts in counted.items()
        if len(counts) > SPARE and counts[-1] - counts[1] >= len(counts) - 2
    }


@check("OC-FS-001", scope="golden", level=2, spec=("CNV-17", "ENG-11"), requires=("OC-SCHEMA-002",), hook="convert")
def writes_stay_in_the_folder(subject: Subject, vector: GoldenVector) -> None:
    """The hook writes, and tries to write, only below its own folder.

    Fix:
    Write in `context.work_dir`; let the engine keep its caches below the worker's HOME.
    """
    facts = subject.convert(vector).facts
    expect_none(facts.writes if facts else [], "the hook writes outside its folder")


@check(
    "OC-FS-002",
    scope="golden",
    level=2,
    spec=("ENG-11",),
    requires=("OC-SCHEMA-002",),
    hook="convert",
    vectors="family",
)
def nothing_is_left_open(subject: Subject, vector: GoldenVector) -> None:
    """A call leaves neither the document nor a file in its folder open; threads and open files do not accumulate.

    Fix:
    Open files and documents in `with` blocks, and close the engine's document before returning.
    Shut thread pools down, or keep one for all calls.
    """
    seen = [facts for _ in range(2 + SPARE) if (facts := subject.convert_again(vector).facts)]
    expect_none(sorted({name for facts in seen for name in facts.kept_files}), "files are left open")
    for what, counts in accumulating(seen).items():
        raise Broken(f"{what} accumulate", expected=f"about {counts[0]}", actual=counts[-1])


@check(
    "OC-FS-003",
    scope="golden",
    level=2,
    spec=("ENG-11",),
    requires=("OC-SCHEMA-002",),
    hook="convert",
    lacks=Capability.SUBPROCESS,
)
def no_undeclared_program(subject: Subject, vector: GoldenVector) -> None:
    """Without the capability `subprocess` the hook does not start programs or try to.

    Fix:
    Declare `subprocess` and the program under `[[plugin.system]]`, or use a library.
    """
    facts = subject.convert(vector).facts
    expect_none(facts.programs if facts else [], "the hook starts programs")


@check("OC-NET-001", scope="golden", level=2, spec=("CNV-15", "DIG-27"), requires=("OC-SCHEMA-002",), hook="convert")
def no_socket(subject: Subject, vector: GoldenVector) -> None:
    """The hook does not open sockets or resolve names, or try to; network access is through `context.fetch`.

    Fix:
    Switch off the engine's downloads, telemetry and remote resources.
    Declare `network` and use `context.fetch`.
    """
    facts = subject.convert(vector).facts
    expect_none(facts.network if facts else [], "the hook uses the network")
