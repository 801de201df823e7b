"""OC-MUT, OC-FS and OC-NET over the whole run: what a plugin does for one document of many, or beside its answer, counts too.

A plugin that keeps its promises on a few golden documents may break them for what only some documents have: a document in a
document, a long text, several paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from random import Random

from octavo_contracts import Capability

from ..checks import GENERATED, check, expect_none
from ..evidence import Facts, Watched
from ..hook_inputs import extraction
from ..outside_calls import convert_alone
from ..subject import Subject
from ..vectors import GoldenVector
from ..vectors.fresh import make_fresh
from ..vectors.prose import prose

_SAMPLES, _WIDTH = 40, 24
"""Pieces of a document's text that are looked for, and their letters: no cache of an engine has them by chance."""


def mixed_vectors(subject: Subject) -> list[GoldenVector]:
    """Return the fresh documents of many parts that the plugin reads; of a format that has none, its first fresh document."""
    found: dict[str, GoldenVector] = {}
    for one in make_fresh(subject.seed, subject.media_types):
        if "/mixed." in one.path or one.media_type not in found:
            found[one.media_type] = one
    return list(found.values())


@check(
    "OC-FS-007",
    scope="plugin",
    level=3,
    spec=("CNV-17", "ENG-11"),
    requires=("OC-FS-006", "OC-GOLD-009"),
    hook="convert",
    vectors=GENERATED,
    deterministic=True,
)
def nothing_of_a_document_is_kept(subject: Subject) -> None:
    """Outside the sandbox, fresh documents of many parts leave no process, and nothing in any file: not their bytes, text, or parts.

    Fix:
    Keep no cache of content; unpack documents inside a document in memory or in `context.work_dir`. Wait for the programs that
    you start; start none in a session of its own.
    """
    vectors = mixed_vectors(subject)
    convert_alone(subject, vectors)
    expect_none(sorted(set(subject.outside.left_programs)), "processes are still running after the call")
    digests = {item.sha256 for vector in vectors for item in vector.expected.attachments}
    expect_none(subject.outside.files_with(digests), "documents inside a document are kept")
    pieces = [piece for vector in vectors for piece in (vector.data, *_pieces(vector))]
    expect_none(subject.outside.copies_of(*pieces), "files have content of a document")


def _pieces(vector: GoldenVector) -> list[bytes]:
    """Return pieces of the text that only this document has."""
    text = re.sub(r"\s+", " ", " ".join((*vector.expected.pages, *(item.text for item in vector.expected.attachments))))
    step = max(_WIDTH, len(text) // _SAMPLES)
    pieces = [text[at : at + _WIDTH] for at in range(0, len(text) - _WIDTH, step)]
    return [piece.encode() for piece in pieces if piece.isascii()]


def _watched(subject: Subject) -> list[Watched]:
    """Return the calls of the run so far, and those of all fresh documents and of a text with many addresses."""
    if "convert" in subject.manifest.hooks:
        for vector in make_fresh(subject.seed, subject.media_types):
            subject.convert(vector)
    if "extract_entities" in subject.manifest.hooks:
        text = "\n".join(prose(Random(subject.seed)))
        subject.call_once("extract_entities", extraction(text), vector=None, key="prose")
    return subject.watched


def _by_call(subject: Subject, names: Callable[[Facts], Iterable[str]]) -> list[str]:
    """Return what the calls of the run did, each with the call that did it."""
    return [f"{one.what}: {name}" for one in _watched(subject) for name in names(one.facts)]


@check(
    "OC-MUT-005",
    scope="plugin",
    level=3,
    spec=("CNV-17", "ENG-11"),
    requires=("OC-MUT-002", "OC-MUT-003", "OC-MUT-004"),
    vectors=GENERATED,
)
def no_call_changes_the_process(subject: Subject) -> None:
    """No call of the run changes its arguments or the process, whatever its input: documents of many parts, large ones, long texts.

    Fix:
    Look for what the input has that others have not; restore in a `finally` what a call changes.
    """
    found = _by_call(subject, lambda facts: (*facts.changed_arguments, *facts.changed_state))
    expect_none(found[:8], "a call changed its arguments or the process")


@check(
    "OC-FS-008",
    scope="plugin",
    level=3,
    spec=("CNV-17", "ENG-11"),
    requires=("OC-FS-001", "OC-FS-002", "OC-FS-003", "OC-FS-004", "OC-FS-005"),
    vectors=GENERATED,
)
def no_call_leaves_its_folder(subject: Subject) -> None:
    """No call of the run writes outside its folder, leaves files open or starts an undeclared program, whatever its input.

    Fix:
    Write in `context.work_dir`; open files in `with` blocks.
    """
    starts = Capability.SUBPROCESS in subject.manifest.capabilities
    found = _by_call(subject, lambda facts: (*facts.writes, *facts.kept_files, *(() if starts else facts.programs)))
    expect_none(found[:8], "a call writes outside its folder, leaves files open or starts programs")


@check(
    "OC-NET-004",
    scope="plugin",
    level=3,
    spec=("CNV-15", "DIG-27"),
    requires=("OC-NET-001", "OC-NET-002"),
    vectors=GENERATED,
)
def no_call_uses_the_network(subject: Subject) -> None:
    """No call of the run opens a socket or resolves a name, whatever its input: addresses in a text are not looked up.

    Fix:
    Load nothing that a document refers to; network access is through `context.fetch`.
    """
    found = _by_call(subject, lambda facts: facts.network)
    expect_none(found[:8], "a call uses the network")


@check(
    "OC-FS-009",
    scope="plugin",
    level=3,
    spec=("ENG-11",),
    requires=("OC-FS-002", "OC-MEM-004"),
    vectors=GENERATED,
)
def no_call_leaves_threads(subject: Subject) -> None:
    """Threads that calls leave behind do not accumulate over the run, whatever the inputs: timers end with the call that started them.

    Fix:
    Cancel every timer and join every thread in a `finally`; compare `context.remaining()` instead of a timer.
    """
    counts: dict[int, list[int]] = {}
    for one in _watched(subject):
        counts.setdefault(one.facts.process, []).append(one.facts.threads)
    left = [max(threads) - threads[0] for threads in counts.values()]
    expect_none(
        [number for number in left if number > KEPT_THREADS],
        "threads accumulate",
        expected=f"at most {KEPT_THREADS} more",
    )


KEPT_THREADS = 40
"""Threads that a pool may keep: Python's own has up to 32."""
