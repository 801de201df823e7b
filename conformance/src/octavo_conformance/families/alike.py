"""OC-IDEM on inputs that look alike: of the same size and beginning, with another content."""

from __future__ import annotations

from collections.abc import Iterator

from octavo_contracts import EntityRequest, HookName

from ..checks import GENERATED, Broken, check
from ..hook_inputs import Arguments, conversion_of, evidence_of, extraction
from ..originals import AnyVector
from ..subject import Subject
from ..vectors.fresh import make_fresh
from ..vectors.fresh_text import PAIR_LABELS, make_pair, make_text
from ..vectors.words import Words
from .beside import told_of, without_times

_NAMES = ("Laura Becker", "Peter Sutton")
"""Names of one length."""


def _pairs(
    subject: Subject,
) -> Iterator[tuple[HookName, tuple[Arguments, AnyVector | None], tuple[Arguments, AnyVector | None]]]:
    """Yield for each hook two inputs that differ in few places and in nothing that is quick to compare."""
    hooks = subject.manifest.hooks
    if "extract_entities" in hooks:
        text = make_text(subject.seed).text
        middle = text.index(". ", len(text) // 2) + 2
        one, other = (f"{text[:middle]}{name} signed it. {text[middle:]}" for name in _NAMES)
        yield "extract_entities", (extraction(one), None), (extraction(other), None)
    if "score_quality" in hooks:
        words = Words(subject.seed)
        texts = [words.paragraph(6) for _ in range(5)]
        spoilt = [*texts[:2], "\ufffd" * len(texts[2]), *texts[3:]]
        evidence = evidence_of(texts)
        scorings: list[Arguments] = [
            {"conversion": conversion_of(pages), "evidence": evidence} for pages in (texts, spoilt)
        ]
        yield "score_quality", (scorings[0], None), (scorings[1], None)
    if "classify" in hooks:
        vectors = {one.path: one for one in make_fresh(subject.seed, subject.media_types)}
        for path, vector in vectors.items():
            if "/fresh." in path:
                yield "classify", ({}, vector), ({}, vectors[path.replace("/fresh.", "/twin.")])


@check(
    "OC-IDEM-005",
    scope="plugin",
    level=3,
    spec=("ENG-6", "ENG-18"),
    requires=("OC-IDEM-004",),
    beside=True,
    deterministic=True,
    vectors=GENERATED,
)
def what_looks_alike_is_answered_for_itself(subject: Subject) -> None:
    """An input of the size, the beginning and the end of the one before gets the answer that it gets in another process.

    Fix:
    Let the whole input decide what a cache holds: its hash, not its length, its beginning or a count.
    """
    for hook, (one, first), (other, second) in _pairs(subject):
        subject.call(hook, one, vector=first)
        behind = subject.call(hook, other, vector=second)
        alone = subject.call(hook, other, vector=second, pool=subject.second_pool)
        if without_times(behind) != without_times(alone):
            what = f"{hook} answers as for an input that looks alike"
            raise Broken(what, expected=told_of(alone)[:300], actual=told_of(behind)[:300])


@check(
    "OC-IDEM-006",
    scope="plugin",
    level=2,
    spec=("ENG-6", "ENG-18"),
    requires=("OC-ENT-006", "OC-IDEM-004"),
    hook="extract_entities",
    deterministic=True,
    vectors=GENERATED,
)
def earlier_texts_complete_nothing(subject: Subject) -> None:
    """A text with surnames, short forms and days without a year is answered alike behind a text that has them in full, and before it.

    Fix:
    Complete a mention from its own text alone; keep no names, forms or dates of earlier documents.
    """
    full, short = make_pair(subject.seed)
    request = EntityRequest(labels=PAIR_LABELS, threshold=0.0)
    before, _, behind = (
        subject.call("extract_entities", {"text": text, "request": request}, pool=subject.second_pool)
        for text in (short, full, short)
    )
    subject.call("extract_entities", {"text": full, "request": request})
    other = subject.call("extract_entities", {"text": short, "request": request})
    for seen in (behind, other):
        if without_times(seen) != without_times(before):
            raise Broken(
                "a text is answered in another way behind another text",
                expected=told_of(before)[:300],
                actual=told_of(seen)[:300],
            )
