"""Plain text and markdown."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from octavo_plaintext.plain import plain_to_markdown


def rendered(markdown_text: str) -> str:
    """The text a reader of the markdown sees, by an independent CommonMark parser; white space collapsed."""
    markdown_it = pytest.importorskip("markdown_it", reason="needs an independent CommonMark parser")
    words: list[str] = []
    tokens = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown_text)
    for token in tokens:
        assert token.type in {"paragraph_open", "inline", "paragraph_close"}, f"{token.type} in {markdown_text!r}"
        for child in token.children or []:
            assert child.type in {"text", "text_special", "softbreak"}, f"{child.type} in {markdown_text!r}"
            words.append("\n" if child.type == "softbreak" else child.content)
        words.append("\n")
    return " ".join("".join(words).split())


@pytest.mark.parametrize(
    "text",
    [
        "# no heading",
        "- no list\n+ nor this\n* nor that",
        "1. no\n2) list",
        "title\n=====\nmore\n---",
        "> no quote",
        "```\nno fence\n```",
        "~~~\nno fence",
        "a *b* _c_ __d__ `e` ~~f~~ **g**",
        "see [x](y) and ![z](w) and <b>bold</b> and <https://example.org>",
        "AT&amp;T &copy; &#65; &x",
        "para\n\n    indented\n\tby tab",
        "| a | b |\n| --- | --- |\n| c | d |",
        "snake_case_name and C:\\path\\*",
        "[ref]: http://example.org\n\n[ref]",
        "***\n\n___\n\n- - -",
        "line with trailing blanks   \nnext",
        "back\\\nslash",
    ],
)
def test_plain_text_renders_as_itself(text):
    assert rendered(plain_to_markdown(text)) == " ".join(text.split())


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet="ab1 \n\t#*_-+=.>)(`~[]!<>&;:|\\/", max_size=60))
def test_any_text_renders_as_itself(text):
    assert rendered(plain_to_markdown(text)) == " ".join(text.split())


def test_paragraphs_and_lines_are_kept(convert):
    conversion = convert("First line\nsecond line\n\nNew paragraph\n", "text/plain")
    page = conversion.pages[0]
    assert page.markdown == "First line\nsecond line\n\nNew paragraph"
    assert page.text == "First line\nsecond line\n\nNew paragraph\n"
    assert page.kind == "whole"
    assert not conversion.paginated


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("pay \u202e4321\u202c now", "RIGHT-TO-LEFT OVERRIDE"),
        ("zero\u200bwidth", "ZERO WIDTH SPACE"),
        ("join\u200der", "ZERO WIDTH JOINER"),
        ("tag\U000e0041", "TAG LATIN CAPITAL LETTER A"),
    ],
)
def test_characters_that_deceive_are_kept_and_reported(convert, text, name):
    conversion = convert(text, "text/plain")
    assert conversion.pages[0].text == text
    assert [warning.code for warning in conversion.warnings] == ["unicode_controls"]
    assert name in conversion.warnings[0].message


def test_joiners_of_scripts_that_need_them_are_no_matter(convert):
    assert convert("می\u200cخواهم and 👩\u200d💻", "text/plain").warnings == ()


def test_markdown_stays_as_it_is_less_its_front_matter(convert):
    text = (
        "---\ntitle: 'A study'\nauthor: [Ada, Grace]\ndate: 2024-05-06\nlang: en\ntags:\n  - one\n  - two\n"
        "abstract: >\n  long\n  text\n---\n# Heading\n\n| a |\n| - |\n"
    )
    conversion = convert(text, "text/markdown")
    assert conversion.pages[0].markdown == "# Heading\n\n| a |\n| - |\n"
    metadata = conversion.metadata
    assert (metadata.title, metadata.author, metadata.date, metadata.language) == (
        "A study",
        "Ada, Grace",
        "2024-05-06",
        "en",
    )
    assert metadata.fields["tags"] == ["one", "two"]
    assert metadata.fields["abstract"] == "long text"


def test_toml_front_matter_is_metadata(convert):
    conversion = convert('+++\ntitle = "T"\nwhen = 2024-01-02\nn = [1, {a = 2}]\n+++\nBody', "text/markdown")
    assert conversion.pages[0].markdown == "Body"
    assert conversion.metadata.title == "T"
    assert conversion.metadata.fields == {"title": "T", "when": "2024-01-02", "n": [1, {"a": 2}]}


@pytest.mark.parametrize("text", ["---\n\nA rule first\n\n---\n", "+++\nnot = = toml\n+++\n", "---\nnever closed: x\n"])
def test_what_is_no_front_matter_stays(convert, text):
    conversion = convert(text, "text/markdown")
    assert conversion.pages[0].markdown == text
    assert conversion.metadata.fields == {}


def test_the_first_heading_is_the_title_without_front_matter(convert):
    assert convert("intro\n\n# The Title #\n", "text/markdown").metadata.title == "The Title"


def test_comments_of_markdown_are_hidden_but_code_is_code(convert):
    text = "a <!-- obey\nme --> b `<!-- span -->`\n\n```html\n<!-- fenced -->\n```\n\n~~~\nopen <!-- end"
    page = convert(text, "text/markdown").pages[0]
    assert "obey" not in page.markdown
    assert "`<!-- span -->`" in page.markdown
    assert "<!-- fenced -->" in page.markdown
    assert [(hidden.text, hidden.why) for hidden in page.hidden_text] == [("obey me", "comment")]


def test_an_unclosed_comment_keeps_the_text(convert):
    assert convert("a <!-- b", "text/markdown").pages[0].markdown == "a <!-- b"


def test_blank_text_is_an_empty_page(convert):
    conversion = convert(" \n\n", "text/plain")
    assert re.fullmatch(r"\s*", conversion.pages[0].markdown)
