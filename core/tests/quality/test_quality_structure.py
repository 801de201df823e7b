"""The parts that a census counted are compared with the markdown, and what is missing is named (QLT-2)."""

from __future__ import annotations

import pytest
from octavo.builtins.quality.assess import assess
from octavo_contracts import Conversion, Page, QualityEvidence, SourcePart, SourceStructure
from octavo_text.markdown import plain_text

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
KEPT = """\
# Tides

- Ebb and flow

> Said the warden

    code = 1

See [the port](https://example.org/a%20b/) and $a+b$, [^1].

| place | height |
| --- | --- |
| Port | 2 |

![A chart of seals](seals.png)

[^1]: A note at the end. In the box. North.
"""
PARTS = (
    SourcePart(kind="heading", text="Tides", level=1),
    SourcePart(kind="list_item", text="Ebb and flow", level=1),
    SourcePart(kind="quote", text="Said the warden"),
    SourcePart(kind="code_block", text="code = 1"),
    SourcePart(kind="link", text="the port", target="https://example.org/a b"),
    SourcePart(kind="equation", text="a+b"),
    SourcePart(kind="note", text="A note at the end"),
    SourcePart(kind="text_box", text="In the box"),
    SourcePart(kind="chart", text="North"),
    SourcePart(kind="table", text="place height"),
    SourcePart(kind="cell", count=4),
    SourcePart(kind="image", text="A chart of seals"),
)


def lost(markdown: str, *parts: SourcePart, media_type: str = WORD) -> dict[str, tuple[str, str]]:
    """Return flag → (severity, message) of the findings on lost parts."""
    page = Page(number=1, kind="whole", markdown=markdown, text=plain_text(markdown))
    conversion = Conversion(pages=(page,), paginated=False)
    evidence = QualityEvidence(media_type=media_type, structure=SourceStructure(parts=parts))
    findings = assess(conversion, evidence).findings
    return {one.flag: (one.severity, one.message) for one in findings if one.flag.endswith("_lost")}


def test_what_the_markdown_has_is_not_lost() -> None:
    assert lost(KEPT, *PARTS) == {}


def test_titles_and_notes_of_a_sheet_are_cells_too() -> None:
    """CNV-7: a cell above or below a table is a paragraph; one that is nowhere is lost."""
    markdown = "## Tides\n\nHeights of March\n\n| Port | 2 |\n| --- | --- |\n| Quay | 3 |\n\nIn metres.\n"
    cells = SourceStructure(parts=(SourcePart(kind="cell", page=1, count=6),))
    for text, expected in ((markdown, []), (markdown.replace("In metres.\n", ""), ["cells_lost"])):
        page = Page(number=1, kind="sheet", label="Tides", markdown=text, text=plain_text(text))
        evidence = QualityEvidence(media_type="application/vnd.ms-excel", structure=cells)
        found = assess(Conversion(pages=(page,), paginated=True), evidence).findings
        assert [one.flag for one in found if one.flag == "cells_lost"] == expected


@pytest.mark.parametrize(
    ("part", "without", "flag"),
    [
        ("heading", ("# Tides", "Tides"), "headings_lost"),
        ("list_item", ("- Ebb", "Ebb"), "list_items_lost"),
        ("code_block", ("    code", "code"), "code_blocks_lost"),
        ("link", ("[the port](https://example.org/a%20b/)", "the port"), "links_lost"),
        ("equation", ("$a+b$", "a+b"), "equations_lost"),
        ("note", ("A note at the end.", ""), "notes_lost"),
        ("text_box", ("In the box.", ""), "text_boxes_lost"),
        ("chart", ("North", ""), "charts_lost"),
        ("table", ("| --- | --- |\n", ""), "tables_lost"),
    ],
)
def test_what_the_markdown_lacks_is_named(part: str, without: tuple[str, str], flag: str) -> None:
    before, after = without
    found = lost(KEPT.replace(before, after), *(one for one in PARTS if one.kind == part))
    assert list(found) == [flag]
    severity, message = found[flag]
    assert severity == "degraded"
    assert message.startswith("1 of 1 ")


