"""Fresh documents in which small tables and links stand between paragraphs, many of each.

A converter that keeps the place of one table, or the targets of a dozen links, may lose those of the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from .book_bytes import BOOK_WORDS, EPUB_TYPE, ODT_TYPE, chapter, epub, odt, odt_list, odt_table
from .grids import html_table, md_table, square_grid
from .link_targets import make_targets, md_link, words_of_targets
from .office_bytes import docx, pptx, xlsx
from .package_changes import changed, linked
from .rtf_bytes import RTF_TYPE, rtf, rtf_heading, rtf_link, rtf_paragraph, rtf_table, rtf_written
from .sheaf_bytes import SHEAF, sheaf
from .slide_shapes import linked_box, slide_table
from .truths import HTML, OFFICE, Truth, cells
from .words import Words

Link = tuple[str, str]
Grid = tuple[tuple[str, ...], ...]
LEAST_LINKS = 24
"""Links of a document, at least."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a document, in this order.

    Attributes:
        heading: its heading.
        before: the paragraph in front of the table.
        grid: the table.
        behind: the paragraph behind the table.
        links: links, each in a sentence with words on both sides.
    """

    heading: str
    before: str
    grid: Grid
    behind: str
    links: tuple[tuple[str, Link, str], ...]

    @property
    def text(self) -> str:
        """Its words in order."""
        sentences = (f"{start} {label} {end}" for start, (label, _), end in self.links)
        return " ".join((self.heading, self.before, cells(self.grid), self.behind, *sentences))

    @property
    def parts(self) -> tuple[str, ...]:
        """The first words of its paragraphs and of its table, in order."""
        starts = (start for start, _, _ in self.links)
        return (self.before, " ".join(self.grid[0]), self.behind, *starts)


def _sections(words: Words) -> list[Section]:
    line, n = words.line, words.dice.randint
    made = []
    count = n(6, 8)
    targets = iter(make_targets(words, count * 4))
    squares = dict(zip(words.dice.sample(range(count), 3), (3, n(5, 7), n(9, 12)), strict=True))
    for place in range(count):
        columns = n(2, 3)
        head = tuple(words.word().capitalize() for _ in range(columns))
        rows = ((words.word(), *(str(n(100, 999)) for _ in range(columns - 1))) for _ in range(n(1, 3)))
        links = tuple((line(2), (f"{words.word()} {words.word()}", next(targets)), line(2)) for _ in range(4))
        # A long and a short paragraph: one that is taken for the caption of the table, and one that is not.
        lengths = words.dice.sample((2, 6, 12), 2)
        made.append(
            Section(
                heading=words.heading(),
                before=line(lengths[0]),
                grid=square_grid(words, squares[place], corner=squares[place] > 3)
                if place in squares
                else (head, *rows),
                behind=line(lengths[1]),
                links=links,
            )
        )
    return made


def _truth(sections: Sequence[Section], **further: Any) -> dict[str, Any]:
    links = tuple(link for section in sections for _, link, _ in section.links)
    assert len(links) >= LEAST_LINKS
    return {
        "headings": tuple(section.heading for section in sections),
        "tables": tuple(section.grid for section in sections),
        "links": links,
        "parts": tuple(part for section in sections for part in section.parts),
        "allowed": tuple(words_of_targets([target for _, target in links])),
        **further,
    }


def _whole(sections: Sequence[Section], listed: Sequence[str] = ()) -> list[str]:
    return [" ".join((*(section.text for section in sections), *listed))]


def _md(words: Words) -> Truth:
    sections = _sections(words)
    blocks: list[str] = []
    for section in sections:
        blocks += [f"# {section.heading}", section.before, md_table(section.grid), section.behind]
        blocks += [f"{start} {md_link(label, target)} {end}" for start, (label, target), end in section.links]
    listed = _bullets(words)
    blocks.append("\n".join(f"- {item}" for item in listed))
    return ("\n\n".join(blocks) + "\n").encode(), "whole", _whole(sections, listed), _truth(sections)


def _body(sections: Sequence[Section]) -> str:
    """Return sections as HTML that is XML too."""
    written = []
    for section in sections:
        written.append(
            f"<h1>{section.heading}</h1><p>{section.before}</p>{html_table(section.grid)}<p>{section.behind}</p>"
            + "".join(
                f'<p>{start} <a href="{escape(target)}">{label}</a> {end}</p>'
                for start, (label, target), end in section.links
            )
        )
    return "".join(written)


def _html(words: Words) -> Truth:
    sections, listed = _sections(words), _bullets(words)
    items = "".join(f"<li>{item}</li>" for item in listed)
    page = HTML.format(title=sections[0].heading, body=f"{_body(sections)}<ul>{items}</ul>")
    return page.encode(), "whole", _whole(sections, listed), _truth(sections)


def _bullets(words: Words) -> list[str]:
    """Generate the items of a list that is longer than a few lines."""
    return [words.line(3) for _ in range(words.dice.randint(24, 40))]


def _numbered(words: Words) -> list[tuple[int, list[str]]]:
    """Generate two numbered lists, each with the number at which it begins: not at 1, as behind another list."""
    first = words.dice.randint(3, 8)
    lengths = 3, words.dice.randint(24, 40)
    starts = first, first + words.dice.randint(7, 30)
    return [(start, [words.line(3) for _ in range(count)]) for start, count in zip(starts, lengths, strict=True)]


def _with_lists(truth: dict[str, Any], lists: Sequence[tuple[int, list[str]]]) -> tuple[dict[str, Any], str]:
    """Return what is to be found of a document and of its lists, and the text of the lists."""
    items = tuple((str(start + at), text) for start, texts in lists for at, text in enumerate(texts))
    allowed = (*truth["allowed"], *(number for number, _ in items))
    return truth | {"items": items, "allowed": allowed}, " ".join(text for _, text in items)


def _epub(words: Words) -> Truth:
    sections, lists = _sections(words), _numbered(words)
    # Not one file for each section: a book may have several headings in a file.
    halves = sections[:3], sections[3:]
    title = words.heading()
    ends = [f'<ol start="{start}">{"".join(f"<li>{text}</li>" for text in texts)}</ol>' for start, texts in lists]
    bodies = [_body(halves[0]), _body(halves[1]) + "".join(ends)]
    data = epub([chapter(half[0].heading, body) for half, body in zip(halves, bodies, strict=True)], title=title)
    truth, listed = _with_lists(_truth(sections), lists)
    # A converter may write the properties of a book in front of its text.
    allowed = (*truth["allowed"], *title.split(), *BOOK_WORDS)
    return data, "whole", [f"{_whole(sections)[0]} {listed}"], truth | {"allowed": allowed}


def _docx(words: Words) -> Truth:
    sections = _sections(words)
    blocks: list[tuple[str, Any]] = []
    for section in sections:
        blocks += [("h1", section.heading), ("p", section.before), ("table", section.grid), ("p", section.behind)]
        blocks += [("linked", link) for link in section.links]
    listed = _bullets(words)
    blocks += [("bullet", (0, item)) for item in listed]
    return docx(blocks=blocks, title="", author=""), "whole", _whole(sections, listed), _truth(sections)


def _odt(words: Words) -> Truth:
    sections, lists = _sections(words), _numbered(words)
    written = []
    for section in sections:
        written.append(f'<text:h text:outline-level="1">{section.heading}</text:h><text:p>{section.before}</text:p>')
        written.append(f"{odt_table(section.grid)}<text:p>{section.behind}</text:p>")
        written += [
            f'<text:p>{start} <text:a xlink:type="simple" xlink:href="{escape(target)}">{label}</text:a> {end}</text:p>'
            for start, (label, target), end in section.links
        ]
    made = [odt_list(f"L{number}", start, texts) for number, (start, texts) in enumerate(lists, start=1)]
    truth, listed = _with_lists(_truth(sections), lists)
    data = odt("".join((*written, *(text for text, _ in made))), styles="".join(style for _, style in made))
    return data, "whole", [f"{_whole(sections)[0]} {listed}"], truth


def _rtf(words: Words) -> Truth:
    sections, lists = _sections(words), _numbered(words)
    written: list[str] = []
    for section in sections:
        written += [rtf_heading(section.heading), rtf_paragraph(section.before)]
        written += [rtf_table(section.grid), rtf_paragraph(section.behind)]
        written += [
            rtf_written(f"{start} ", rtf_link(label, target), f" {end}")
            for start, (label, target), end in section.links
        ]
    truth, listed = _with_lists(_truth(sections), lists)
    return rtf(written, lists=lists), "whole", [f"{_whole(sections)[0]} {listed}"], truth


def _pptx(words: Words) -> Truth:
    sections = _sections(words)
    package = pptx(slides=[(section.heading, []) for section in sections], title="", author="")
    changes: dict[str, Callable[[str], str]] = {}
    targets: dict[str, list[str]] = {}
    for number, section in enumerate(sections, start=1):
        shapes = [
            linked_box(10, [(section.before, None, "")], top=1),
            slide_table(11, section.grid, top=2),
            linked_box(12, [(section.behind, None, "")], top=3),
            linked_box(13, [(f"{start} ", label, f" {end}") for start, (label, _), end in section.links], top=4),
        ]
        changes[f"slide{number}"] = _adding("".join(shapes), before="</p:spTree>")
        targets[f"ppt/slides/_rels/slide{number}.xml.rels"] = [target for _, (_, target), _ in section.links]
    data = linked(changed(package, **changes), targets)
    allowed = ("Slide", *(str(number) for number in range(1, len(sections) + 1)))
    truth = _truth(sections)
    return data, "slide", [section.text for section in sections], truth | {"allowed": (*truth["allowed"], *allowed)}


def _adding(text: str, *, before: str) -> Callable[[str], str]:
    return lambda xml: xml.replace(before, text + before)


def _xlsx(words: Words) -> Truth:
    """A workbook of which each row has a link."""
    names = [words.word().capitalize() for _ in range(3)]
    grids, links = [], []
    changes: dict[str, Callable[[str], str]] = {}
    targets: dict[str, list[str]] = {}
    for number in range(1, len(names) + 1):
        own = [(f"{words.word()} {words.word()}", target) for target in make_targets(words, 24)]
        grids.append(tuple((label, words.word(), str(words.dice.randint(100, 999))) for label, _ in own))
        links += own
        marks = "".join(f'<hyperlink ref="A{row}" r:id="rIdLink{row}"/>' for row in range(1, len(own) + 1))
        changes[f"sheet{number}"] = _adding(f"<hyperlinks>{marks}</hyperlinks>", before="</worksheet>")
        targets[f"xl/worksheets/_rels/sheet{number}.xml.rels"] = [target for _, target in own]
    package = xlsx(sheets=dict(zip(names, grids, strict=True)), merges={}, title="", author="", linked=True)
    truth = {
        "tables": tuple(grids),
        "links": tuple(links),
        "allowed": (*names, *words_of_targets([target for _, target in links])),
    }
    return linked(changed(package, **changes), targets), "sheet", [cells(grid) for grid in grids], truth


def _sheaf(words: Words) -> Truth:
    sections = _sections(words)
    blocks: list[list[Any]] = []
    for section in sections:
        blocks += [["h", section.heading], ["p", section.before], ["t", section.grid], ["p", section.behind]]
        for start, (label, target), end in section.links:
            blocks += [["p", start], ["a", label, target], ["p", end]]
    return sheaf(pages=[{"blocks": blocks}]), "page", _whole(sections), _truth(sections)


SEQUENCES: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "docx/sequence.docx": (f"{OFFICE}.wordprocessingml.document", _docx),
    "epub/sequence.epub": (EPUB_TYPE, _epub),
    "html/sequence.html": ("text/html", _html),
    "md/sequence.md": ("text/markdown", _md),
    "odt/sequence.odt": (ODT_TYPE, _odt),
    "pptx/sequence.pptx": (f"{OFFICE}.presentationml.presentation", _pptx),
    "rtf/sequence.rtf": (RTF_TYPE, _rtf),
    "sheaf/sequence.sheaf": (SHEAF, _sheaf),
    "xlsx/sequence.xlsx": (f"{OFFICE}.spreadsheetml.sheet", _xlsx),
}
"""Path → media type, and the function that makes the document."""
