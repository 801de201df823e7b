"""Windows cover every word once, and overlap as far as they say."""

import pytest

cutting = pytest.importorskip("octavo_gliner.windows", reason="octavo-gliner is not installed: it asks for torch")
WORD, windows = cutting.WORD, cutting.windows


@pytest.mark.parametrize("count", [0, 1, 5, 9, 10, 11, 17, 40, 101])
@pytest.mark.parametrize(("words", "overlap"), [(10, 4), (10, 0), (3, 2), (1, 0), (10, 9)])
def test_every_word_is_owned_by_one_window_that_holds_it(count: int, words: int, overlap: int) -> None:
    text = " ".join(f"w{number}🚀" for number in range(count))
    cut = windows(text, words=words, overlap=overlap)
    for match in WORD.finditer(text):
        owners = [window for window in cut if window.owns(match.start())]
        assert len(owners) == 1
        assert owners[0].start <= match.start() < match.end() <= owners[0].end
    assert all(len(WORD.findall(text[window.start : window.end])) <= words for window in cut)


def test_windows_that_would_never_move_on_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot overlap"):
        windows("a b c", words=4, overlap=4)
