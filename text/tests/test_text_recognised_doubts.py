"""Doubtful lines of a recognised page, and what another recogniser has in their place."""

from __future__ import annotations

from datetime import UTC, datetime

from octavo_contracts import BoundingBox, OCRResult, OCRWord
from octavo_text.recognised_doubts import has_doubtful_lines, settled
from octavo_text.recognised_lines import lines_of

GOOD = tuple(f"{number} boats came in before noon on a rising tide" for number in ("Seven", "Eight", "Nine", "Ten"))


def page(*lines: str, method: str = "first", sure: float = 0.95, weak: float = 0.3, shift: float = 0.0) -> OCRResult:
    """Return a recognised page; words that end with `?` have the confidence `weak`, and lose the sign."""
    words = []
    for row, line in enumerate(lines):
        left = 50.0
        for word in line.split():
            text = word.removesuffix("?")
            top = 100 + 20 * row + shift
            box = BoundingBox(left=left, top=top, right=left + 5 * len(text), bottom=top + 10)
            words.append(OCRWord(text=text, box=box, confidence=weak if word.endswith("?") else sure))
            left += 5 * len(text) + 4
    return OCRResult(
        page_number=1,
        page_fingerprint="0" * 64,
        extracted_text="\n".join(lines).replace("?", ""),
        words=tuple(words),
        confidence=sum(word.confidence for word in words) / len(words),
        method=method,
        processed_at=datetime.now(UTC),
        tool_version="1",
    )


def test_ruined_lines_make_a_page_doubtful_though_its_mean_is_good() -> None:
    ruined = page(*GOOD, "Take nothing hinge? fom? this iii? at night", *GOOD)
    assert ruined.confidence > 0.9
    assert has_doubtful_lines(ruined)
    assert settled(ruined).doubts == ("“hinge fom this iii”",)


def test_single_doubtful_words_do_not() -> None:
    scattered = page("Seven boats? came in", *GOOD, "Eight boats? came in", *GOOD)
    assert not has_doubtful_lines(scattered)
    assert settled(scattered) == (scattered, ())


def test_words_with_digits_are_doubtful_by_themselves() -> None:
    assert has_doubtful_lines(page("Depends: libc6&? for all", *GOOD, "Made for amd64? and more"))


def test_doubtful_words_are_replaced_by_those_of_a_result_that_is_sure() -> None:
    first = page(*GOOD, "Take nothing hinge? fom? this iii? at night", *GOOD)
    second = page(*GOOD, "Take nothing things from this place. atnight", *GOOD, method="second", shift=1)
    result, doubts = settled(first, [second])
    assert result.extracted_text.splitlines()[4] == "Take nothing things from this place. at night"
    assert result.extracted_text.splitlines()[:4] == list(GOOD)
    assert [word.text for word in result.words if word.confidence < 0.6] == []
    assert [[token.text for token in line] for line in lines_of(result)] == [
        line.split() for line in result.extracted_text.splitlines()
    ]
    assert result.confidence > first.confidence
    assert doubts == ()


def test_words_that_both_have_are_doubtful_no_more() -> None:
    first = page("Take frozen? unstable? testing? now", "Set Build? -Depends? first", *GOOD)
    second = page("Take frozen unstable testing now", "Set Bui ld - Depends first", *GOOD, method="second")
    assert settled(first, [second]) == (first, ())


def test_signs_of_a_doubtful_word_are_those_of_the_sure_result() -> None:
    first = page("Depends: libc6&? (>= 2.14)", *GOOD, "Made for amd64? only")
    second = page("Depends: libc6 (>= 2.14)", *GOOD, "Made for amd64 only", method="second")
    result, doubts = settled(first, [second])
    assert (result.extracted_text.splitlines()[0], doubts) == ("Depends: libc6 (>= 2.14)", ())


def test_a_result_that_is_not_sure_or_stands_elsewhere_replaces_nothing() -> None:
    first = page("Take hinge? fom? iii? now", *GOOD)
    for other in (
        page("Take things from place now", *GOOD, method="second", sure=0.7),
        page("Take things from place now", *GOOD, method="second", shift=200),
        page("Take it now", *GOOD, method="second"),
    ):
        result, doubts = settled(first, [other])
        assert result == first
        assert doubts == ("“hinge fom iii”",)


def test_words_with_digits_that_two_results_have_differently_are_named() -> None:
    first = page("Version: 2.9-2+deb8ul of it", *GOOD)
    second = page("Version: 2.9-2+deb8u1 of it", *GOOD, method="second")
    result, doubts = settled(first, [second])
    assert result == first
    assert doubts == ("“2.9-2+deb8ul” (first) or “2.9-2+deb8u1” (second)",)


def test_a_result_that_is_unsure_of_such_a_word_contradicts_nothing() -> None:
    first = page("Paid on 25/12/2018 in cash", *GOOD)
    assert settled(first, [page("Paid on 26/12/2018? in cash", *GOOD, method="second")]) == (first, ())


def test_the_surer_one_of_them_is_used() -> None:
    first = page("Version: 2.9-2+deb8ul? of it", *GOOD, weak=0.8)
    result, doubts = settled(first, [page("Version: 2.9-2+deb8u1 of it", *GOOD, method="second")])
    assert result.extracted_text.startswith("Version: 2.9-2+deb8u1 of it\n")
    assert doubts == ("“2.9-2+deb8u1” (second) or “2.9-2+deb8ul” (first)",)


def test_a_short_line_in_a_script_that_the_page_does_not_have_is_doubtful() -> None:
    assert settled(page(*GOOD, "1本0.3 0")).doubts == ("“1本0.3 0”",)
    assert settled(page(*GOOD, "10 Ω")).doubts == ()
    assert settled(page(*GOOD, "東京", "本 30")).doubts == ()
    assert settled(page("1本0.3 0")).doubts == ()


def test_a_page_without_boxes_is_left_as_it_is() -> None:
    bare = page(*GOOD).model_copy(update={"words": ()})
    assert settled(bare, [page(*GOOD, method="second")]) == (bare, ())
    assert not has_doubtful_lines(bare)


def test_pages_with_more_words_than_a_page_has_are_not_compared() -> None:
    """The time of a comparison grows with the square of the words of a line."""
    long = page(*GOOD * 80, "Take nothing hinge? fom? this iii? at night")
    other = page(*GOOD * 80, "Take nothing things from this place at night", method="second")
    assert settled(long, [other]).result == long
