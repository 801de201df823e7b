"""Fresh office documents with what editing leaves behind: tracked changes, notes out of order, hidden slides and sheets, gaps.

A document that was written from its beginning to its end has none of these; most documents that people share have some.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .office_bytes import docx, footnotes_of, pptx, word_run, xlsx
from .package_changes import changed
from .rtf_bytes import RTF_TYPE, rtf, rtf_changed, rtf_comment, rtf_note, rtf_written
from .truths import OFFICE, Truth, page_texts
from .words import Words

_BY = 'w:author="Ada Quay" w:date="2026-01-01T10:00:00Z"'
_LISTED = "Tracked changes Comments Comment on Added Inserted Deleted Moved away here from to by Ada Quay 2026 01 01 01T10 10 00 00Z"
"""Words with which a converter may list tracked changes and comments."""
_MARKUP = ("footnote", "ref", "table", "tbody", "tr", "td")
"""Names of anchors of notes, and tags of a table in a cell, for which markdown has no form."""


def _docx(words: Words) -> Truth:
    """A document whose notes are numbered in another order than that of their marks, with all kinds of tracked changes."""
    line, word = words.line, words.word
    noted = [(line(5), line(4)) for _ in range(words.dice.randint(24, 40))]
    moved, kept, deleted, inserted = line(6), line(5), line(6), line(4)
    before, after = line(4), f" {word()} {word()}"
    inner, outer, boxed = line(3), line(2), line(5)
    commented = [(line(5), line(5)) for _ in range(words.dice.randint(4, 6))]
    blocks = [*(("noted", pair) for pair in noted), *(("commented", pair) for pair in commented)]
    package = docx(blocks=[*blocks, ("p", kept)], title="", author="")
    # The ids of the notes, in the order of their marks.
    ids = words.dice.sample(range(1, len(noted) + 1), len(noted))
    while ids == sorted(ids):
        words.dice.shuffle(ids)
    changes = (
        f'<w:p><w:moveFromRangeStart w:id="700" {_BY} w:name="move1"/><w:moveFrom w:id="701" {_BY}>{word_run(moved)}</w:moveFrom>'
        '<w:moveFromRangeEnd w:id="700"/></w:p>',
        f'<w:p>{word_run(before)}<w:del w:id="702" {_BY}>{word_run(deleted, element="delText")}</w:del>{word_run(after)}</w:p>',
        f'<w:p><w:ins w:id="703" {_BY}>{word_run(inserted)}</w:ins></w:p>',
        f'<w:p><w:moveToRangeStart w:id="704" {_BY} w:name="move1"/><w:moveTo w:id="705" {_BY}>{word_run(moved)}</w:moveTo>'
        '<w:moveToRangeEnd w:id="704"/></w:p>',
        f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc><w:tcPr/><w:p>{word_run(outer)}</w:p><w:tbl><w:tblPr/><w:tblGrid>"
        f"<w:gridCol/></w:tblGrid><w:tr><w:tc><w:tcPr/><w:p>{word_run(inner)}</w:p></w:tc></w:tr></w:tbl><w:p/></w:tc></w:tr></w:tbl>",
        f"<w:p>{word_run(boxed)}</w:p>",
    )

    def renumbered(text: str) -> str:
        for place, note in enumerate(ids, start=1):
            text = text.replace(f'<w:footnoteReference w:id="{place}"/>', f'<w:footnoteReference w:id="#{note}"/>')
        return text.replace('w:id="#', 'w:id="').replace("<w:sectPr/>", f"{''.join(changes)}<w:sectPr/>")

    by_id = [note for _, (_, note) in sorted(zip(ids, noted, strict=True))]
    data = changed(package, document=renumbered, footnotes=lambda _: footnotes_of(by_id))
    told = [*(text for text, _ in (*noted, *commented)), kept, f"{before}{after}", inserted, moved, outer, inner, boxed]
    notes = tuple(note for _, note in noted)
    numbers = tuple(str(number) for number in range(1, len(noted) + 1))
    # A converter may list the changes behind the text.
    remarks = " ".join(f"{text} {comment}" for text, comment in commented)
    listed = f"{_LISTED} {moved} {deleted} {inserted} {remarks}".split()
    allowed = (*numbers, *listed, *_MARKUP, *(one for note in notes for one in note.split()))
    truth = {"notes": notes, "marked": tuple(noted), "allowed": allowed, "phrases": (f"{before}{after}",)}
    truth |= {"inserted": (inserted,), "deleted": (deleted,), "comments": tuple(comment for _, comment in commented)}
    return data, "whole", [" ".join(told)], truth


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _column(number: int) -> str:
    """Return the name of a column, from 0: A to ZZ."""
    return (_LETTERS[number // 26 - 1] if number >= 26 else "") + _LETTERS[number % 26]


Cells = Mapping[tuple[int, int], str]
"""Row from 1 and column from 0 → text."""


def filled_sheet(cells: Cells, strings: list[str], *, hidden_rows: Sequence[int] = ()) -> Callable[[str], str]:
    """Return a function that fills a sheet with cells; their texts are added to the shared strings."""
    rows: dict[int, str] = {}
    for (row, column), text in sorted(cells.items()):
        strings.append(text)
        rows[row] = rows.get(row, "") + f'<c r="{_column(column)}{row}" t="s"><v>{len(strings) - 1}</v></c>'
    hidden = {row: ' hidden="1"' if row in hidden_rows else "" for row in rows}
    data = "".join(f'<row r="{row}"{hidden[row]}>{told}</row>' for row, told in rows.items())
    return lambda text: text[: text.index("<sheetData>")] + f"<sheetData>{data}</sheetData></worksheet>"


def _xlsx(words: Words) -> Truth:
    """A workbook of shared strings with gaps between its cells, a hidden sheet and hidden rows."""
    w, n = words.word, words.dice.randint

    def block(row: int, column: int, *, height: int = 3) -> dict[tuple[int, int], str]:
        return {(row + y, column + x): w() for y in range(height) for x in range(2)}

    gap, far = n(40, 160), n(27, 40)
    below = {**block(1, 0), **block(4 + gap, 0), **block(4 + gap + n(220, 400), 1)}
    aside = {**block(1, 0), **block(1, far)}
    late = block(n(30, 90), n(4, 9))
    grids = [below, aside, block(1, 0), late, block(1, 0, height=6)]
    names = [w().capitalize() for _ in grids]
    strings: list[str] = []
    filled = {
        f"sheet{number}": filled_sheet(cells, strings, hidden_rows=(2, 3) if number == len(grids) else ())
        for number, cells in enumerate(grids, start=1)
    }
    package = xlsx(sheets={name: [["x"]] for name in names}, merges={}, title="", author="", shared=strings)
    hidden = f'<sheet name="{names[2]}" sheetId="3"'
    data = changed(package, workbook=lambda text: text.replace(hidden, f'{hidden} state="hidden"'), **filled)
    pages = [" ".join(text for _, text in sorted(cells.items())) for cells in grids]
    return data, "sheet", pages, {"allowed": tuple(names)}


def _pptx(words: Words) -> Truth:
    """A deck with hidden slides, one of them the first."""
    slides = [(words.heading(), [words.line(5), words.line(4)]) for _ in range(6)]
    hidden = {1, words.dice.randint(2, 5)}
    package = pptx(slides=slides, title="", author="")
    changes: dict[str, Callable[[str], str]] = {
        f"slide{number}": lambda text: text.replace("<p:sld ", '<p:sld show="0" ') for number in hidden
    }
    allowed = ("Slide", *(str(number) for number in range(1, len(slides) + 1)))
    return changed(package, **changes), "slide", page_texts(slides), {"allowed": allowed}


def _rtf(words: Words) -> Truth:
    """A text with footnotes, comments, and words that were deleted and inserted."""
    line = words.line
    noted = [(line(5), line(4)) for _ in range(words.dice.randint(5, 8))]
    commented = [(line(5), line(5)) for _ in range(words.dice.randint(4, 6))]
    before, deleted, after, inserted = line(4), line(6), f"{words.word()} {words.word()}", line(4)
    body = [rtf_written(text, rtf_note(note)) for text, note in noted]
    body += [rtf_written(text, rtf_comment(comment)) for text, comment in commented]
    body.append(rtf_written(f"{before} ", rtf_changed(f"{deleted} ", how="deleted"), after))
    body.append(rtf_written(rtf_changed(inserted, how="revised")))
    told = [*(text for text, _ in (*noted, *commented)), before, after, inserted]
    notes, comments = (tuple(second for _, second in pairs) for pairs in (noted, commented))
    numbers = (str(number) for number in range(1, len(noted) + 1))
    listed = f"{_LISTED} {deleted} {inserted} {' '.join((*notes, *comments, *(text for text, _ in commented)))}".split()
    allowed = (*numbers, *listed, *_MARKUP)
    truth = {"notes": notes, "marked": tuple(noted), "comments": comments, "phrases": (f"{before} {after}",)}
    truth |= {"inserted": (inserted,), "deleted": (deleted,), "allowed": allowed}
    return rtf(body), "whole", [" ".join(told)], truth


EDITED_OFFICE: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "docx/edited.docx": (f"{OFFICE}.wordprocessingml.document", _docx),
    "pptx/edited.pptx": (f"{OFFICE}.presentationml.presentation", _pptx),
    "rtf/edited.rtf": (RTF_TYPE, _rtf),
    "xlsx/edited.xlsx": (f"{OFFICE}.spreadsheetml.sheet", _xlsx),
}
"""Path → media type, and the function that makes the document."""
