"""OC-QUAL where nothing tells how much text there was: what was not assessed has no score, and an empty conversion is not perfect."""

from __future__ import annotations

import random

from octavo_contracts import Conversion, Page, QualityAssessment, QualityEvidence

from ..checks import GENERATED, Broken, Unproven, check, expect_none
from ..hook_inputs import conversion_of, evidence_of
from ..subject import Subject
from ..vectors.truths import OFFICE
from ..vectors.words import Words
from .quality import judge

_TYPES = ("text/html", f"{OFFICE}.wordprocessingml.document", "message/rfc822")
"""Types of documents without a second reading."""
_HALF = 0.5
_SHORT = 18
"""Letters of a page that has little on it, such as the name of a chapter."""


@check(
    "OC-QUAL-013",
    scope="plugin",
    level=2,
    spec=("QLT-1", "QLT-3"),
    requires=("OC-QUAL-005",),
    hook="score_quality",
    vectors=GENERATED,
)
def what_is_not_assessed_has_no_score(subject: Subject) -> None:
    """Without a second reading there is no text yield, and without tables no table integrity: both are null.

    Fix:
    Return None for an aspect for which the evidence has nothing to compare with.
    """
    words = Words(subject.seed)
    made_up = []
    for media_type in _TYPES:
        for text in ("", words.paragraph(3)):
            told = judge(subject, _whole(text), QualityEvidence(media_type=media_type))
            if told is None:
                continue
            size = f"{len(text)} letters of {media_type.rpartition('.')[2]}"
            if told.text_yield_score is not None:
                made_up.append(f"text_yield_score {told.text_yield_score:.2f} for {size}")
            if told.table_integrity_score is not None:
                made_up.append(f"table_integrity_score {told.table_integrity_score:.2f} for {size}")
    expect_none(made_up[:4], "scores without anything to compare with", expected="null")


@check(
    "OC-QUAL-014",
    scope="plugin",
    level=2,
    spec=("QLT-1", "QLT-3"),
    requires=("OC-QUAL-006",),
    hook="score_quality",
    vectors=GENERATED,
)
def empty_conversions_are_not_perfect(subject: Subject) -> None:
    """A conversion without any text scores below one with all of it, also if every page of the source has a few letters only.

    Fix:
    Leave no page out for its size; an average over no pages is None, not 1.
    """
    words = Words(subject.seed)
    dice = random.Random(subject.seed)
    texts = [words.line(3)[:_SHORT] for _ in range(dice.randint(3, 6))]
    evidence = evidence_of(texts)
    whole, empty = (judge(subject, conversion_of(pages), evidence) for pages in (texts, [""] * len(texts)))
    best, worst = (_told(one) for one in (whole, empty))
    if best is None and worst is None:
        raise Unproven("it scored none of the conversions of short pages")
    if worst is not None and (best is None or worst >= best):
        raise Broken(
            "a conversion without text scores as high as the whole",
            expected=f"less than {best}",
            actual=f"{worst:.3f} for {len(texts)} empty pages",
        )
    alone = judge(subject, _whole(""), QualityEvidence(media_type="text/html"))
    if (score := _told(alone)) is not None and score >= 1.0:
        raise Broken("an empty document is perfect", expected="null, or less than 1", actual=f"{score:.3f}")


@check(
    "OC-QUAL-015",
    scope="plugin",
    level=2,
    spec=("QLT-2", "QLT-3"),
    requires=("OC-QUAL-010", "OC-QUAL-014"),
    hook="score_quality",
    vectors=GENERATED,
)
def lost_documents_are_told(subject: Subject) -> None:
    """A conversion that has nothing of several full pages scores less than a half, and a finding that degrades says so.

    Fix:
    Take the share of the text that is there for the score, from 0 on; raise `low_text_yield` with the severity `degraded`.
    """
    words = Words(subject.seed)
    texts = [words.paragraph(6) for _ in range(random.Random(subject.seed).randint(3, 6))]
    told = judge(subject, conversion_of([""] * len(texts)), evidence_of(texts))
    if told is None or told.quality_score is None:
        raise Unproven("it did not score a conversion without text")
    if told.quality_score >= _HALF:
        raise Broken("nothing scores like something", expected="less than 0.5", actual=f"{told.quality_score:.3f}")
    if not any(one.severity == "degraded" for one in told.findings):
        found = [f"{one.flag} as a {one.severity}" for one in told.findings]
        raise Broken("the loss of all text is not told", expected="a finding that degrades", actual=found or "none")


def _told(assessment: QualityAssessment | None) -> float | None:
    return assessment.quality_score if assessment else None


def _whole(text: str) -> Conversion:
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text, text=text),), paginated=False)
