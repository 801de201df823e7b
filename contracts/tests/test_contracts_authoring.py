"""What converters share: markdown that renders as its text, page selection, PDF dates."""

import octavo_contracts.authoring as authoring
import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo_contracts import ContentTooLarge, ConvertRequest, SourceCorrupt, UnsupportedFormat, UsageError
from octavo_contracts.authoring import (
    code_span,
    escape,
    escape_line_starts,
    fence,
    iso_date,
    link,
    pipe_table,
    require_media_type,
    source_pages,
    wanted_pages,
    wrap,
)

MarkdownIt = pytest.importorskip("markdown_it", reason="markdown-it-py renders what the helpers write").MarkdownIt


def rendered(markdown):
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    return " ".join(
        child.content for token in tokens for child in (token.children or []) if child.type in ("text", "code_inline")
    )


def request(**fields):
    return ConvertRequest(media_type="application/pdf", **fields)


def test_the_public_names_are_sorted():
    assert authoring.__all__ == sorted(authoring.__all__)


@given(st.text(st.sampled_from("ab *_`[]<>&~\\|#-+=.)1 !"), max_size=40))
def test_an_escaped_line_renders_as_its_text(text):
    shown = rendered(escape_line_starts(escape(text)))
    assert "".join(shown.split()) == "".join(text.split())


@pytest.mark.parametrize("text", ["# no heading", "- no item", "1. no item", "> no quote", "---", "a | b\n--- | ---"])
def test_line_starts_open_nothing(text):
    kinds = {token.type for token in MarkdownIt("commonmark").enable("table").parse(escape_line_starts(escape(text)))}
    assert kinds == {"paragraph_open", "inline", "paragraph_close"}


def test_code_holds_its_own_backticks():
    assert rendered(code_span("a `` b")) == "a `` b"
    assert fence("```\nx\n```", language="py").splitlines()[0] == "````py"
    assert code_span("  ") == ""


def test_links_and_emphasis_survive_odd_characters():
    assert link("a", "http://x/ (b)") == "[a](http://x/%20%28b%29)"
    assert wrap(" bold ", "**") == " **bold** "
    assert wrap("  ", "**") == "  "


def test_a_pipe_table_keeps_its_cells():
    table = pipe_table([["a|b", "c"], ["1\n2"], ["x", "y", "z"]])
    assert table.splitlines() == ["| a\\|b | c |  |", "| --- | --- | --- |", "| 1 2 |", "| x | y | z |"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("D:20240229120000+01'00'", "2024-02-29T12:00:00+01:00"),
        ("D:20240229120000Z", "2024-02-29T12:00:00+00:00"),
        ("D:20240229", "2024-02-29"),
        ("D:202402", "2024-02"),
        ("2024", "2024"),
        ("D:20240230", None),
        ("D:202413", "2024"),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_pdf_dates_are_iso_dates_as_far_as_they_go(text, expected):
    assert iso_date(text) == expected


def test_wanted_pages_are_all_or_those_asked_for():
    assert list(wanted_pages(request(), 3)) == [1, 2, 3]
    assert list(wanted_pages(request(pages=(1, 3)), 3)) == [1, 3]
    assert source_pages(request(), range(1, 4)) is None
    assert source_pages(request(pages=(1, 3)), (1, 3)) == (1, 3)


@pytest.mark.parametrize("pages", [(), (0,), (4,), (2, 1), (1, 1)])
def test_pages_that_do_not_exist_or_are_out_of_order_are_the_callers_error(pages):
    with pytest.raises(UsageError, match="the document has 3"):
        wanted_pages(request(pages=pages), 3)


def test_no_page_and_too_many_pages_are_the_documents():
    with pytest.raises(SourceCorrupt, match="has no page"):
        wanted_pages(request(), 0)
    with pytest.raises(ContentTooLarge, match="above the limit of 2"):
        wanted_pages(request(max_pages=2), 3)


def test_a_foreign_media_type_is_refused_with_those_that_are_read():
    require_media_type(request(), {"application/pdf"})
    with pytest.raises(UnsupportedFormat, match="application/pdf is not supported; supported are a/b, c/d"):
        require_media_type(request(), {"c/d", "a/b"})
