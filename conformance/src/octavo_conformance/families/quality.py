"""OC-QUAL: the scoring of conversions."""

from __future__ import annotations

import random

from octavo_contracts import Conversion, DocumentMetadata, Page, QualityAssessment, QualityEvidence

from ..checks import GENERATED, Broken, Unproven, check, expect_equal, expect_none
from ..evidence import describe
from ..hook_inputs import EVIDENCE, conversion_keeping, conversion_of
from ..subject import Subject
from ..vectors.words import Words

FALL = 0.1
"""How much the score of a document falls at least if four fifths of it are lost."""


def judge(subject: Subject, conversion: Conversion, evidence: QualityEvidence = EVIDENCE) -> QualityAssessment | None:
    """Call the hook.

    Raises:
        Broken: the hook raised, or its answer is malformed.
    """
    seen = subject.call("score_quality", {"conversion": conversion, "evidence": evidence})
    if seen.error is not None:
        raise Broken("the hook raised an error", expected="an assessment or None", actual=describe(seen.error))
    assessment: QualityAssessment | None = None if seen.answer == "null" else seen.read(QualityAssessment)
    return assessment


@check("OC-QUAL-001", scope="plugin", level=1, spec=("QLT-1",), requires=("OC-LOAD-004",), hook="score_quality")
def assessment_or_nothing(subject: Subject) -> None:
    """`score_quality` returns a QualityAssessment, or None if it has no opinion.

    Fix:
    Return scores from 0 to 1, and None for aspects that were not assessed.
    """
    if judge(subject, conversion_keeping(1.0)) is None:
        raise Unproven("it assessed none of the suite's conversions")


@check("OC-QUAL-002", scope="plugin", level=2, spec=("QLT-3",), requires=("OC-QUAL-001",), hook="score_quality")
def the_score_falls(subject: Subject) -> None:
    """The score falls on degraded copies of one document: all of the text, half of it, a tenth.

    Fix:
    Compare the conversion with the evidence: characters per page, pages of the source.
    """
    found = [judge(subject, conversion_keeping(share)) for share in (1.0, 0.5, 0.1)]
    scores = [assessment.quality_score for assessment in found if assessment and assessment.quality_score is not None]
    if not scores:
        raise Unproven("it scored none of the suite's conversions")
    if not (len(scores) == 3 and scores[0] > scores[1] > scores[2]):
        raise Broken("the score does not fall", expected="falling scores", actual=scores)


@check(
    "OC-QUAL-003", scope="plugin", level=2, spec=("QLT-1", "ENG-23"), requires=("OC-QUAL-001",), hook="score_quality"
)
def findings_explain_themselves(subject: Subject) -> None:
    """A finding names a page that exists, and states the observation in a sentence.

    Fix:
    Give every flag a message; count pages from 1.
    """
    assessment = judge(subject, conversion_keeping(0.1))
    if assessment is None:
        raise Unproven("it assessed none of the suite's conversions")
    odd = [f.flag for f in assessment.findings if not f.message or (f.page or 1) > 3]
    expect_none(odd, "findings without a message or with a wrong page", expected="a message and a page of 1..3")


@check(
    "OC-QUAL-004",
    scope="plugin",
    level=2,
    spec=("QLT-3",),
    requires=("OC-QUAL-001",),
    hook="score_quality",
    deterministic=True,
)
def scores_are_deterministic(subject: Subject) -> None:
    """The same conversion gets the same assessment.

    Fix:
    Score from the conversion and the evidence alone.
    """
    first, second = (judge(subject, conversion_keeping(0.5)) for _ in range(2))
    if first is None and second is None:
        raise Unproven("it assessed none of the suite's conversions")
    expect_equal(second, first, "two assessments of one conversion")


