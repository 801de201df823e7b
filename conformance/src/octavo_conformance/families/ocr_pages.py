"""OC-OCR on pages with print of several sizes, on pages that are printed up to their edges, and on pages of numbers."""

from __future__ import annotations

from collections import Counter, defaultdict
from difflib import SequenceMatcher

from octavo_contracts import OCRResult

from ..checks import GENERATED, Broken, check, expect_none
from ..hook_inputs import DPI, image_of
from ..subject import Subject
from ..vectors import words_of
from ..vectors.fresh_page import FreshPage, make_filled, make_letters, make_numbers, make_prose, make_sizes
from .ocr import READ_SHARE, recognise, share_of_letters

FINE = 600.0
"""Dots an inch of a fine scan."""
LEAST_CHANGES = 4
"""Readings of a figure as another one that are no chance."""
LONG, MOST_STRAY = 5, 0.2
"""Letters of a word that is taken for no other one, and share of words in the other column that misread words make."""
USUAL = 0.8
"""Share of the words of a page that are read, so that a line of which none is read is no chance."""


@check("OC-OCR-019", scope="plugin", level=3, spec=("OCR-1",), requires=("OC-OCR-008",), hook="ocr", vectors=GENERATED)
def small_print_is_read(subject: Subject) -> None:
    """Of the lines that are read on a page of their own, half at least are read on a page with lines of twice their height too.

    The lines have 20 points and, as the same picture of a finer resolution, 5 points.

    Fix:
    Drop no line for being lower than the others: addresses, conditions and notes are printed small.
    """
    for dpi in (DPI, FINE):
        both, alone = (_read(subject, page, dpi=dpi) for page in make_sizes(subject.seed))
        if 2 * len(alone & both) < len(alone):
            raise Broken(
                "small print is not read beside large print", expected=sorted(alone), actual=sorted(alone & both)
            )


@check("OC-OCR-020", scope="plugin", level=3, spec=("OCR-1",), requires=("OC-OCR-008",), hook="ocr", vectors=GENERATED)
def lines_at_the_edges_are_read(subject: Subject) -> None:
    """On a page of many lines of which nearly all words are read, words of the first and of the last line are read as well.

    Fix:
    Leave out no part of the page: what is a running head or a foot is the host's to decide.
    """
    page, lines = make_filled(subject.seed)
    read = _read(subject, page)
    counts: dict[int, int] = {}
    for line, (word, _) in zip(lines, page.words, strict=True):
        counts[line] = counts.get(line, 0) + (word in read)
    inner = [count for line, count in counts.items() if 0 < line < max(lines)]
    if sum(inner) < USUAL * len(page.words) * len(inner) / len(counts):
        return  # where many words of other lines are not read, nothing is said of these
    if not counts[0] or not counts[max(lines)]:
        raise Broken("lines at the edge of a page are not read", expected="words of each line", actual=counts)


@check("OC-OCR-021", scope="plugin", level=3, spec=("OCR-1",), requires=("OC-OCR-008",), hook="ocr", vectors=GENERATED)
def figures_are_read_as_themselves(subject: Subject) -> None:
    """On a page of numbers no figure is read as another one more often than as itself, and hardly a number with its figures in another order.

    Figures that are not read, or read as letters, are not counted: engines differ in how they read the suite's font.

    Fix:
    Change no figure that the engine reads: correct no numbers by what a sum or a date would be.
    """
    page = make_numbers(subject.seed)
    result: OCRResult = recognise(subject, image_of(page.png)).read(OCRResult)
    wanted, found = "".join(word for word, _ in page.words), "".join(result.extracted_text.split())
    readings: dict[str, Counter[str]] = defaultdict(Counter)
    for kind, start, end, at, until in SequenceMatcher(None, wanted, found, autojunk=False).get_opcodes():
        if kind == "equal" or (kind == "replace" and end - start == until - at):
            for printed, read in zip(wanted[start:end], found[at:until], strict=True):
                readings[printed][read] += 1
    changed = [
        f"{printed} as {read} ({count} times, as itself {seen[printed]})"
        for printed, seen in sorted(readings.items())
        for read, count in seen.items()
        if read.isdecimal() and read != printed and count >= LEAST_CHANGES and count > seen[printed]
    ]
    expect_none(changed, "figures are read as others", expected="the figures of the page")
    known = {"".join(sorted(word)): word for word, _ in page.words}
    turned = [
        f"{known[key]} as {word}"
        for word in words_of(result.extracted_text)
        if known.get(key := "".join(sorted(word)), word) != word
    ]
    if len(turned) >= LEAST_CHANGES:
        raise Broken("figures stand in another order", expected="the order of the page", actual=turned)


@check("OC-OCR-024", scope="plugin", level=2, spec=("OCR-3",), requires=("OC-OCR-011",), hook="ocr", vectors=GENERATED)
def pages_with_one_head_are_read(subject: Subject) -> None:
    """Of two letters with the same head, the second is not answered with the words of the first.

    Fix:
    Let all pixels of a picture decide what a cache holds, not those of a part of it.
    """
    first, second = make_letters(subject.seed)
    before, found = _read(subject, first), _found(subject, second)
    others, own = _among(first, found), _among(second, found)
    if len(before) * 2 > len(first.words) and len(own) < len(others):
        raise Broken("a letter has the words of another one", expected=sorted(own), actual=sorted(others))


@check(
    "OC-OCR-023",
    scope="plugin",
    level=3,
    spec=("OCR-1",),
    requires=("OC-OCR-008", "OC-OCR-012"),
    hook="ocr",
    vectors=GENERATED,
)
def columns_are_read_one_after_the_other(subject: Subject) -> None:
    """Two columns of text are read one after the other: hardly a line of the right one stands behind one of the left.

    Fix:
    Put the lines of each column together before the text is joined; tables with short cells are read across.
    """
    page, lines = make_prose(subject.seed)
    # Of each word of the reading that is a word of the page, the column in which it is printed.
    order = [
        lines[max(range(len(page.words)), key=lambda at: share_of_letters(word, page.words[at][0]))]
        for word in _found(subject, page)
        if len(word) >= LONG and max(share_of_letters(word, known) for known, _ in page.words) > READ_SHARE
    ]
    if len(set(order)) < 2:
        return  # where a column is not read, nothing is said of their order
    stray = _stray(order)
    if stray > MOST_STRAY * len(order):
        raise Broken(
            "columns are read straight across",
            expected="one column after the other",
            actual=f"{stray} of {len(order)} words are among those of the other column",
        )


def _stray(order: list[int]) -> int:
    """Return how many words stand among those of the other column, of columns 0 and 1 wherever one ends and the other begins."""
    ends = (order[:end].count(0) + order[end:].count(1) for end in range(len(order) + 1))
    return min(min(found, len(order) - found) for found in ends)


def _read(subject: Subject, page: FreshPage, *, dpi: float = DPI) -> set[str]:
    """Return the words of a page that are read."""
    return _among(page, _found(subject, page, dpi=dpi))


def _found(subject: Subject, page: FreshPage, *, dpi: float = DPI) -> list[str]:
    """Return what is read on a page, word by word."""
    result: OCRResult = recognise(subject, image_of(page.png, dpi=dpi)).read(OCRResult)
    return words_of(result.extracted_text.upper())


def _among(page: FreshPage, found: list[str]) -> set[str]:
    """Return the words of a page of which most letters are those of a word that was read."""
    return {word for word, _ in page.words if any(share_of_letters(word, one) >= READ_SHARE for one in found)}
