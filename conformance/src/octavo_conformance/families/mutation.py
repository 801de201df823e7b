"""OC-MUT: a hook changes none of its arguments, nor the original, nor the process."""

from __future__ import annotations

from ..checks import Broken, check, expect_none
from ..subject import Subject
from ..vectors import GoldenVector


@check(
    "OC-MUT-001", scope="golden", level=1, spec=("CNV-17",), requires=("OC-SCHEMA-002",), hook="convert", vectors="one"
)
def original_is_untouched(subject: Subject, vector: GoldenVector) -> None:
    """Bytes, size, permissions and modification time of the original are unchanged.

    Fix:
    Read through `source.open()`; if the engine needs a path, use `source.path`, which is a copy.
    """
    subject.convert(vector)
    # The sandbox may prevent a write; a host without a sandbox must be just as safe.
    subject.convert_elsewhere(vector)
    original = subject.original(vector)
    now = original.now()
    changed = {name: value for name, value in now.items() if original.before[name] != value}
    if changed:
        before = {name: original.before[name] for name in changed}
        raise Broken("the original was changed", expected=before, actual=changed)


@check("OC-MUT-002", scope="golden", level=1, spec=("CNV-17",), requires=("OC-SCHEMA-002",), hook="convert")
def arguments_are_untouched(subject: Subject, vector: GoldenVector) -> None:
    """The request is unchanged after the call.

    Fix:
    Copy `request.options` before you change it.
    """
    facts = subject.convert(vector, options={"given": True}).facts
    expect_none(facts.changed_arguments if facts else [], "arguments were changed")


@check("OC-MUT-003", scope="golden", level=1, spec=("ENG-11",), requires=("OC-SCHEMA-002",), hook="convert")
def process_is_untouched(subject: Subject, vector: GoldenVector) -> None:
    """Working folder, environment, locale, signal handlers, import path, shared functions and the like are unchanged after the call.

    Fix:
    Change process state in a `try`, and restore it in its `finally`.
    """
    facts = subject.convert(vector).facts
    expect_none(facts.changed_state if facts else [], "the process was changed")
