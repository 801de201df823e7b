"""Lost page boundaries are found again by a second reading (CNV-12)."""

import random

from octavo_text.page_split import split_markdown

RANDOM = random.Random(7)
VOCABULARY = ["".join(RANDOM.choices("abcdefghijklmnop", k=6)) for _ in range(3000)]


def page(seed, words=120):
    return " ".join(random.Random(seed).choices(VOCABULARY, k=words))


def test_boundaries_come_back_when_text_is_equal():
    pages = [page(n) for n in range(5)]
    parts, found = split_markdown("\n\n".join(pages), pages)
    assert parts == pages
    assert found == 1.0


def test_markup_before_the_first_word_goes_with_its_page():
    pages = ["Intro " + page(1), "Chapter " + page(2)]
    parts, _ = split_markdown(f"{pages[0]}\n\n## {pages[1]}", pages)
    assert parts[1].startswith("## Chapter")


def test_an_empty_page_stays_empty():
    pages = [page(1), "", page(3)]
    parts, found = split_markdown(f"{pages[0]}\n\n{pages[2]}", pages)
    assert parts == [pages[0], "", pages[2]]
    assert found == 1.0


def test_text_that_the_converter_moved_does_not_mislead():
    pages = [page(n) for n in range(4)]
    moved = "\n\n".join([pages[0], pages[1], " ".join(pages[3].split()[50:60]), pages[2], pages[3]])
    parts, found = split_markdown(moved, pages)
    assert found == 1.0
    assert parts[2].endswith(pages[2][-200:])


def test_unrelated_text_locates_nothing():
    _, found = split_markdown(page(99), [page(n) for n in range(4)])
    assert found == 0.0


def test_nothing_is_lost_at_the_cuts():
    pages = [page(n) for n in range(6)]
    markdown = "\n\n".join(pages)
    parts, _ = split_markdown(markdown, [text[:300] for text in pages])
    assert " ".join(parts).split() == markdown.split()