@check(
    "OC-QUAL-005",
    scope="plugin",
    level=2,
    spec=("QLT-3",),
    requires=("OC-QUAL-002",),
    hook="score_quality",
    vectors=GENERATED,
)
def the_score_is_of_the_loss(subject: Subject) -> None:
    """A short document that is whole scores higher than a long one of which most is lost, by a tenth at least.

    Fix:
    Compare the conversion with the evidence of its own document; a length alone says nothing.
    """
    dice = random.Random(subject.seed)
    short, long = dice.randint(3, 9), dice.randint(60, 120)
    whole = _scored(subject, sentences=short, of=short)
    broken = _scored(subject, sentences=long // 5, of=long)
    if whole - broken < FALL:
        raise Broken(
            "the score does not tell whole from broken",
            expected=f"{FALL} more for {short} of {short} sentences a page than for {long // 5} of {long}",
            actual=f"{whole:.3f} and {broken:.3f}",
        )


def _scored(subject: Subject, *, sentences: int, of: int) -> float:
    sentence = Words(subject.seed).line(14) + ". "
    text = sentence * sentences
    conversion = Conversion(pages=tuple(Page(number=n, markdown=text, text=text) for n in (1, 2, 3)), paginated=True)
    evidence = EVIDENCE.model_copy(update={"expected_chars": (len(sentence) * of,) * 3})
    assessment = judge(subject, conversion, evidence)
    if assessment is None or assessment.quality_score is None:
        raise Unproven("it scored none of the suite's conversions")
    return assessment.quality_score


@check(
    "OC-QUAL-006",
    scope="plugin",
    level=2,
    spec=("QLT-3",),
    requires=("OC-QUAL-005",),
    hook="score_quality",
    vectors=GENERATED,
)
def lost_pages_count(subject: Subject) -> None:
    """A conversion of which most pages are empty, although the source has text on them, scores lower than the whole, by a tenth at least.

    Fix:
    Compare each page with what is expected of it; an empty page has lost all of its text.
    """
    sentence = Words(subject.seed).line(14) + ". "
    pages = random.Random(subject.seed).randint(6, 12)
    kept = {1, pages}
    whole, broken = (
        _scored_texts(
            subject, [sentence * 20 if number in numbers else "" for number in range(1, pages + 1)], len(sentence) * 20
        )
        for numbers in (set(range(1, pages + 1)), kept)
    )
    if whole - broken < FALL:
        raise Broken(
            "lost pages do not count",
            expected=f"{FALL} less for {len(kept)} of {pages} pages",
            actual=f"{whole:.3f} for all, {broken:.3f} for {len(kept)}",
        )


@check(
    "OC-QUAL-007",
    scope="plugin",
    level=2,
    spec=("QLT-3",),
    requires=("OC-QUAL-004", "OC-QUAL-005"),
    hook="score_quality",
    deterministic=True,
    vectors=GENERATED,
)
def the_converter_does_not_matter(subject: Subject) -> None:
    """Version of the engine, metadata and sizes of the pages of a conversion do not change its score.

    Fix:
    Score what is on the pages; neither favour a converter nor compare what says nothing of the text.
    """
    sentence = Words(subject.seed).line(14) + ". "
    plain = conversion_of([sentence * 4] * 3)
    sized = tuple(page.model_copy(update={"width": 595.0, "height": 842.0}) for page in plain.pages)
    other = plain.model_copy(
        update={
            "engine_version": "9.9.9",
            "metadata": DocumentMetadata(title="A title", source="A program"),
            "pages": sized,
        }
    )
    evidence = EVIDENCE.model_copy(update={"expected_chars": (len(sentence) * 20,) * 3})
    found = [judge(subject, conversion, evidence) for conversion in (plain, other)]
    scores = [assessment.quality_score for assessment in found if assessment is not None]
    if scores in ([], [None, None]):
        raise Unproven("it scored none of the suite's conversions")
    expect_equal(scores[1:], scores[:1], "the score of the same pages from another converter")


def _scored_texts(subject: Subject, texts: list[str], expected: int) -> float:
    evidence = EVIDENCE.model_copy(update={"source_page_count": len(texts), "expected_chars": (expected,) * len(texts)})
    assessment = judge(subject, conversion_of(texts), evidence)
    if assessment is None or assessment.quality_score is None:
        raise Unproven("it scored none of the suite's conversions")
    return assessment.quality_score
