"""Bullets that a recogniser takes for other signs are known by how their lines hang."""

from __future__ import annotations

from octavo_text.recognised_bullets import PlacedWord, bullets_of

LETTER, BLANK = 5.0, 3.0


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
    found = bullets_of(
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
    assert not bullets_of(*placed((50, BLANK, "Printed in York"), (50, 12, "© Harbour Press"), (50, BLANK, "1931")))


def test_lines_that_hang_otherwise_or_begin_otherwise_are_no_list() -> None:
    assert not bullets_of(*placed((50, 12, "* Harbour Press"), (90, 12, "* Quay Street")))
    assert not bullets_of(*placed((50, 12, "* Harbour Press"), (50, 12, "» Quay Street")))


def test_a_word_that_is_a_letter_is_no_mark() -> None:
    """Italian and Portuguese have the word "e": behind it stands a blank as between any two words."""
    assert not bullets_of(*placed((50, BLANK, "e il mare"), (50, BLANK, "e la costa"), (50, BLANK, "e il molo")))


def test_small_signs_are_bullets_though_they_differ_and_no_gap_is_behind_them() -> None:
    """One printed bullet is read as a sign of copyright, of cents and as a letter, a line each."""
    lines = (
        (60, BLANK, "© Lamp oil"),
        (68, BLANK, "for two nights"),
        (61, BLANK, "e Two wicks"),
        (61, BLANK, "¢ A funnel"),
    )
    assert bullets_of(*placed(*lines, mark=5.0)) == {"© Lamp", "e Two", "¢ A"}
    assert not bullets_of(*placed(*lines))


def test_a_real_bullet_between_other_signs_continues_their_list() -> None:
    text, words = placed((60, BLANK, "© Lamp oil"), (60, BLANK, "• Two wicks"), (60, BLANK, "¢ A funnel"), mark=5.0)
    words[3] = words[3]._replace(height=10.0)
    assert bullets_of(text, words) == {"© Lamp", "• Two", "¢ A"}


def test_small_letters_alone_are_words() -> None:
    assert not bullets_of(*placed((50, BLANK, "e il mare"), (50, BLANK, "e la costa"), mark=5.0))


def test_a_sign_of_copyright_before_a_year_is_no_bullet() -> None:
    assert not bullets_of(*placed((50, 12, "© 1931 Harbour Press"), (50, 12, "© 1932 Quay Street"), mark=5.0))


def test_lines_whose_words_have_no_places_are_no_list() -> None:
    text, words = placed((60, 12, "e Lamp oil"), (60, 12, "e Two wicks"))
    assert bullets_of(text, words)
    assert not bullets_of(text, [])
    assert not bullets_of(text.replace("e Two", "e TWO"), words)
