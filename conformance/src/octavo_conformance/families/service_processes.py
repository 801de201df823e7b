"""OC-SVC in several processes: what a service answers must not depend on the process that asks."""

from __future__ import annotations

import math
from typing import Any

from ..checks import ANY, GENERATED, Broken, check
from ..service_calls import call_service, call_services_elsewhere
from ..subject import Subject
from ..vectors.fresh_text import make_text
from ..vectors.words import Words

TOLERANCE = 1e-4
"""Difference of two numbers that the order of additions in an engine may make."""


@check(
    "OC-SVC-025",
    scope="plugin",
    level=2,
    spec=("ENG-18", "ENG-26"),
    requires=("OC-SVC-001", "OC-SVC-004"),
    service=ANY,
    vectors=GENERATED,
)
def processes_give_the_same_answers(subject: Subject) -> None:
    """Embedder, scorer, summariser, literal extractor and vector index give the same answers in another process, with another hash seed, date, zone, user.

    Fix:
    Use a hash function that is the same in each process, such as SHA-256, not `hash()`; sort the content of sets.
    """
    calls = {kind: steps for kind, steps in _calls(subject.seed).items() if kind in subject.manifest.services}
    if not calls:
        return
    elsewhere = call_services_elsewhere(subject, calls)
    for kind, steps in calls.items():
        here = [said.value() for said in call_service(subject, kind, *steps).steps]
        there = [said.value() for said in elsewhere[kind].steps]
        for one, other in zip(here, there, strict=True):
            if not _alike(one, other):
                raise Broken(
                    f"the {kind} gives another answer in another process",
                    expected=str(one)[:300],
                    actual=str(other)[:300],
                )


def _calls(seed: int) -> dict[str, list[dict[str, Any]]]:
    words = Words(seed)
    texts = [f"{words.line(12)}." for _ in range(6)]
    text, query = make_text(seed).text[:2000], " ".join(texts[2].split()[2:5])
    names = [words.word() for _ in range(6)]
    vectors = {name: [float(at == place) for at in range(3)] for place, name in enumerate(names[:3])}
    # Equally near, so that their order is the plugin's choice.
    vectors |= {name: [0.0, 0.6, 0.8] for name in names[3:]}
    schema = {"type": "object", "properties": {"port": {"type": "string"}, "berth": {"type": "string"}}}
    return {
        "embedder": [{"call": "embed", "args": [texts]}],
        "scorer": [{"call": "score", "args": [query, texts]}],
        "summariser": [{"call": "summarise", "args": [text], "kwargs": {"query": query, "max_chars": 500}}],
        "literal_extractor": [{"call": "extract", "args": [f"port: Lisbon and berth: B12. {texts[0]}", schema]}],
        "vector_index": [
            {"call": "add", "args": [vectors]},
            {"call": "search", "args": [[0.0, 0.6, 0.8]], "kwargs": {"limit": 6, "among": None}},
        ],
    }


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, abs_tol=TOLERANCE)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    return bool(one == other)
