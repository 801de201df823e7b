"""OC-FS and OC-NET outside the sandbox: what a plugin leaves behind, and opens, where nothing prevents it."""

from __future__ import annotations

from octavo_contracts import Capability

from ..checks import check, expect_none
from ..subject import Subject
from ..vectors import GoldenVector


@check(
    "OC-FS-006",
    scope="golden",
    level=2,
    spec=("CNV-17", "ENG-11"),
    requires=("OC-FS-001", "OC-FS-003", "OC-DET-002"),
    hook="convert",
    vectors="family",
    deterministic=True,
)
def nothing_is_left_behind(subject: Subject, vector: GoldenVector) -> None:
    """Outside the sandbox too, a call leaves no process running, no temporary file of its own, and no copy of the document.

    Fix:
    Wait for the programs that you start, also if the call fails; start none in a session of its own.
    Make temporary files in `context.work_dir`, and remove those that the engine makes elsewhere.
    """
    facts = subject.convert_elsewhere(vector).facts
    expect_none(facts.programs if facts else [], "processes are still running after the call")
    left = subject.outside.accumulating(lambda: subject.convert_elsewhere(vector, again=True))
    expect_none(left, "each call leaves files behind")
    expect_none(subject.outside.copies_of(vector.data), "a copy of the document is kept")


@check(
    "OC-NET-003",
    scope="golden",
    level=2,
    spec=("CNV-15", "DIG-27"),
    requires=("OC-NET-001", "OC-DET-002"),
    hook="convert",
    vectors="one",
    deterministic=True,
    lacks=Capability.SUBPROCESS,
)
def native_code_makes_no_socket(subject: Subject, vector: GoldenVector) -> None:
    """Outside the sandbox too, neither Python nor native code asks for a network socket.

    Fix:
    Switch off the engine's downloads, telemetry and remote resources.
    """
    facts = subject.convert_elsewhere(vector).facts
    expect_none(facts.network if facts else [], "the hook makes network sockets")
