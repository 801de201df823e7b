"""OC-QUAL on copies that are damaged in one place or one way: each page counts, and no damage is rewarded."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import pairwise

from octavo_contracts import (
    Conversion,
    ConversionWarning,
    DegradedFlag,
    Page,
    PageSight,
    QualityAssessment,
    QualityEvidence,
    SourcePart,
    SourceStructure,
    Table,
)

from ..checks import GENERATED, Broken, Unproven, check, expect_none
from ..subject import Subject
from ..vectors.words import CONSONANTS, Words
from .quality import FALL, judge

PAGES = 24
PARTIAL = DegradedFlag.PARTIAL_CONVERSION.value
_SILENT = "it scored none of the suite's conversions"


def _texts(seed: int) -> list[str]:
    words = Words(seed)
    return [f"{words.heading()}. " + " ".join(words.sentence() for _ in range(9)) for _ in range(PAGES)]


def _evidence(texts: list[str]) -> QualityEvidence:
    sights = tuple(PageSight(page=number, text=text) for number, text in enumerate(texts, start=1))
    return QualityEvidence(
        media_type="application/pdf",
        source_page_count=len(texts),
        expected_chars=tuple(len(text) for text in texts),
        sights=sights,
    )


def _judged(subject: Subject, texts: list[str], evidence: QualityEvidence) -> QualityAssessment:
    pages = tuple(Page(number=number, markdown=text, text=text) for number, text in enumerate(texts, start=1))
    assessment = judge(subject, Conversion(pages=pages, paginated=True), evidence)
    if assessment is None or assessment.quality_score is None:
        raise Unproven(_SILENT)
    return assessment


def _score(subject: Subject, texts: list[str], evidence: QualityEvidence) -> float:
    return _judged(subject, texts, evidence).quality_score or 0.0


@check(
    "OC-QUAL-008",
    scope="plugin",
    level=2,
    spec=("QLT-3",),
    requires=("OC-QUAL-006",),
    hook="score_quality",
    vectors=GENERATED,
)
def every_page_counts(subject: Subject) -> None:
    """The score falls for text that is lost at the beginning, in the middle and at the end of a long document, and less text is never better.

    Where it names the page for one lost page, it does so for another.

    Fix:
    Compare every page, not the first ones or a sample of them.
    """
    texts = _texts(subject.seed)
    evidence = _evidence(texts)
    whole = _score(subject, texts, evidence)
    third = PAGES // 3
    lost = {
        place: _score(subject, ["" if first <= at < first + third else one for at, one in enumerate(texts)], evidence)
        for place, first in (("first", 0), ("middle", third), ("last", 2 * third))
    }
    if whole - max(lost.values()) < FALL / 2:
        raise Broken(
            "lost pages do not count in every place",
            expected=f"{FALL / 2} less than {whole:.3f} without the first, the middle, the last third",
            actual={place: round(score, 3) for place, score in lost.items()},
        )
    uneven = _score(subject, [one * 2 if at % 2 else "" for at, one in enumerate(texts)], evidence)
    if whole - uneven < FALL / 2:
        raise Broken(
            "doubled pages stand for lost ones", expected=f"{FALL / 2} less than {whole:.3f}", actual=f"{uneven:.3f}"
        )
    shares = [
        _score(subject, [text[: int(len(text) * part)] for text in texts], evidence)
        for part in (1, 0.9, 0.7, 0.5, 0.3, 0.1)
    ]
    if any(later > earlier + 1e-9 for earlier, later in pairwise(shares)):
        raise Broken("less text scores higher", expected="falling scores", actual=[round(one, 4) for one in shares])
    dice = random.Random(subject.seed)
    named = {}
    for number in (1, dice.randint(8, 16), PAGES):
        found = _judged(subject, ["" if at == number else one for at, one in enumerate(texts, start=1)], evidence)
        named[number] = any(one.page == number for one in found.findings)
    if len(set(named.values())) > 1:
        raise Broken("lost pages are named in some places only", expected="each or none", actual=named)


@check(
    "OC-QUAL-012",
    scope="plugin",
    level=2,
    spec=("QLT-1", "ENG-23"),
    requires=("OC-QUAL-003", "OC-QUAL-008"),
    hook="score_quality",
    vectors=GENERATED,
)
def findings_name_the_page(subject: Subject) -> None:
    """A finding that a lost page causes, and that names a page, names the one that is lost.

    Fix:
    Take the number from the page, not from its place in a list, which begins with 0.
    """
    texts = _texts(subject.seed)
    evidence = _evidence(texts)
    usual = {(one.flag, one.page) for one in _judged(subject, texts, evidence).findings}
    dice = random.Random(subject.seed)
    wrong = []
    for number in (1, dice.randint(4, 9), dice.randint(12, 20), PAGES):
        found = _judged(subject, ["" if at == number else one for at, one in enumerate(texts, start=1)], evidence)
        wrong += [
            f"{one.flag}: page {one.page} for page {number}"
            for one in found.findings
            if one.page not in (None, number) and (one.flag, one.page) not in usual
        ]
    expect_none(wrong, "findings name another page", expected="the page that is lost")


@check(
    "OC-QUAL-009",
    scope="plugin",
    level=2,
    spec=("QLT-3",),
    requires=("OC-QUAL-005", "OC-QUAL-004"),
    hook="score_quality",
    vectors=GENERATED,
)
def damage_is_not_rewarded(subject: Subject) -> None:
    """No damaged copy scores above the whole: garbled words or figures, shuffled or doubled text, pages that changed places, doubtful recognition.

    If garbled words lower the score, garbled figures do.

    Fix:
    Compare figures and short words as you compare the others.
    Let no part of an assessment rise with what is lost, repeated or doubtful.
    """
    texts = _texts(subject.seed)
    evidence = _evidence(texts)
    dice = random.Random(subject.seed)
    whole = _score(subject, texts, evidence)
    moved = str.maketrans(CONSONANTS + CONSONANTS.upper(), (CONSONANTS[3:] + CONSONANTS[:3]) * 2)
    copies = {
        "garbled words": [text.translate(moved) for text in texts],
        "garbled figures": [re.sub(r"\d", lambda digit: str((int(digit.group()) + 3) % 10), text) for text in texts],
        "shuffled words": [" ".join(dice.sample(text.split(), len(text.split()))) for text in texts],
        "doubled text": [f"{text} {text}" for text in texts],
        "pages that changed places": [*texts[1:], texts[0]],
    }
    scores = {what: _score(subject, copy, evidence) for what, copy in copies.items()}
    confident, doubtful = (
        _score(subject, texts, evidence.model_copy(update={"ocr_confidences": (value,) * PAGES}))
        for value in (0.98, 0.3)
    )
    better = [f"{what}: {score:.4f}" for what, score in scores.items() if score > whole + 1e-9]
    if doubtful > confident + 1e-9:
        better.append(f"recognised with a confidence of 0.3: {doubtful:.4f}, of 0.98: {confident:.4f}")
    expect_none(better, "damaged copies score higher", expected=f"at most {whole:.4f}")
    if whole - scores["garbled words"] > FALL and whole - scores["garbled figures"] < 0.01:
        raise Broken(
            "garbled figures do not count",
            expected=f"less than {whole:.3f}, as for garbled words ({scores['garbled words']:.3f})",
            actual=f"{scores['garbled figures']:.3f}",
        )


@check(
    "OC-QUAL-011",
    scope="plugin",
    level=2,
    spec=("QLT-3",),
    requires=("OC-QUAL-008", "OC-QUAL-009"),
    hook="score_quality",
    vectors=GENERATED,
)
def one_broken_page_counts(subject: Subject) -> None:
    """One page in the middle that is empty, cut or unreadable lowers the score of a long document, and three such pages lower it more.

    Unreadable letters are U+FFFD, which decoders write for bytes that they cannot read.

    Fix:
    Compare what is on each page, not the number of its letters; let no average round a page away.
    """
    texts = _texts(subject.seed)
    evidence = _evidence(texts)
    whole = _score(subject, texts, evidence)
    first = random.Random(subject.seed).randint(6, 14)
    damages: dict[str, Callable[[str], str]] = {
        "empty": lambda text: "",
        "cut": lambda text: text[:40],
        "unreadable": lambda text: re.sub(r"\w", "\ufffd", text),
    }
    unseen = []
    for what, damage in damages.items():
        one, three = (
            _score(
                subject,
                [damage(text) if first <= at < first + count else text for at, text in enumerate(texts)],
                evidence,
            )
            for count in (1, 3)
        )
        if not whole > one > three:
            unseen.append(f"{what}: {whole:.4f} for no page, {one:.4f} for one, {three:.4f} for three")
    expect_none(unseen, "a broken page in the middle does not count", expected="falling scores")


@check(
    "OC-QUAL-016",
    scope="plugin",
    level=2,
    spec=("QLT-3", "ENG-23"),
    requires=("OC-QUAL-008", "OC-QUAL-012"),
    hook="score_quality",
    vectors=GENERATED,
)
def late_warnings_count(subject: Subject) -> None:
    """A converter's warnings of the last pages lower the score as those of the first ones do, and are named if those are.

    Fix:
    Judge every warning of the conversion; whether a page is early or late says nothing of what it has lost.
    """
    texts = _texts(subject.seed)
    evidence = _evidence(texts)
    whole = _score(subject, texts, evidence)
    count = random.Random(subject.seed).randint(2, 4)
    early, late = (_warned(subject, texts, evidence, range(first, first + count)) for first in (1, PAGES - count + 1))
    fall, later = (whole - (one.quality_score or 0.0) for one in (early, late))
    if later < fall / 2 - 1e-9:
        raise Broken(
            "warnings of late pages do not count",
            expected=f"{fall:.3f} less than {whole:.3f}, as for the first pages",
            actual=f"{later:.3f} less",
        )
    named = [sorted({one.flag for one in found.findings if one.page is not None}) for found in (early, late)]
    if named[0] != named[1]:
        raise Broken("warnings of late pages are not named", expected=named[0], actual=named[1])


def _warned(subject: Subject, texts: list[str], evidence: QualityEvidence, numbers: range) -> QualityAssessment:
    """Judge a conversion whose converter says of some pages that it has only a part of them; they are empty."""
    pages = tuple(
        Page(number=number, markdown=text, text=text)
        for number, text in ((at, "" if at in numbers else one) for at, one in enumerate(texts, start=1))
    )
    warnings = tuple(ConversionWarning(code=PARTIAL, message="the page is not read", page=number) for number in numbers)
    assessment = judge(subject, Conversion(pages=pages, paginated=True, warnings=warnings), evidence)
    if assessment is None or assessment.quality_score is None:
        raise Unproven(_SILENT)
    return assessment


SCRIPTS = {
    "Chinese": (0x4E00, 0x5FFF, ""), "Hangul": (0xAC00, 0xB000, " "), "Thai": (0x0E01, 0x0E2E, ""),
    "Arabic": (0x0627, 0x064A, " "), "Cyrillic": (0x0430, 0x044F, " "), "Greek": (0x03B1, 0x03C9, " "),
}  # fmt: skip
"""First and last letter of each script, and what stands between two words."""


@check(
    "OC-QUAL-010",
    scope="plugin",
    level=2,
    spec=("QLT-3",),
    requires=("OC-QUAL-005",),
    hook="score_quality",
    vectors=GENERATED,
)
def every_script_counts(subject: Subject) -> None:
    """The score falls with lost text in every script, and with lost tables: where some lost rows lower it, all lost rows do.

    Fix:
    Judge a text by what is there of it; where words cannot be told, count characters.
    A table that is not there at all is the worst of its copies.
    """
    dice = random.Random(subject.seed)
    blind = []
    for name, (low, high, gap) in SCRIPTS.items():
        texts = [
            gap.join("".join(chr(dice.randint(low, high)) for _ in range(5)) for _ in range(120)) + "."
            for _ in range(6)
        ]
        evidence = _evidence(texts)
        whole, broken = (
            _score(subject, [text[: int(len(text) * part)] for text in texts], evidence) for part in (1.0, 0.2)
        )
        if whole - broken < FALL:
            blind.append(f"{name}: {whole:.3f} for the whole, {broken:.3f} for a fifth")
    expect_none(blind, "lost text of some scripts does not count", expected=f"{FALL} less for a fifth of the text")
    kept = [_table_score(subject, rows) for rows in (12, 4, 0)]
    if kept[1] < kept[0] - 0.01 and kept[2] > kept[1] + 1e-9:
        raise Broken(
            "a table that is lost scores higher than one of which a part is",
            expected="falling scores for 12, 4 and 0 of 12 rows",
            actual=[round(score, 4) for score in kept],
        )


def _table_score(subject: Subject, rows: int) -> float:
    """Score a conversion with the text of three pages and some of the rows of their tables."""
    words = Words(subject.seed)
    grid = words.wide_grid(11)
    text = "\n".join(" ".join(row) for row in grid)
    sights = tuple(PageSight(page=number, text=text, table_rows=len(grid)) for number in (1, 2, 3))
    parts = tuple(
        SourcePart(kind="cell", text=cell[:200], page=number) for number in (1, 2, 3) for row in grid for cell in row
    )
    evidence = QualityEvidence(
        media_type="application/pdf",
        source_page_count=3,
        expected_chars=(len(text),) * 3,
        sights=sights,
        structure=SourceStructure(parts=parts),
    )
    tables = (Table(rows=grid[:rows]),) if rows else ()
    lines = ["| " + " | ".join(row) + " |" for row in grid[:rows]] + [" ".join(row) for row in grid[rows:]]
    if rows:
        lines.insert(1, "| " + " | ".join("---" for _ in grid[0]) + " |")
    pages = tuple(Page(number=number, markdown="\n".join(lines), text=text, tables=tables) for number in (1, 2, 3))
    assessment = judge(subject, Conversion(pages=pages, paginated=True), evidence)
    if assessment is None or assessment.quality_score is None:
        raise Unproven(_SILENT)
    return assessment.quality_score
