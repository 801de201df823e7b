"""Parts of rich text that Pandoc drops: notes, comments, text boxes, letters beyond U+FFFF (CNV-5, CNV-6)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from octavo_contracts import Conversion

Convert = Callable[..., Conversion]


def rich(body: str, convert_bytes: Convert) -> str:
    conversion = convert_bytes(rf"{{\rtf1\ansi {body}}}", "application/rtf")
    assert not conversion.warnings
    return str(conversion.pages[0].markdown)


@pytest.mark.parametrize(
    "note",
    [
        r"{\footnote By \b whom\b0 ?}",
        r"{\*\footnote \chftn By \b whom\b0 ?}",
        r"{\super\chftn {\footnote\ftnalt\pard\plain {\super\chftn}By {\b whom}?\par}}",
    ],
)
def test_notes_stand_below_the_text(convert_bytes: Convert, note: str) -> None:
    assert rich(rf"Seen{note} twice.\par After.\par", convert_bytes) == (
        "Seen[^1] twice.\n\nAfter.\n\n[^1]: By **whom**?\n"
    )


def test_notes_keep_their_order_and_their_paragraphs(convert_bytes: Convert) -> None:
    body = r"One{\footnote First.\par Still first.} two{\footnote Second.}.\par"
    assert rich(body, convert_bytes) == "One[^1] two[^2].\n\n[^1]: First.\n\nStill first.\n\n[^2]: Second.\n"


def test_comments_are_listed_with_their_authors_days_and_what_they_are_about(convert_bytes: Convert) -> None:
    about = r"{\*\atrfstart 7}the mill{\*\atrfend 7}"
    note = r"{\*\atnid AL}{\*\atnauthor Ada}\chatn{\*\annotation{\*\atnref 7}{\*\atndate 658852877}Which one?}"
    lone = r"{\*\atnid BO}{\*\atnauthor Bo}\chatn{\*\annotation Twice.}"
    assert rich(rf"Seen {about}{note} burn{lone}.\par", convert_bytes) == (
        "Seen the mill burn.\n\n## Comments\n\n- Comment by Ada, 2016-05-09 on “the mill”: Which one?\n- Comment by Bo: Twice.\n"
    )


def test_deleted_text_is_listed_and_not_read(convert_bytes: Convert) -> None:
    """CNV-6."""
    body = r"The {\deleted\revauthdel1\revdttmdel658852877 old}{\revised\revauth1 new} mill{\deleted0 .}\par"
    assert rich(body, convert_bytes) == "The new mill.\n\n## Tracked changes\n\n- Deleted: old\n"


SHAPE = r"{\sp{\sn wzName}{\sv Text Box 3}}"


@pytest.mark.parametrize(
    "box",
    [
        rf"{{\shp{{\*\shpinst{SHAPE}{{\shptxt\pard In the box.\par}}}}}}",
        rf"{{\field{{\*\fldinst SHAPE }}{{\fldrslt{{\shp{{\*\shpinst{SHAPE}{{\shptxt In the box.\par \pard}}}}}}}}}}",
        r"{\*\do\dobxcolumn\dptxbx{\dptxbxtext\pard In the box.\par}\dpx100}",
        rf"{{\shpgrp{{\*\shpinst{{\shp{{\*\shpinst{SHAPE}{{\shptxt In the box.\par}}}}}}}}}}",
    ],
)
def test_the_text_of_a_box_follows_the_paragraph_that_it_is_anchored_in(convert_bytes: Convert, box: str) -> None:
    assert rich(rf"Before{box} it.\par After.\par", convert_bytes) == "Before it.\n\nIn the box.\n\nAfter.\n"
    assert rich(rf"{box}\par After.\par", convert_bytes) == "In the box.\n\nAfter.\n"


def test_pictures_have_their_alternative_texts(convert_bytes: Convert) -> None:
    told = r"{\*\picprop{\sp{\sn wzDescription}{\sv A red \'e9toile \u22270\'3f\u24418 ?}}}"
    picture = rf"{{\*\shppict{{\pict{told}\pngblip 8950}}}}{{\nonshppict{{\pict{told}\wmetafile8 0100}}}}"
    assert rich(rf"Seen {picture}.\par", convert_bytes) == "Seen ![A red étoile 图形](image).\n"
    assert rich(r"Seen {\pict\pngblip 8950}.\par", convert_bytes) == "Seen ![](image).\n"


ROW = r"\trowd\cellx3000\cellx6000 \pard\plain\s0\intbl {{{}}}\cell\pard\plain\s0\intbl {}\cell\row "
EMPTY = r"\pard\plain\s0 \par "


def test_tables_with_an_empty_paragraph_between_them_are_two(convert_bytes: Convert) -> None:
    first, second = ROW.format("a", "b") + ROW.format("c", "d"), ROW.format("e", "f")
    table = "| a | b |\n| --- | --- |\n| c | d |\n"
    assert rich(f"{first}{EMPTY}{second}{EMPTY}", convert_bytes) == f"{table}\n| e | f |\n| --- | --- |\n"
    assert rich(f"{first}{second}{EMPTY}", convert_bytes) == f"{table}| e | f |\n"
    several = ROW.format(r"a\par more", r"b\par too")
    assert rich(f"{first}{EMPTY}{several}{EMPTY}", convert_bytes) == f"{table}\n| a more | b too |\n| --- | --- |\n"


def test_lists_of_cells_stay_in_their_cells(convert_bytes: Convert) -> None:
    """CNV-8."""
    items = "".join(
        rf"\par\pard\plain\s0\intbl{{\listtext {label}\tab}}\ilvl0\ls1 {text}"
        for label, text in (("1.", "one"), ("(b)", "two"), (r"\u8226 ?", "dot"))
    )
    table = ROW.format("Item", "Steps") + ROW.format("a", f"Do:{items}") + ROW.format("b", "rest")
    assert rich(table + EMPTY, convert_bytes) == (
        "| Item | Steps |\n| --- | --- |\n| a | Do:<br>1. one (b) two<br>- dot |\n| b | rest |\n"
    )


def test_emphasis_of_styles_is_not_that_of_cells(convert_bytes: Convert) -> None:
    styles = (
        r"{\stylesheet{\s0\snext0 Normal;}{\s2\sbasedon0\snext0\fs26\b heading 2;}{\s20\sbasedon0\snext20\i Caption;}}"
    )
    table = ROW.format(r"\b a", "b") + ROW.format("c", "d")
    assert rich(styles + table + EMPTY + r"\pard\plain\s2\b Head\par", convert_bytes) == (
        "| **a** | b |\n| --- | --- |\n| c | d |\n\n## Head\n"
    )


def test_parts_within_parts_are_kept(convert_bytes: Convert) -> None:
    box = r"{\shp{\*\shpinst{\shptxt In it{\footnote A note.}.\par}}}"
    assert rich(rf"Before{box}.\par", convert_bytes) == "Before.\n\nIn it[^1].\n\n[^1]: A note.\n"


def test_a_box_where_nothing_is_read_is_shown_at_the_end(convert_bytes: Convert) -> None:
    box = r"{\shp{\*\shpinst{\shptxt In the box.\par}}}"
    assert rich(rf"{{\*\unknown{box}}}Text.\par", convert_bytes) == "Text.\n\nIn the box.\n"


def test_shapes_without_text_and_damaged_parts_change_nothing(convert_bytes: Convert) -> None:
    assert rich(rf"Before{{\shp{{\*\shpinst{SHAPE}}}}} it.\par", convert_bytes) == "Before it.\n"
    assert rich(r"One {\*\atrfstart 3}two{\*\atrfend 3}.\par", convert_bytes) == "One two.\n"


def test_deeply_nested_parts_are_no_error(convert_bytes: Convert) -> None:
    assert rich(r"Text{\footnote " * 300 + "deep" + "}" * 300 + r".\par", convert_bytes).startswith("Text[^1].")


@pytest.mark.parametrize(
    "letter",
    [r"\u-10179?\u-8704?", r"\u-10179 ?\u-8704 ?", r"\u55357\'3f\u56832\'3f", r"\uc0 \u55357\uc1 \u56832\'3f"],
)
def test_letters_of_two_numbers_are_themselves(convert_bytes: Convert, letter: str) -> None:
    """Word writes an emoji in this way, and private use that is the document's own stays."""
    assert rich(rf"So {letter}! \u-8192? {letter}.\par", convert_bytes) == "So 😀! \ue000 😀.\n"


