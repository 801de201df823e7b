"""OC-SVC on many inputs and on later calls: what a service does with the second text must not depend on the first."""

from __future__ import annotations

import math
from typing import Any

from ..checks import GENERATED, Broken, check, expect_none
from ..service_calls import answers_of, call_service
from ..subject import Subject
from ..vectors.words import Words
from .services import BASE, KEY

BATCH = 40
"""Texts of a batch, as many as a host embeds in one call."""
SEARCHES = 9
"""Searches of one process; a plugin may tell of earlier ones only after some."""


@check(
    "OC-SVC-014",
    scope="plugin",
    level=2,
    spec=("ENG-26",),
    requires=("OC-SVC-006",),
    service="embedder",
    vectors=GENERATED,
)
def batches_are_embedded_to_the_end(subject: Subject) -> None:
    """In a batch of forty passages the last one has the vector that it has alone, and a passage that ends otherwise another one.

    Fix:
    Embed every text of a batch to its end; truncate none for the sake of the others.
    """
    words = Words(subject.seed)
    # Long enough to be cut by a limit of characters, and short enough for the windows of small models.
    beginnings = [f"{words.paragraph(2)} {words.line()}." for _ in range(BATCH - 1)]
    texts = [f"{beginning} {words.line()}." for beginning in (*beginnings, beginnings[-1])]
    together, alone = answers_of(
        subject, "embedder", {"call": "embed", "args": [texts]}, {"call": "embed", "args": [texts[-1:]]}
    )
    nearness = _nearness(together[-1], alone[0])
    if nearness < 0.99:
        raise Broken(
            "the vector of a text in a batch", expected="that of the text alone", actual=f"{nearness:.4f} alike"
        )
    if _nearness(together[-1], together[-2]) > 0.99999:
        raise Broken("two passages with other endings", expected="different vectors", actual="equal ones")


def _nearness(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=False)) if len(one) == len(other) else -math.inf


@check(
    "OC-SVC-015",
    scope="plugin",
    level=1,
    spec=("DIG-27",),
    requires=("OC-SVC-001",),
    service="search_provider",
    vectors=GENERATED,
)
def searches_tell_no_other_query(subject: Subject) -> None:
    """A request of a search provider goes to its own server, without the key in the address, and has no word of an earlier query.

    Fix:
    Build the request from the arguments of the call alone; keep no query.
    """
    words = Words(subject.seed)
    queries = [" ".join(words.long_word() for _ in range(3)) for _ in range(SEARCHES)]
    steps: list[dict[str, Any]] = [
        {
            "call": "search",
            "args": [query],
            "kwargs": {"base_url": BASE, "key": KEY},
            "reply": {"status": 200, "body": "{}"},
        }
        for query in queries
    ]
    said = call_service(subject, "search_provider", *steps).steps[1:]
    asked = [(number, one) for number, step in enumerate(said) for one in step.asked]
    if not asked:
        raise Broken("it asks no server", expected=f"a request to {BASE}", actual="no request")
    elsewhere = [one["url"] for _, one in asked if not one["url"].startswith(f"{BASE}/")]
    expect_none(elsewhere, "requests to other servers", expected=f"addresses below {BASE}")
    expect_none([one["url"] for _, one in asked if KEY in one["url"]], "addresses with the key")
    told = [
        word
        for number, one in asked
        for word in " ".join(queries[:number]).split()
        if any(word in told for told in (one["url"], one["body"], *map(str, one["headers"].values())))
    ]
    expect_none(told, "a request has words of an earlier query", expected="the words of its own query")
