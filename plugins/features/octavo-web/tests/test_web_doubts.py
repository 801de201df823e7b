"""When a page that was fetched plainly goes to a crawler (CNV-14): by its markup and by what was found in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo_contracts import FileSource, HookContext
from octavo_web.doubts import doubts
from octavo_web.looking import PageLook, look

GOOD = PageLook(title=True, words=400, linked_words=60, script_chars=500, chars=9000)
PROSE = "The tide came in at noon and the harbour filled slowly. "


@pytest.mark.parametrize(
    ("changes", "main_words", "has_title", "wanted"),
    [
        ({}, 300, True, ()),
        ({}, 80, True, ()),
        ({}, 79, True, ("its main content is 79 of 400 words",)),
        ({"linked_words": 240}, 300, True, ()),
        ({"linked_words": 241}, 300, True, ("241 of its 400 words are links",)),
        ({"title": False}, 300, True, ()),
        ({"title": True}, 300, False, ()),
        ({"title": False}, 300, False, ("it has no title",)),
        ({"words": 24, "linked_words": 0}, 24, True, ("it has no body",)),
        ({"words": 25, "linked_words": 0}, 25, True, ()),
        ({"words": 3, "linked_words": 0, "script_chars": 2700}, 3, True, ("its text is written by scripts",)),
        ({"words": 3, "linked_words": 0, "script_chars": 2699}, 3, True, ("it has no body",)),
        (
            {"words": 0, "linked_words": 0, "title": False, "script_chars": 8000},
            0,
            False,
            ("its text is written by scripts", "it has no title"),
        ),
    ],
)
def test_each_trigger_has_its_bound(
    changes: dict[str, object], main_words: int, has_title: bool, wanted: tuple[str, ...]
) -> None:
    found = doubts(GOOD.model_copy(update=changes), main_words=main_words, has_title=has_title)

    assert found == wanted


def seen(html: str, folder: Path) -> PageLook:
    path = folder / "page.html"
    path.write_text(html, encoding="utf-8")
    context = HookContext(work_dir=folder, deadline=1e12)
    return PageLook.read(look(b"", FileSource(path, media_type="text/html"), context))


def test_words_links_scripts_and_title_are_told_apart(tmp_path: Path) -> None:
    page = seen(
        f"<html><head><title>Tides</title><style>p {{color: red}}</style></head><body><p>{PROSE}</p>"
        "<a href='/x'>two words</a><script>let a = 'not a word';</script></body></html>",
        tmp_path,
    )

    assert page.title
    assert page.words == 13
    assert page.linked_words == 2
    assert page.script_chars == len("let a = 'not a word';")


@pytest.mark.parametrize(
    ("html", "words", "linked"),
    [
        ("<p>one two<p>three<br>four", 4, 0),
        ("<head><title>T</title><body>one two", 2, 0),
        ("<a href=x>one <b>two</b></a> three", 3, 2),
        ("<a href=x>one<a href=y>two", 2, 2),
        ("<noscript>one</noscript><svg><title>no</title><text>two</text></svg>three", 1, 0),
        ("</div></p>one", 1, 0),
        ("", 0, 0),
        ("one <!-- two -->", 1, 0),
    ],
)
def test_markup_that_nobody_closed_is_read_as_a_browser_would(
    html: str, words: int, linked: int, tmp_path: Path
) -> None:
    page = seen(html, tmp_path)

    assert (page.words, page.linked_words) == (words, linked)


def test_a_picture_s_title_is_not_the_page_s(tmp_path: Path) -> None:
    assert not seen("<svg><title>logo</title></svg><p>text</p>", tmp_path).title