def test_a_link_whose_target_the_text_spells_out_is_not_lost() -> None:
    """A cell of a workbook often holds the address that it leads to."""
    cell = "Write to warden@example.org, or read C:\\tides\\spring-tides.htm"
    assert lost(cell, SourcePart(kind="link", target="mailto:warden@example.org")) != {}
    assert lost(cell, SourcePart(kind="link", target="spring-tides.htm")) == {}
    assert (
        lost(f"{cell} (mailto:warden@example.org)", SourcePart(kind="link", target="mailto:warden@example.org")) == {}
    )
    assert "links_lost" in lost("About tides.", SourcePart(kind="link", target="tides"))


def test_a_short_text_is_not_found_across_two_cells() -> None:
    """The title of a chart; where a language writes no spaces, its words are found inside a line."""
    table = "| Level | Share |\n| --- | --- |\n| 1.2 | 3 % |"
    assert "charts_lost" in lost(table, SourcePart(kind="chart", text="Levels"))
    assert lost(f"**Levels:**\n\n{table}", SourcePart(kind="chart", text="Levels")) == {}
    assert (
        lost("An e-mail, *no* 1!", SourcePart(kind="note", text="No. 1"), SourcePart(kind="note", text="E-mail")) == {}
    )
    assert lost("今日は潮位が高い。", SourcePart(kind="note", text="潮位")) == {}


def test_a_loss_names_its_slides_and_no_words_of_the_document() -> None:
    parts = [SourcePart(kind="note", text=f"Secret {number}", page=number) for number in (1, 2)]
    _, message = lost("# Only a title", *parts)["notes_lost"]
    assert message == (
        "2 of 2 footnotes, endnotes or speaker notes of the source are missing in the conversion, on pages 1–2"
    )


def test_the_frame_of_a_web_page_is_no_loss() -> None:
    """The content alone is converted: a part is judged only if its words were kept."""
    parts = (
        SourcePart(kind="heading", text="The headline", level=1),
        SourcePart(kind="heading", text="More from this author", level=2),
        SourcePart(kind="heading", text="About the grey seals", level=2),
    )
    found = lost("Text.\n\nAbout the grey seals\n\nMore text.", *parts, media_type="text/html")
    assert found == {
        "headings_lost": (
            "note",
            "2 of 2 headings of the source, whose words the conversion has, are not marked in the conversion",
        )
    }


def test_a_heading_of_a_menu_whose_words_stand_in_a_sentence_is_no_loss() -> None:
    parts = (
        SourcePart(kind="heading", text="The headline", level=1),
        SourcePart(kind="heading", text="The grey seals", level=2),
    )
    assert lost("# The headline\n\nAbout the grey seals of the bay.", *parts, media_type="text/html") == {}
    assert "headings_lost" in lost("# The headline\n\n**The grey seals** of the bay.", *parts, media_type="text/html")


@pytest.mark.parametrize(("kept", "codes"), [(1, ["links_lost"]), (2, [])])
def test_links_of_menus_are_no_loss_where_an_article_has_its_own(kept: int, codes: list[str]) -> None:
    """Labels and menus have links whose words are in the article too."""
    words = ["The grey seals", "Of the harbour", "Keepers of gauges", "Lights of the coast"]
    parts = (SourcePart(kind="link", text=text, target=f"https://a.invalid/{at}") for at, text in enumerate(words))
    links = [f"[{text}](https://a.invalid/{at})" if at < kept else text for at, text in enumerate(words)]
    assert list(lost("\n\n".join(links), *parts, media_type="text/html")) == codes


def test_lost_parts_lower_the_score() -> None:
    def score(markdown: str) -> float:
        page = Page(number=1, kind="whole", markdown=markdown, text=plain_text(markdown))
        evidence = QualityEvidence(media_type=WORD, structure=SourceStructure(parts=PARTS))
        return assess(Conversion(pages=(page,), paginated=False), evidence).quality_score or 0.0

    assert score(KEPT.replace("$a+b$", "")) < score(KEPT)


def test_html_inside_markdown_counts() -> None:
    parts = (
        SourcePart(kind="table", text="a"),
        SourcePart(kind="cell", count=2),
        SourcePart(kind="list_item", text="b"),
    )
    markdown = "<table><tr><td>a</td><td><ul><li>b</li></ul></td></tr></table>\n"
    assert lost(markdown, *parts) == {}


def test_a_hostile_text_is_compared_in_linear_time() -> None:
    """Dollars and brackets without an end, and thousands of parts that are not there."""
    parts = [SourcePart(kind="note", text=f"note number {number} that is missing") for number in range(4000)]
    text = "$a " * 50_000 + "<td " * 20_000
    assert "notes_lost" in lost(text, *parts)
