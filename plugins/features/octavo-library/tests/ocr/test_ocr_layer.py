"""Where the words of a text layer go."""

from __future__ import annotations

import pytest
from octavo_contracts import BoundingBox, OCRWord
from octavo_searchable_pdf.text_layer import Matrix, Turn, find_turn, place, shown_from_upright, user_from_shown

WIDTH, HEIGHT = 600.0, 800.0
UPRIGHT = [
    ("The", 50, 100, 90, 112),
    ("harbour", 100, 100, 180, 112),
    ("was", 190, 104, 220, 112),
    ("closed", 50, 130, 110, 142),
    ("until", 120, 130, 160, 142),
    ("noon", 170, 134, 210, 142),
]
TURNS: tuple[Turn, ...] = (0, 90, 180, 270)


def shown(turn: Turn) -> tuple[list[OCRWord], float, float]:
    """The same page, turned; its words' boxes as they are shown, and its size."""
    width, height = (WIDTH, HEIGHT) if turn % 180 == 0 else (HEIGHT, WIDTH)
    to_shown = shown_from_upright(turn, width=width, height=height)
    words = []
    for text, left, top, right, bottom in UPRIGHT:
        (x0, y0), (x1, y1) = to_shown.point(left, top), to_shown.point(right, bottom)
        box = BoundingBox(left=min(x0, x1), top=min(y0, y1), right=max(x0, x1), bottom=max(y0, y1))
        words.append(OCRWord(text=text, box=box, confidence=0.9))
    return words, width, height


@pytest.mark.parametrize("turn", TURNS)
def test_the_turn_of_a_page_is_found_by_its_words(turn: Turn) -> None:
    words, _, _ = shown(turn)
    assert find_turn(words) == turn


@pytest.mark.parametrize("turn", TURNS)
def test_a_column_of_single_words_is_no_turned_page(turn: Turn) -> None:
    """A list has no word beside another: the way from line to line tells which way up it lies."""
    words, _, _ = shown(turn)
    assert find_turn([words[0], words[3]]) == turn


def test_a_page_without_words_stands_upright() -> None:
    assert find_turn([]) == 0


@pytest.mark.parametrize("turn", TURNS)
def test_words_are_placed_alike_however_the_page_is_turned(turn: Turn) -> None:
    words, width, height = shown(turn)
    upright = place(shown(0)[0], turn=0, width=WIDTH, height=HEIGHT)
    placed = place(words, turn=turn, width=width, height=height)
    for one, other in zip(upright, placed, strict=True):
        assert one.text == other.text
        assert one[1:] == pytest.approx(other[1:])


def test_boxes_of_a_line_are_of_more_even_height_than_its_ink() -> None:
    """OCR-4: 'was' has neither ascender nor descender, and shows in one band with its neighbours."""
    placed = {word.text: word for word in place(shown(0)[0], turn=0, width=WIDTH, height=HEIGHT)}
    assert 100 < placed["was"].top < 102
    assert placed["harbour"].top == 100
    assert (placed["was"].left, placed["was"].right) == (190, 220)


def test_a_mark_beside_large_print_keeps_its_own_box() -> None:
    words = [
        OCRWord(text="TITLE", box=BoundingBox(left=50, top=50, right=250, bottom=110), confidence=0.9),
        OCRWord(text="*", box=BoundingBox(left=260, top=60, right=268, bottom=70), confidence=0.9),
    ]
    assert place(words, turn=0, width=WIDTH, height=HEIGHT)[1][1:] == (260, 60, 268, 70)


@pytest.mark.parametrize("turn", TURNS)
def test_the_corners_of_the_upright_page_are_those_of_the_shown_one(turn: Turn) -> None:
    _, width, height = shown(turn)
    to_shown = shown_from_upright(turn, width=width, height=height)
    corners = {to_shown.point(x, y) for x in (0, WIDTH) for y in (0, HEIGHT)}
    assert corners == {(x, y) for x in (0, width) for y in (0, height)}


@pytest.mark.parametrize(
    ("rotate", "top_left", "to_the_right"),
    [(0, (10, 820), (11, 820)), (90, (10, 20), (10, 21)), (180, (610, 20), (609, 20)), (270, (610, 820), (610, 819)), (-90, (610, 820), (610, 819))],
)  # fmt: skip
def test_the_shown_page_lies_in_user_space_as_its_rotation_says(
    rotate: int, top_left: tuple[float, float], to_the_right: tuple[float, float]
) -> None:
    """ISO 32000-2, table 31: /Rotate turns the page clockwise when it is shown."""
    matrix = user_from_shown(rotate, (10, 20, 610, 820))
    assert matrix.point(0, 0) == top_left
    assert matrix.point(1, 0) == to_the_right


def test_maps_follow_each_other() -> None:
    first, second = Matrix(2, 0, 0, 3, 1, 1), Matrix(0, 1, -1, 0, 5, 0)
    assert first.then(second).point(4, 7) == second.point(*first.point(4, 7))
