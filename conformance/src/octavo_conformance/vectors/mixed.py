"""Fresh documents of many parts: lists, links, notes, levels of headings, quotes, code, cells of every form, lines as people write them.

A converter that loses one kind of part is seen on a document that has them all, at places that differ from run to run.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Any

from .archives import attached, make_files, truth_of
from .edited import TAGS, edited_runs, text_of_runs, typed_paragraphs
from .grids import merged_grid, number_grid, odd_grid, square_grid
from .link_targets import make_targets, md_link, words_of_targets
from .model import words_of
from .noted import noted_lines
from .office_bytes import docx, pptx, xlsx
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .prose import prose
from .sheaf_bytes import SHEAF, sheaf
from .truths import HTML, OFFICE, Truth, cells, mail, page_texts, stated, with_stated
from .words import CONSONANTS, Words

AGAIN = 6
"""Times that a line stands in a text, as "Carried." does in minutes."""
Link = tuple[str, str]
Item = tuple[str, str]
DEPTHS = (0, 1, 2, 3, 1, 0)
"""Depth of each item of a list with bullets: people indent to the third and fourth level."""
BETWEEN = "The next one was struck out."
"""A paragraph between two items of a list."""
_LABELS = ("PDF", "here", "Judgment")


def _links(words: Words) -> list[Link]:
    """Links of which several have the same label, each with another target."""
    labels = [*_LABELS, *_LABELS, words.word()]
    words.dice.shuffle(labels)
    return list(zip(labels, make_targets(words, len(labels)), strict=True))


def _items(words: Words) -> list[Item]:
    """Items of a numbered list that does not begin with 1, and in which a number is missing."""
    first = words.dice.randint(7, 40)
    return [(str(first + number), words.line(4)) for number in (0, 1, 3, 4)]


def _levels(words: Words) -> list[tuple[int, str]]:
    """Headings of three levels, in the order of a table of contents."""
    return [(level, words.heading()) for level in (1, 2, 3, 3, 2, 3)]


def _txt(words: Words) -> Truth:
    lines = _long(words, [*prose(words.dice), *typed_paragraphs(words)])
    words.dice.shuffle(lines)
    text = "\n\n".join(lines[:30]) + "\n\n\n" + "\n\n".join(lines[30:]) + "\n"
    return text.encode(), "whole", [" ".join(lines)], {"has_figures": True}


def _long(words: Words, lines: list[str]) -> list[str]:
    """Add lines of made-up words between the others, one of them of many words, and a short one that stands there again and again."""
    again = f"{words.line(2)}."
    for line in (*(" ".join([words.short() for _ in range(count)]) for count in (300, 9, 9, 9)), *[again] * AGAIN):
        lines.insert(words.dice.randint(0, len(lines)), line)
    return lines


def _csv(words: Words) -> Truth:
    grid = odd_grid(words, records=True)
    rows = ("".join((",".join(f'"{cell}"' for cell in row), "\r\n")) for row in grid)
    return "".join(rows).encode(), "sheet", [cells(grid)], {"tables": (grid,), "has_figures": True}


def _tsv(words: Words) -> Truth:
    grid = odd_grid(words)
    rows = ("\t".join(row) + "\n" for row in grid)
    return "".join(rows).encode(), "sheet", [cells(grid)], {"tables": (grid,), "has_figures": True}


def _blocks(words: Words) -> tuple[list[tuple[str, Any]], dict[str, Any]]:
    """Return the parts of a text with markup, in order, and what is to be found of them."""
    levels, links, items = _levels(words), _links(words), _items(words)
    lines = _long(words, prose(words.dice))
    bullets = [words.line(3) for _ in range(4)]
    bullets += [bullets[0]] * 2
    parts: list[tuple[str, Any]] = [
        *(("link", link) for link in links),
        ("items", items),
        ("bullets", bullets),
        ("quote", words.line(6)),
        *(("p", line) for line in lines),
    ]
    words.dice.shuffle(parts)
    step = len(parts) // len(levels)
    for number, heading in enumerate(levels):
        parts.insert(number * (step + 1), ("h", heading))
    order = [content for kind, content in parts if kind == "link"]
    truth = {
        "headings": tuple(text for _, text in levels),
        "levels": tuple(level for level, _ in levels),
        "links": tuple(order),
        "items": tuple(items),
        "allowed": (*words_of_targets([target for _, target in links]), *(number for number, _ in items)),
        "has_figures": True,
    }
    return parts, truth


CLASSES = ("lead", "heading", "shadow", "text-md", "gradient", "roadmap", "badge")
"""Classes of paragraphs with pieces of words in them that name what readers skip, such as advertisements."""


def _text_of(parts: Sequence[tuple[str, Any]]) -> str:
    told = []
    for kind, content in parts:
        if kind in ("link", "h"):
            told.append(content[0] if kind == "link" else content[1])
        elif kind == "items":
            told += [*(text for _, text in content[:2]), BETWEEN, *(text for _, text in content[2:])]
        else:
            told += content if kind == "bullets" else [content]
    return " ".join(told)


def _md(words: Words) -> Truth:
    parts, truth = _blocks(words)
    written = []
    for kind, content in parts:
        match kind:
            case "h":
                written.append(f"{'#' * content[0]} {content[1]}")
            case "link":
                written.append(md_link(*content))
            case "items":
                halves = (
                    "\n".join(f"{number}. {text}" for number, text in half) for half in (content[:2], content[2:])
                )
                written.append(f"\n\n{BETWEEN}\n\n".join(halves))
            case "bullets":
                nested = zip(DEPTHS, content, strict=True)
                written.append("\n".join(f"{'  ' * depth}- {text}" for depth, text in nested))
            case "quote":
                written.append(f"> {content}")
            case _:
                written.append(content)
    return ("\n\n".join(written) + "\n").encode(), "whole", [_text_of(parts)], truth


def _nested(texts: Sequence[str]) -> str:
    """Return a list in which each item stands at its depth, within the item above it."""
    written, depth = "", -1
    for now, text in zip(DEPTHS, texts, strict=True):
        written += "<ul>" * (now - depth) or "</li>" + "</ul></li>" * (depth - now)
        written += f"<li>{text}"
        depth = now
    return written + "</li></ul>" * (depth + 1)


def _html(words: Words) -> Truth:
    parts, truth = _blocks(words)
    written = []
    for kind, content in parts:
        match kind:
            case "h":
                written.append(f"<h{content[0]}>{content[1]}</h{content[0]}>")
            case "link":
                written.append(f'<p><a href="{html.escape(content[1])}">{content[0]}</a></p>')
            case "items":
                halves = (
                    f'<ol start="{half[0][0]}">{"".join(f"<li>{text}</li>" for _, text in half)}</ol>'
                    for half in (content[:2], content[2:])
                )
                written.append(f"<p>{BETWEEN}</p>".join(halves))
            case "bullets":
                written.append(_nested(content))
            case "quote":
                written.append(f"<blockquote><p>{content}</p></blockquote>")
            case _:
                written.append(f'<p class="{words.dice.choice(CLASSES)}">{html.escape(content, quote=False)}</p>')
    grid, runs = merged_grid(words), edited_runs(words)
    written.append(f"<p>{''.join(TAGS.get(how, '{}').format(text) for how, text in runs)}</p>")
    page = HTML.format(title=truth["headings"][0], body="".join(written) + _html_table(grid))
    text = f"{_text_of(parts)} {text_of_runs(runs)} {cells(grid)}"
    # A word of which a part is emphasised has the marks of emphasis in it.
    allowed = (*truth["allowed"], *(part for how, text in runs for part in words_of(text)))
    return page.encode(), "whole", [text], truth | {"tables": (grid,), "allowed": allowed}


def _html_table(grid: Sequence[Sequence[str]]) -> str:
    written = ["<tr>" + "".join(f"<th>{cell}</th>" for cell in grid[0]) + "</tr>"]
    for at, (first, *others) in enumerate(grid[1:], start=1):
        height = next((n for n in range(1, len(grid) - at) if grid[at + n][0]), len(grid) - at)
        merged = f'<td rowspan="{height}">{first}</td>' if first else ""
        written.append(f"<tr>{merged}" + "".join(f"<td>{cell}</td>" for cell in others) + "</tr>")
    return f"<table>{''.join(written)}</table>"


def _docx(words: Words) -> Truth:
    parts, truth = _blocks(words)
    grid = odd_grid(words)
    blocks: list[tuple[str, Any]] = []
    for kind, content in parts:
        match kind:
            case "h":
                blocks.append((f"h{content[0]}", content[1]))
            case "items":
                blocks += [
                    ("p", text) for text in (content[0][1], content[1][1], BETWEEN, content[2][1], content[3][1])
                ]
            case "bullets":
                blocks += [("bullet", item) for item in zip(DEPTHS, content, strict=True)]
            case "quote":
                blocks.append(("runs", content))
            case _:
                blocks.append((kind, content))
    # More than nine notes: a plugin that sorts their ids as texts mixes them up.
    noted = [(words.line(5), words.line(4)) for _ in range(words.dice.randint(12, 15))]
    n = words.dice.randint
    # Hyphens at which no line breaks, as programs write them before and between figures.
    joined = f"Change \u2011{n(2, 9)}.{n(10, 99)}, pages {n(10, 40)}\u2011{n(50, 99)}, part {n(10, 99)}\u2011A\u2011{n(10, 99)}"
    # Converters mark what was added, write raised figures as such, and leave some fields out.
    runs = [(how if how not in ("added", "raised", "field") else "plain", text) for how, text in edited_runs(words)]
    filled = [words.line(3) for _ in range(2)]
    blocks += [
        *(("noted", pair) for pair in noted),
        *(("form", line) for line in filled),
        ("p", joined),
        ("edited", runs),
        ("table", grid),
    ]
    data = docx(blocks=blocks, title="", author="", edited=True)
    notes = tuple(note for _, note in noted)
    numbers = tuple(str(number) for number in range(1, len(noted) + 1))
    allowed = (*truth["allowed"], *numbers, *(word for note in notes for word in note.split()))
    truth |= {"items": (), "tables": (grid,), "notes": notes, "marked": tuple(noted), "allowed": allowed}
    text = " ".join((_text_of(parts), *(line for line, _ in noted), *filled, joined, text_of_runs(runs), cells(grid)))
    return data, "whole", [text], truth


def _eml(words: Words) -> Truth:
    subject, lines = words.heading(), prose(words.dice)
    quoted = [words.line(5) for _ in range(3)]
    signature = [words.line(2), words.heading()]
    lines = [
        *_long(words, lines),
        f"On Friday {words.heading()} wrote:",
        "\r\n".join(f"> {line}" for line in quoted),
        "\r\n".join(("-- ", *signature)),
        "-----Original Message-----",
        words.line(6),
    ]
    data, truth = mail(subject, lines, hours=words.dice.randint(2, 9))
    files = [(PurePosixPath(name).name, data) for name, data in make_files(words)]
    inside = truth_of(files)
    truth |= {"allowed": (*truth["allowed"], *inside["allowed"]), "attachments": inside["attachments"]}
    return attached(data, files), "whole", [" ".join(lines)], {**truth, "has_figures": True}


def _pages(words: Words, *, wide: bool) -> list[tuple[str, list[str]]]:
    """Generate 36 to 60 pages of two to five lines, all with the same line at the head and a number at the foot."""
    count = words.dice.randint(36, 60)
    head = f"{words.heading()} – {words.heading()}"
    lines = prose(words.dice, wide=wide)
    pages = []
    for number in range(1, count + 1):
        own = [lines.pop() for _ in range(2) if lines] or [words.line()]
        pages.append((words.heading(), [head, *own, words.line(5), f"- {number} of {count} -"]))
    words.dice.shuffle(pages)
    pages[3:3] = _alike(words)
    for empty in words.dice.sample(range(30, count - 1), 2):
        pages[empty] = ("", [])
    return pages


def _alike(words: Words) -> list[tuple[str, list[str]]]:
    """Generate pages as statements of account are: the same length, the same head, notes and foot, other figures between."""
    heading, first, last = words.heading(), words.line(14), words.line(8)
    terms = [words.line(7) for _ in range(8)]
    notes = [f"{number} {words.line(7).capitalize()}" for number in (1, 2)]
    made = []
    for number in range(5):
        turned = str.maketrans(CONSONANTS, CONSONANTS[number:] + CONSONANTS[:number])
        middle = [
            f"{word.translate(turned)} {words.dice.randint(1000, 9999)}.50" for word in ("bodogo", "katusi", "remipa")
        ]
        made.append((heading, [first, *middle, *terms, *notes, last]))
    return made


def _pdf(words: Words) -> Truth:
    pages = _pages(words, wide=False)
    made = [
        PdfPage(lines=[_pdf_line(text) for text in (heading, *lines[:-1])], foot=_pdf_line(lines[-1]))
        if heading
        else PdfPage()
        for heading, lines in pages
    ]
    roman, first = words.dice.randint(2, len(_ROMAN)), words.dice.randint(1, 9)
    program = "Microsoft® Word for Microsoft 365"
    data = PdfFile(pages=made, program=program, roman=roman, first=first).to_bytes()
    labels = (*_ROMAN[:roman], *(str(first + number) for number in range(len(pages) - roman)))
    return data, "page", page_texts(pages), {"has_figures": True, "labels": labels}


_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii")


def _pdf_line(text: str) -> PdfLine:
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return PdfLine(text=text, size=5, unicode=True)  # all letters of this font are as wide as they are high
    return PdfLine(text=text, size=9)


def _pptx(words: Words) -> Truth:
    pages = _pages(words, wide=True)
    allowed = ("Slide", *(str(number) for number in range(1, len(pages) + 1)))
    truth = {"allowed": allowed, "has_figures": True}
    return pptx(slides=pages, title="", author=""), "slide", page_texts(pages), truth


def _xlsx(words: Words) -> Truth:
    sheets = {words.word().capitalize(): odd_grid(words) for _ in range(words.dice.randint(4, 6))}
    sheets[words.word().upper()] = number_grid(words)
    sheets[words.word().title()] = square_grid(words, words.dice.randint(5, 20))
    sheets[words.word().title()] = merged_grid(words)  # without merging: a label stands in the first of its rows alone
    truth = {"allowed": tuple(sheets), "tables": tuple(sheets.values()), "has_figures": True}
    data = xlsx(sheets=sheets, merges={}, title="", author="", typed=True)
    return data, "sheet", [cells(grid) for grid in sheets.values()], truth


def _sheaf(words: Words) -> Truth:
    parts, truth = _blocks(words)
    grid = odd_grid(words)
    blocks: list[list[Any]] = []
    for kind, content in parts:
        match kind:
            case "h":
                blocks.append(["h", content[1], content[0]])
            case "link":
                blocks.append(["a", content[0], content[1]])
            case "items":
                listed = [["n", text, number] for number, text in content]
                blocks += [*listed[:2], ["p", BETWEEN], *listed[2:]]
            case "bullets":
                blocks += [["p", text] for text in content]
            case _:
                blocks.append(["p", content])
    noted = noted_lines(words)
    named = [(words.word(), words.line(3)) for _ in range(6)]
    inserted, deleted = words.line(5), words.line(5)
    commented = [(words.line(5), words.line(5)) for _ in range(4)]
    changes = [["i", inserted], ["d", deleted], *(["c", *pair] for pair in commented)]
    blocks += [*(["f", *pair] for pair in noted), *(["k", value, key] for key, value in named), *changes, ["t", grid]]
    files = make_files(words)
    inside = [{"name": name, "media_type": "text/plain", "text": data.decode()} for name, data in files]
    keys = tuple(key for key, _ in named)
    told = [*(line for line, _ in noted), *(value for _, value in named), inserted, *(text for text, _ in commented)]
    text = " ".join((_text_of(parts), *told, cells(grid), *(note for _, note in noted)))
    truth |= {"tables": (grid,), "notes": tuple(note for _, note in noted), "names": keys}
    truth |= {"attachments": truth_of(files)["attachments"], "allowed": (*truth["allowed"], *keys)}
    truth["labels"] = (str(words.dice.randint(3, 99)),)
    comments = tuple(comment for _, comment in commented)
    truth |= {"inserted": (inserted,), "deleted": (deleted,), "comments": comments}
    truth["allowed"] += ("Inserted", "Deleted", "Comment", *" ".join((inserted, deleted, *comments)).split())
    page = {"blocks": blocks, "label": truth["labels"][0]}
    said = stated(words)
    return (
        sheaf(pages=[page], attachments=inside, title=said["title"], author=said["author"]),
        "page",
        [text],
        with_stated(truth, said),
    )


MIXED_MAKERS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "csv/mixed.csv": ("text/csv", _csv),
    "docx/mixed.docx": (f"{OFFICE}.wordprocessingml.document", _docx),
    "eml/mixed.eml": ("message/rfc822", _eml),
    "html/mixed.html": ("text/html", _html),
    "md/mixed.md": ("text/markdown", _md),
    "pdf/mixed.pdf": ("application/pdf", _pdf),
    "pptx/mixed.pptx": (f"{OFFICE}.presentationml.presentation", _pptx),
    "sheaf/mixed.sheaf": (SHEAF, _sheaf),
    "tsv/mixed.tsv": ("text/tab-separated-values", _tsv),
    "txt/mixed.txt": ("text/plain", _txt),
    "xlsx/mixed.xlsx": (f"{OFFICE}.spreadsheetml.sheet", _xlsx),
}
"""Path → media type, and the function that makes the document."""
