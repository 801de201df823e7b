"""Labels of list items and headings of OpenDocument files, as a word processor shows them (CNV-8)."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from octavo_contracts.authoring.list_numbers import list_marker
from octavo_contracts.authoring.open_document_labels import item_labels

SPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{prefix}:1.0"' for prefix in ("text", "style", "office")
)
LOEXT = 'xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"'
CLAUSES = """<text:list-style style:name="C">
<text:list-level-style-number text:level="1" style:num-format="1" style:num-prefix="Section "/>
<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")" text:display-levels="2"/>
<text:list-level-style-number text:level="3" style:num-format="i" style:num-prefix="(" style:num-suffix=")" text:start-value="4"/>
<text:list-level-style-bullet text:level="4"/>
</text:list-style>"""
OUTLINE = """<text:outline-style style:name="Outline">
<text:outline-level-style text:level="1" style:num-format="I" style:num-suffix="."/>
<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>
<text:outline-level-style text:level="3" style:num-format=""/>
</text:outline-style>"""


def labelled(content: str, styles: str = CLAUSES) -> list[tuple[str, str | None]]:
    """The first words of each item and heading of a text, with its label."""
    roots = [
        ElementTree.fromstring(f"<office:text {SPACES} {LOEXT}>{part}</office:text>") for part in (content, styles)
    ]
    labels = item_labels(*roots)
    name = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
    found = []
    for element in roots[0].iter():
        text = element.text if element.tag == f"{name}h" else element.findtext(f"{name}p")
        if text and element.tag in {f"{name}list-item", f"{name}list-header", f"{name}h"}:
            found.append((text, labels.get(element)))
    return found


def item(text: str, inner: str = "", more: str = "") -> str:
    """An item with a paragraph, and what follows it there."""
    return f"<text:list-item{more}><text:p>{text}</text:p>{inner}</text:list-item>"


def listed(*items: str, more: str = "") -> str:
    """A list, of its parent's style if it has no other."""
    return f"<text:list{more}>{''.join(items)}</text:list>"


def test_each_level_counts_in_its_own_form() -> None:
    deepest = listed(item("bullet"))
    text = listed(
        item("one", listed(item("first"), item("second", listed(item("deep"), item("deeper", deepest))))),
        item("two", listed(item("again"))),
        more=' text:style-name="C"',
    )
    assert labelled(text) == [
        ("one", "Section 1"),
        ("first", "1.a)"),
        ("second", "1.b)"),
        ("deep", "(iv)"),
        ("deeper", "(v)"),
        ("bullet", None),
        ("two", "Section 2"),
        ("again", "2.a)"),
    ]


@pytest.mark.parametrize(
    ("more", "label"),
    [
        (' text:style-name="C"', "Section 1"),
        (' text:style-name="C" text:continue-numbering="true"', "Section 3"),
        (' text:style-name="C" text:continue-list="first"', "Section 2"),
        (' text:style-name="C" text:continue-list="unknown"', "Section 1"),
    ],
)
def test_a_list_goes_on_where_it_says_so(more: str, label: str) -> None:
    first = listed(item("one"), more=' text:style-name="C" xml:id="first"')
    other = listed(item("one"), item("two"), more=' text:style-name="C"')
    assert labelled(first + other + listed(item("next"), more=more))[-1] == ("next", label)


def test_a_deeper_item_after_a_paragraph_does_not_count_the_item_that_only_holds_it() -> None:
    """That is how LibreOffice writes clauses with paragraphs between them."""
    more = ' text:style-name="C" text:continue-numbering="true"'
    between = listed(f"<text:list-item>{listed(item('deeper'))}</text:list-item>", more=more)
    text = listed(item("one"), more=' text:style-name="C"') + between + between + listed(item("two"), more=more)
    assert labelled(text) == [("one", "Section 1"), ("deeper", "1.a)"), ("deeper", "1.b)"), ("two", "Section 2")]


def test_items_may_give_their_number_and_headers_have_none() -> None:
    text = listed(
        item("four", more=' text:start-value="4"'),
        "<text:list-header><text:p>none</text:p></text:list-header>",
        item("five"),
        more=' text:style-name="C"',
    )
    assert labelled(text) == [("four", "Section 4"), ("none", None), ("five", "Section 5")]


def test_headings_count_by_the_outline_and_by_the_list_that_they_are_in() -> None:
    def heading(text: str, level: int, more: str = "") -> str:
        return f'<text:h text:outline-level="{level}"{more}>{text}</text:h>'

    text = (
        heading("One", 1)
        + heading("Deeper", 2)
        + heading("Deepest", 3)
        + heading("Preface", 1, ' text:is-list-header="true"')
        + heading("Next", 2)
        + heading("Two", 1)
        + heading("Nine", 2, ' text:restart-numbering="true" text:start-value="9"')
    )
    assert labelled(text, OUTLINE) == [
        ("One", "I."),
        ("Deeper", "I.1"),
        ("Deepest", None),
        ("Preface", None),
        ("Next", "I.2"),
        ("Two", "II."),
        ("Nine", "II.9"),
    ]
    inside = listed(f"<text:list-item>{heading('Scope', 1)}</text:list-item>", more=' text:style-name="C"')
    assert list(item_labels(ElementTree.fromstring(f"<a {SPACES}>{CLAUSES}{inside}</a>"), None).values()) == [
        "Section 1"
    ]


def test_the_template_of_libreoffice_is_taken_where_it_is_written() -> None:
    style = (
        '<text:list-style style:name="C"><text:list-level-style-number text:level="1" style:num-format="01" style:num-prefix="x"'
        ' loext:num-list-format="Art. %1% –"/></text:list-style>'
    )
    assert labelled(listed(item("one"), more=' text:style-name="C"'), style) == [("one", "Art. 01 –")]


def test_damaged_levels_are_no_error() -> None:
    style = (
        '<text:list-style style:name="C"><text:list-level-style-number style:num-format="1"/><text:list-level-style-number text:level="99"'
        ' style:num-format="1"/><text:list-level-style-number text:level="1" style:num-format="1" text:display-levels="x" '
        'text:start-value="-3"/></text:list-style>'
    )
    deep = "<text:list><text:list-item>" * 40 + "<text:p>deep</text:p>" + "</text:list-item></text:list>" * 40
    assert labelled(listed(item("one"), more=' text:style-name="C"') + deep, style) == [("one", "1"), ("deep", None)]


@pytest.mark.parametrize(
    ("label", "marker"),
    [
        ("3.", "3."),
        ("3)", "3)"),
        ("3", "3."),
        ("(b)", "- (b)"),
        ("1.2", "- 1.2"),
        ("Section 1", "- Section 1"),
        ("#", "- \\#"),
    ],
)
def test_markers_are_numbers_where_markdown_knows_them(label: str, marker: str) -> None:
    assert list_marker(label) == marker