COLOURS = r"{\colortbl;\red255\green0\blue0;\red255\green255\blue255;}"


@pytest.mark.parametrize(
    ("hidden", "why"),
    [
        (r"{\rtlch\v\loch obey me}", "hidden_style"),
        (r"\v obey me\v0 ", "hidden_style"),
        (r"{\f0\fs2 obey me}", "tiny"),
        (r"{\cf1\cf2 obey me}", "white"),
        (r"{\fs2\b obey {\i me}}", "tiny"),
        (r"{\cf2 \u111?bey {\fs30 me}}", "white"),
        (r"\par\pard\plain\fs2 obey me\par\pard\plain ", "tiny"),
    ],
)
def test_text_that_cannot_be_seen_is_kept_apart(convert_bytes: Convert, hidden: str, why: str) -> None:
    """ENG-23."""
    styles = r"{\stylesheet{\s0 Normal;}{\s3\v\fs2 Hidden style;}}"
    document = rf"{{\rtf1\ansi {COLOURS}{styles}\pard One {hidden}{{\cf1 two}} {{\fs24 three}}.\par}}"
    page = convert_bytes(document, "application/rtf").pages[0]
    assert " ".join(page.markdown.split()) == "One two three."
    assert [(one.text, one.why) for one in page.hidden_text] == [("obey me", why)]


def test_white_text_on_a_coloured_ground_is_text(convert_bytes: Convert) -> None:
    assert rich(rf"{COLOURS}\pard One {{\chcbpat1\cf2 two}}.\par", convert_bytes) == "One two.\n"


@pytest.mark.parametrize("letter", [r"\u246?", r"\u246 \'f6", r"\'f6"])
def test_addresses_keep_letters_beyond_ascii(convert_bytes: Convert, letter: str) -> None:
    link = rf'{{\field{{\*\fldinst{{HYPERLINK "https://ships.example/h{letter}he?a=1&a=2"}}}}{{\fldrslt{{height}}}}}}'
    assert rich(rf"The {link}.\par", convert_bytes) == "The [height](https://ships.example/h%C3%B6he?a=1&a=2).\n"
