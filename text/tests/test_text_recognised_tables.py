"""Tables of recognised pages, by the places of their words (CNV-10)."""

from __future__ import annotations

from octavo_contracts import BoundingBox, OCRWord
from octavo_text.tables.recognised_tables import recognised_tables

ROWS = (("Ship", "Cargo", "Crew"), ("Freja of Skagen", "salt", "14"), ("Ran", "fish", "9"), ("Skade", "timber", "22"))


def word(text: str, left: float, top: float) -> OCRWord:
    box = BoundingBox(left=left, top=top, right=left + 6 * len(text), bottom=top + 10)
    return OCRWord(text=text, box=box, confidence=0.9)


def line(cells: tuple[str, ...], top: float, *, at: tuple[float, ...] = (50, 200, 300)) -> list[OCRWord]:
    """Cells, each at its left edge, their words with a narrow gap."""
    found = []
    for left, cell in zip(at, cells, strict=True):
        for text in cell.split():
            found.append(word(text, left, top))
            left += 6 * len(text) + 4
    return found


def table(top: float = 100) -> list[OCRWord]:
    return [one for place, row in enumerate(ROWS) for one in line(row, top + 20 * place)]


def test_words_that_stand_under_each_other_are_cells():
    (found,) = recognised_tables(table())
    assert found.rows == ROWS
    assert found.box is not None
    assert (found.box.left, found.box.top) == (50, 100)


def test_the_order_of_the_words_does_not_matter():
    columns = sorted(table(), key=lambda one: (one.box.left, one.box.top))
    assert [one.rows for one in recognised_tables(columns)] == [ROWS]


def test_an_empty_cell_keeps_its_column():
    words = [one for one in table() if one.text != "fish"]
    assert recognised_tables(words)[0].rows[2] == ("Ran", "", "9")


def test_lines_of_text_around_a_table_are_not_of_it():
    prose = ["The", "keepers", "of", "the", "coast", "sent", "these", "figures", "in", "before", "the", "ice", "came"]
    above = line((" ".join(prose),), 80, at=(50,))
    below = line((" ".join(prose),), 180, at=(50,))
    assert [one.rows for one in recognised_tables([*above, *table(), *below])] == [ROWS]


def test_a_word_beside_several_rows_joins_none_of_them():
    """A vertical label, or a mark that was read as a letter, in the margin of a table."""
    box = BoundingBox(left=400, top=112, right=418, bottom=155)
    label = OCRWord(text="Fleet", box=box, confidence=0.1)
    wide = label.model_copy(update={"box": box.model_copy(update={"right": 460})})
    assert [one.rows for one in recognised_tables([*table(), label])] == [ROWS]
    assert [one.rows for one in recognised_tables([*table(), wide])] == [ROWS]


def test_a_large_word_beside_one_row_is_of_it():
    words = table()
    box = words[-1].box
    words[-1] = words[-1].model_copy(
        update={"box": box.model_copy(update={"top": box.top - 6, "bottom": box.bottom + 8})}
    )
    assert [one.rows for one in recognised_tables(words)] == [ROWS]


def test_two_columns_and_two_rows_are_no_table():
    pairs = [one for place, row in enumerate(ROWS) for one in line(row[:2], 100 + 20 * place, at=(50, 200))]
    assert recognised_tables(pairs) == []
    assert recognised_tables(table()[:8]) == []


def test_columns_of_running_text_are_no_table():
    text = "the keeper read the gauge at dawn and wrote it down"
    words = [one for place in range(8) for one in line((text, text, text), 100 + 14 * place, at=(50, 420, 800))]
    assert recognised_tables(words) == []


def test_rows_far_apart_are_no_table():
    assert recognised_tables([one for place, row in enumerate(ROWS) for one in line(row, 100 + 90 * place)]) == []


def test_a_page_without_words_has_none():
    assert recognised_tables([]) == []
