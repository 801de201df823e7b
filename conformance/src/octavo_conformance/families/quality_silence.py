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


def _told(assessment: QualityAssessment | None) -> float | None:
    return assessment.quality_score if assessment else None


def _whole(text: str) -> Conversion:
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text, text=text),), paginated=False)
