"""OC-FS and OC-NET: a hook writes in its folder, starts nothing it did not declare, and opens no socket."""

from __future__ import annotations

from octavo_contracts import Capability

from ..checks import Broken, check, expect_none
from ..subject import Subject
from ..vectors import GoldenVector

SPARE = 2
"""Descriptors and threads that an engine may open once for all and keep."""


@check("OC-FS-001", scope="golden", level=2, spec=("CNV-17", "ENG-11"), requires=("OC-SCHEMA-002",), hook="convert")
def writes_stay_in_the_folder(subject: Subject, vector: GoldenVector) -> None:
    """It writes, or tries to write, below its own folder only.

    Fix:
    Write in `context.work_dir`; the engine's caches belong below the HOME that the worker has.
    """
    facts = subject.convert(vector).facts
    expect_none(facts.writes if facts else [], "it writes outside its folder")


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
    """Calls leave no open file and no running thread behind them.

    Fix:
    Open files and documents in `with` blocks; shut thread pools down, or keep one for all calls.
    """
    seen = [subject.convert_again(vector).facts for _ in range(2 + SPARE)]
    counts = [(facts.open_files, facts.threads) for facts in seen if facts]
    if counts and (counts[-1][0] > counts[0][0] + SPARE or counts[-1][1] > counts[0][1] + SPARE):
        raise Broken("files or threads pile up", expected=f"(files, threads) near {counts[0]}", actual=counts[-1])


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
    """Without the capability `subprocess` it starts no program, and does not try to.

    Fix:
    Declare `subprocess` and the program under `[[plugin.system]]`, or use a library.
    """
    facts = subject.convert(vector).facts
    expect_none(facts.programs if facts else [], "it starts programs")


@check("OC-NET-001", scope="golden", level=2, spec=("CNV-15", "DIG-27"), requires=("OC-SCHEMA-002",), hook="convert")
def no_socket(subject: Subject, vector: GoldenVector) -> None:
    """It opens no socket and resolves no name, and does not try to; what it needs it gets from `context.fetch`.

    Fix:
    Switch off the engine's downloads, telemetry and remote resources.
    Declare `network` and use `context.fetch`.
    """
    facts = subject.convert(vector).facts
    expect_none(facts.network if facts else [], "it reaches for the network")
