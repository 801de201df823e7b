"""Bullets that a recogniser takes for other signs are known by how their lines hang."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from octavo_contracts import BoundingBox, OCRResult, OCRWord
from octavo_text.recognised_bullets import PlacedWord, lists_of, with_lists
from octavo_text.recognised_markdown import page_markdown

LETTER, BLANK = 5.0, 3.0


def bullets(text: str, words: Sequence[PlacedWord]) -> frozenset[str]:
    """The beginnings of the lines that are items."""
    return lists_of(text, words).bullets


def placed(*lines: tuple[float, float, str], mark: float = 10.0) -> tuple[str, list[PlacedWord]]:
    """Return the text of lines and their words, ten points high.

    Args:
        lines: left edge, width of the gap behind the first word, and text.
        mark: height of the first word of each line.
    """
    words = []
    for left, gap, line in lines:
        for at, word in enumerate(line.split()):
            words.append(PlacedWord(word, left, left + LETTER * len(word), 10.0 if at else mark))
            left += LETTER * len(word) + (BLANK if at else gap)
    return "\n".join(line for _, _, line in lines), words


def test_lines_that_begin_with_the_same_mark_and_hang_alike_are_items() -> None:
    found = bullets(
        *placed(
            (50, BLANK, "What to bring:"),
            (60, 12, "e Lamp oil for two nights"),
            (77, BLANK, "and a funnel"),
            (60, 12, "e Two spare wicks"),
            (50, BLANK, "Nothing else."),
        )
    )
    assert found == {"e Lamp", "e Two"}


def test_one_line_alone_is_left_as_it_is() -> None:
    assert not bullets(*placed((50, BLANK, "Printed in York"), (50, 12, "© Harbour Press"), (50, BLANK, "1931")))


def test_lines_that_hang_otherwise_or_begin_otherwise_are_no_list() -> None:
    assert not bullets(*placed((50, 12, "* Harbour Press"), (90, 12, "* Quay Street")))
    assert not bullets(*placed((50, 12, "* Harbour Press"), (50, 12, "» Quay Street")))


def test_a_word_that_is_a_letter_is_no_mark() -> None:
    """Italian and Portuguese have the word "e": behind it stands a blank as between any two words."""
    assert not bullets(*placed((50, BLANK, "e il mare"), (50, BLANK, "e la costa"), (50, BLANK, "e il molo")))


def test_small_signs_are_bullets_though_they_differ_and_no_gap_is_behind_them() -> None:
    """One printed bullet is read as a sign of copyright, of cents and as a letter, a line each."""
    lines = (
        (60, BLANK, "© Lamp oil"),
        (68, BLANK, "for two nights"),
        (61, BLANK, "e Two wicks"),
        (61, BLANK, "¢ A funnel"),
    )
    assert bullets(*placed(*lines, mark=5.0)) == {"© Lamp", "e Two", "¢ A"}
    assert not bullets(*placed(*lines))


def test_a_real_bullet_between_other_signs_continues_their_list() -> None:
    text, words = placed((60, BLANK, "© Lamp oil"), (60, BLANK, "• Two wicks"), (60, BLANK, "¢ A funnel"), mark=5.0)
    words[3] = words[3]._replace(height=10.0)
    assert bullets(text, words) == {"© Lamp", "• Two", "¢ A"}


def test_small_letters_alone_are_words() -> None:
    assert not bullets(*placed((50, BLANK, "e il mare"), (50, BLANK, "e la costa"), mark=5.0))


def test_a_sign_of_copyright_before_a_year_is_no_bullet() -> None:
    assert not bullets(*placed((50, 12, "© 1931 Harbour Press"), (50, 12, "© 1932 Quay Street"), mark=5.0))


def test_lines_whose_words_have_no_places_are_no_list() -> None:
    text, words = placed((60, 12, "e Lamp oil"), (60, 12, "e Two wicks"))
    assert bullets(text, words)
    assert not bullets(text, [])
    assert not bullets(text.replace("e Two", "e TWO"), words)


def recognised(*lines: tuple[float, float, str], mark: float = 5.0) -> OCRResult:
    """A page of lines.

    Args:
        lines: left edge, top, and text, which follows an empty line where it begins with a line end; bullets are five points
            high, other words ten.
        mark: height of the bullets.
    """
    words = []
    for left, top, line in lines:
        for word in line.split():
            height = mark if word in "©¢e" else 10.0
            box = BoundingBox(left=left, top=top, right=left + LETTER * len(word), bottom=top + height)
            words.append(OCRWord(text=word, box=box, confidence=0.9))
            left = box.right + BLANK
    return OCRResult(
        page_number=1,
        page_fingerprint="0" * 64,
        extracted_text="\n".join(line for _, _, line in lines),
        words=tuple(words),
        confidence=0.9,
        method="keen",
        processed_at=datetime(2026, 1, 1, tzinfo=UTC),
        tool_version="1.0",
    )


ITEMS = (
    (60, 20, "© Lamp oil for two"),
    (68, 34, "\nnights!"),
    (60, 60, "\n¢ Two spare wicks"),
    (60, 74, "e A funnel © 1931"),
)


def test_the_signs_read_for_bullets_are_bullets_in_the_text_and_in_the_words() -> None:
    result = with_lists(recognised(*ITEMS))
    assert result.extracted_text == "• Lamp oil for two\nnights!\n\n• Two spare wicks\n• A funnel © 1931"
    assert [word.text for word in result.words] == result.extracted_text.split()
    assert [word.box for word in result.words] == [word.box for word in recognised(*ITEMS).words]


def test_signs_that_are_no_bullets_stay() -> None:
    page = recognised(*ITEMS, mark=10.0)
    assert with_lists(page) is page


def test_a_line_below_the_text_of_an_item_continues_it_if_it_is_near() -> None:
    far = recognised(ITEMS[0], (68, 60, "\nnights!"), (60, 74, "\n¢ Two spare wicks"))
    assert with_lists(far).extracted_text == "• Lamp oil for two\n\nnights!\n\n• Two spare wicks"


def test_the_lines_are_looked_at_where_they_are_level() -> None:
    page = recognised(*ITEMS)
    tilted = {word.box: word.box.model_copy(update={"left": word.box.left + 40}) for word in page.words[:5]}
    skewed = page.model_copy(
        update={
            "words": tuple(word.model_copy(update={"box": tilted.get(word.box, word.box)}) for word in page.words),
        }
    )
    back = {box: straight for straight, box in tilted.items()}
    done = with_lists(skewed, lambda box: back.get(box, box))
    assert done.extracted_text.startswith("• Lamp oil for two\nnights!")
    assert [word.box for word in done.words] == [word.box for word in skewed.words]
    assert not with_lists(skewed).extracted_text.startswith("•")


def test_the_last_line_of_an_item_in_large_print_is_no_heading() -> None:
    body = tuple((50, 100 + 14 * line, f"line {line} of the text of this page") for line in range(9))
    page = recognised(*ITEMS, *body)
    large = page.words[5].model_copy(update={"box": page.words[5].box.model_copy(update={"bottom": 54.0})})
    page = page.model_copy(update={"words": (*page.words[:5], large, *page.words[6:])})
    done = with_lists(page)
    assert page_markdown(done.extracted_text, done).startswith("- Lamp oil for two\nnights!\n\n- Two spare wicks\n- A")
