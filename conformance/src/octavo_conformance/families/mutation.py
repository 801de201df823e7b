"""OC-MUT: nothing that a hook is given is changed."""

from __future__ import annotations

from ..checks import Broken, check, expect_none
from ..subject import Subject
from ..vectors import GoldenVector


@check(
    "OC-MUT-001", scope="golden", level=1, spec=("CNV-17",), requires=("OC-SCHEMA-002",), hook="convert", vectors="one"
)
def original_is_untouched(subject: Subject, vector: GoldenVector) -> None:
    """Bytes, size, rights and modification time of the original stay as they were.

    Fix:
    Read through `source.open()`; where the engine wants a path, use `source.path`, which is a copy.
    """
    subject.convert(vector)
    # The sandbox may keep it from writing; a host without its fences must be as safe.
    subject.convert_elsewhere(vector)
    original = subject.original(vector)
    now = original.now()
    changed = {name: value for name, value in now.items() if original.before[name] != value}
    if changed:
        before = {name: original.before[name] for name in changed}
        raise Broken("the original was changed", expected=before, actual=changed)


@check("OC-MUT-002", scope="golden", level=1, spec=("CNV-17",), requires=("OC-SCHEMA-002",), hook="convert")
def arguments_are_untouched(subject: Subject, vector: GoldenVector) -> None:
    """The request is as it was when the hook was called.

    Fix:
    Copy `request.options` before you change it.
    """
    facts = subject.convert(vector, options={"given": True}).facts
    expect_none(facts.changed_arguments if facts else [], "arguments were changed")


@check("OC-MUT-003", scope="golden", level=1, spec=("ENG-11",), requires=("OC-SCHEMA-002",), hook="convert")
def process_is_untouched(subject: Subject, vector: GoldenVector) -> None:
    """Working folder, environment, locale, recursion limit and standard output are as they were before the call.

    Fix:
    Set what the engine needs in a `try`, and set it back in its `finally`.
    """
    facts = subject.convert(vector).facts
    expect_none(facts.changed_state if facts else [], "the process was changed")
