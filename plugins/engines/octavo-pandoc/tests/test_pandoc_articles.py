"""JATS articles: the parts that Pandoc's reader drops stand in the markdown."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from octavo_contracts import Conversion

JATS = "application/jats+xml"
Convert = Callable[..., Conversion]


def article(*, front: str = "", body: str = "<p>Text.</p>", back: str = "") -> str:
    """An article with further elements of its metadata, its body and what follows it."""
    return f"""<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving DTD v1.0//EN" "JATS.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML">
<front><article-meta><title-group><article-title>Fog</article-title></title-group>{front}</article-meta></front>
<body>{body}</body><back>{back}</back></article>"""


def blocks(conversion: Conversion) -> list[str]:
    return conversion.pages[0].markdown.strip().split("\n\n")


def test_labels_of_tables_and_figures_stand_before_their_captions(convert_bytes: Convert) -> None:
    """CNV-5."""
    body = (
        "<table-wrap><label>Table 1</label><caption><title>Fog days</title><p>By month.</p></caption>"
        "<table><tbody><tr><td>May</td><td>4</td></tr></tbody></table>"
        "<table-wrap-foot><fn><label>a</label><p>Of 2001.</p></fn></table-wrap-foot></table-wrap>"
        "<table-wrap><label>Table 2</label><table><tbody><tr><td>June</td></tr></tbody></table></table-wrap>"
        '<fig><label>Figure 1.</label><caption><p>A <italic>pier</italic>.</p></caption><graphic xlink:href="p.jpg"/></fig>'
        '<fig><label>Figure 2</label><graphic xlink:href="q.jpg"/></fig>'
        "<boxed-text><label>Box 1</label><caption><title>Horns</title></caption><p>Loud.</p></boxed-text>"
    )
    assert blocks(convert_bytes(article(body=body), JATS)) == [
        "# Fog",
        "Table 1. Fog days. By month.",
        "| May | 4 |\n| --- | --- |",
        "<sup>a</sup> Of 2001.",
        "Table 2",
        "| June |\n| --- |",
        "![Figure 1. A *pier*.](p.jpg)",
        "![Figure 2](q.jpg)",
        "Box 1. Horns",
        "Loud.",
    ]


def test_affiliations_notes_about_authors_and_keywords_are_kept(convert_bytes: Convert) -> None:
    """CNV-5: also affiliations that stand beside the group of authors, which Pandoc passes over."""
    front = (
        "<contrib-group><contrib contrib-type='author'><name><surname>Quay</surname><given-names>Ada</given-names></name>"
        "<xref ref-type='aff' rid='a1'/></contrib><contrib contrib-type='editor'><name><surname>Mole</surname></name>"
        "<xref ref-type='aff' rid='e1'/></contrib></contrib-group>"
        "<aff id='a1'><label>1</label><institution-wrap><institution-id>grid.1</institution-id>"
        "<institution>Pier School</institution></institution-wrap>, Spain</aff><aff id='e1'>Press</aff>"
        "<author-notes><corresp>E-mail: <email>ada@pier.example</email></corresp><fn><p>No interests.</p></fn></author-notes>"
        "<abstract><sec><title>Aim</title><p>To count.</p></sec></abstract>"
        "<trans-abstract xml:lang='fr'><p>Brume.</p></trans-abstract>"
        "<kwd-group><kwd>fog</kwd><kwd>sea mist</kwd></kwd-group>"
    )
    conversion = convert_bytes(article(front=front, body="<sec><title>Methods</title><p>Text.</p></sec>"), JATS)
    assert blocks(conversion) == [
        "# Fog",
        "Ada Quay",
        "1 Pier School, Spain",
        "E-mail: ada@pier.example",
        "No interests.",
        "## Abstract",
        "### Aim",
        "To count.",
        "**Keywords:** fog, sea mist",
        "## Abstract (fr)",
        "Brume.",
        "## Methods",
        "Text.",
    ]
    assert conversion.metadata.author == "Ada Quay"


@pytest.mark.parametrize("tag", ["ack", "glossary", "fn-group", "notes", "app"])
def test_titles_of_what_follows_the_body_are_headings(tag: str, convert_bytes: Convert) -> None:
    """CNV-5."""
    back = f"<{tag}><title>Thanks</title><p>To all.</p></{tag}>"
    found = blocks(convert_bytes(article(body="<sec><title>Methods</title><p>Text.</p></sec>", back=back), JATS))
    assert found[-2:] == ["## Thanks", "To all."]


def test_a_letter_about_the_article_has_its_title_as_a_heading(convert_bytes: Convert) -> None:
    """CNV-5."""
    letter = (
        "</back><sub-article><front-stub><title-group><article-title>Decision</article-title></title-group></front-stub>"
        "<body><p>Accepted.</p></body></sub-article><back>"
    )
    found = blocks(convert_bytes(article(body="<sec><title>Methods</title><p>Text.</p></sec>", back=letter), JATS))
    assert found[-2:] == ["## Decision", "Accepted."]


def test_a_formula_between_paragraphs_is_mathematics(convert_bytes: Convert) -> None:
    """CNV-5."""
    body = "<p>So</p><disp-formula><mml:math><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math></disp-formula>"
    assert blocks(convert_bytes(article(body=body), JATS))[1:] == ["So", "$$x^{2}$$"]


def test_elements_of_a_citation_that_touch_are_parted(convert_bytes: Convert) -> None:
    """CNV-5: names in a mixed citation that has signs in some places only; italics within a word stay."""
    name = "<name><surname>{}</surname><given-names>{}</given-names></name>"
    back = (
        f"<ref-list><ref><mixed-citation>{name.format('Quay', 'A')}, {name.format('Mole', 'B')}. "
        "<article-title>On <italic>p</italic>H</article-title>. <source>Sea</source>. <year>2001</year>;<volume>4</volume>"
        "</mixed-citation></ref></ref-list>"
    )
    assert blocks(convert_bytes(article(back=back), JATS))[-1] == "- Quay A, Mole B. On pH. Sea. 2001;4"


@pytest.mark.parametrize(
    ("labels", "lines"),
    [
        (("1.", "2."), ["1. Quay", "2. Quay"]),
        (("[1]", "[2]"), ["1. Quay", "2. Quay"]),
        (("Q01", "Q02"), ["- Q01 Quay", "- Q02 Quay"]),
    ],
)
def test_references_keep_the_labels_that_the_text_cites(
    labels: tuple[str, ...], lines: list[str], convert_bytes: Convert
) -> None:
    """CNV-5."""
    listed = "".join(f"<ref><label>{label}</label><mixed-citation>Quay</mixed-citation></ref>" for label in labels)
    back = f"<ref-list>{listed}</ref-list>"
    assert blocks(convert_bytes(article(back=back), JATS))[-1].splitlines() == lines
