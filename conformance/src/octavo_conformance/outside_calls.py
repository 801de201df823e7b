"""Calls of a hook with several documents in one process outside the sandbox.

A new process takes about a second, most of which is the import of the packages: one for all documents is quick.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from octavo_contracts import ConvertRequest, HookName, Model

from .evidence import Observed
from .outside import HASH_SEED
from .subject import Subject
from .vectors import GoldenVector

_ALONE: WeakKeyDictionary[Subject, dict[str, Observed]] = WeakKeyDictionary()
"""The conversions of each subject so far, by the path of the vector."""


def convert_alone(subject: Subject, vectors: Sequence[GoldenVector]) -> list[Observed]:
    """Convert vectors in one process that finds neither the suite nor other tools of tests; the results are cached."""
    known = _ALONE.setdefault(subject, {})
    wanted = [one for one in vectors if one.path not in known]
    if wanted:
        made = _call_each(subject, "convert", wanted, hash_seed=HASH_SEED, hidden=True)
        known |= {one.path: seen for one, seen in zip(wanted, made, strict=True)}
    return [known[one.path] for one in vectors]


def classify_each(subject: Subject, vectors: Sequence[GoldenVector], *, hash_seed: int) -> list[Observed]:
    """Classify vectors in one process.

    Args:
        subject: the plugin.
        vectors: the documents.
        hash_seed: decides the order of sets of strings.
    """
    return _call_each(subject, "classify", vectors, hash_seed=hash_seed, hidden=False) if vectors else []


def _call_each(
    subject: Subject, hook: HookName, vectors: Sequence[GoldenVector], *, hash_seed: int, hidden: bool
) -> list[Observed]:
    calls = []
    for one in vectors:
        given: dict[str, Model | str] = (
            {"request": ConvertRequest(media_type=one.media_type)} if hook == "convert" else {}
        )
        task = subject.outside_task(hook, given, one)
        calls.append({"arguments": task["arguments"], "document": task["document"]})
    made = subject.outside.call_each(
        subject.task_of(hook, {}),
        calls,
        seconds=(2 + len(vectors)) * subject.budget.wall_seconds,
        hidden=hidden,
        hash_seed=hash_seed,
    )
    # A call that ends the process leaves the others without an answer: each has the error of the process.
    return made if len(made) == len(vectors) else made * len(vectors)
