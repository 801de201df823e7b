"""Fresh documents with lines that lose their meaning with a sign: commands, options, code, quotes, dots, signs of other notations.

A converter that sets text in the forms of fine printing writes a dash for two hyphens, curly quotes for straight ones and an
ellipsis for three dots.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from .book_bytes import BOOK_WORDS, EPUB_TYPE, ODT_TYPE, chapter, epub, odt
from .feeds import RSS_TYPE, Entry, rss
from .model import words_of
from .notebooks import NOTEBOOK_TYPE
from .office_bytes import docx, pptx
from .rtf_bytes import RTF_TYPE, rtf, rtf_paragraph
from .sheaf_bytes import SHEAF, sheaf
from .truths import HTML, OFFICE, Truth, cells, mail
from .words import Words
from .zoned_dates import moment, words_of_moments

_TYPED = (
    '{w} --dry-run --{w}={n} -{l} "{w} {w}"',
    "{w} '{w}' ... {n}",
    'echo "{w}"... "{n}"',
    "{w}: {n}...{n}",
    "{w} -- {w} --- {w}",
    '"{w}," {w} "{w}"',
    "{w}'s '{w}' isn't {w}'",
    "{w} (c) {n} (r) {w} (tm)",
    "{w} 1/2 {w} 3/4 +- {n}",
    "{w} -> {w} => {n}, {w} != {w}",
    "{w}:) {w} ;-) {w}",
    "$HOME/{w}.{w} %{l} {n}% @{w}",
    "{w} 2nd 3rd {n}th x{n} {n}x{n}",
    "{w} ?! {w}?? {w}!!! {n}",
    "{w} >= {n}, {w} <= {n}",
    "C:/{w}/{w}/{n}.txt",
    "No. {n}: {w} & {w} + {w} = {n}",
)
"""Typed lines that are no markup in any format: w is a word, n a number, l a letter."""
_CODE = (
    'if {w} != "{n}":',
    "    {w}(*{w}, **{w})  # {w}...",
    "        {w}[{n}] = '{w}' -- {n}",
    "def __{w}__(self, _{w}_: int = -{n}):",
    "    return {w}.{w}_{w} * {n} * {w}",
    "{w} --{w} -{l}{l} | {w} > {w}.log 2>&1",
    '<{w} {w}="{n}">&{w}; &amp; &lt;{w}&gt;</{w}>',
    "{w} = r'\\{w}\\n\\t{n}' if {w} <= {n} else ~{n}",
    "[{w}]({w}) ![{w}][{n}] #{w} ^{n}",
    "$({w} {{{{ {w} }}}}) %{l} @{w} :{w}: ${n}",
    "-- {w} \"{w}\" ... '{w}'",
    "~~{w}~~ ==%% {w}~{n}~ {w}^{n}^ ++{w}++",
    "\t{w}:\t{n}",
    "{w} ... {w}....",
)
"""Lines of code, which may hold all signs."""


def _filled(form: str, words: Words) -> str:
    for mark, make in (
        ("{w}", words.word),
        ("{n}", lambda: str(words.dice.randint(100, 999))),
        ("{l}", lambda: words.dice.choice("abcdefgh")),
    ):
        while mark in form:
            form = form.replace(mark, make(), 1)
    return form.replace("{{", "{").replace("}}", "}")


def typed_lines(words: Words) -> list[str]:
    """Generate typed lines, in no order."""
    return [_filled(form, words) for form in words.dice.sample(_TYPED, len(_TYPED))]


def _blocks(words: Words) -> list[list[str]]:
    """Generate two blocks of code; the first line of a block has no indent."""
    lines = [_filled(form, words) for form in words.dice.sample(_CODE, len(_CODE))]
    return [[f"{words.word()}():", *half, f"{words.word()}.end()"] for half in (lines[:7], lines[7:])]


def _span(words: Words) -> str:
    return _filled('{w} --{w}="{w}" ...', words)


def _structured(words: Words, parts: Sequence[tuple[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Return the text of parts, and what is to be found of them."""
    told: list[str] = []
    code: list[str] = []
    for kind, content in parts:
        lines = content if kind == "code" else [content]
        told += lines
        code += lines
    # Marks of emphasis and of code may stand within words.
    allowed = ("python", "text", "sh", "amp", "lt", "gt", "quot")
    return "\n".join(told), {"code": tuple(code), "allowed": allowed}


def _parts(words: Words) -> list[tuple[str, Any]]:
    parts: list[tuple[str, Any]] = [("p", words.line(8)), *(("code", block) for block in _blocks(words))]
    parts += [("span", _span(words)) for _ in range(3)] + [("p", words.line(6)) for _ in range(4)]
    words.dice.shuffle(parts)
    return [("p", words.line(5)), *parts]


def _md(words: Words) -> Truth:
    parts = _parts(words)
    marks = iter(words.dice.sample(("```", "~~~"), 2))
    written = []
    for kind, content in parts:
        if kind == "code":
            mark = next(marks)
            written.append("\n".join((f"{mark}{words.dice.choice(('', 'sh', 'python'))}", *content, mark)))
        else:
            written.append(f"`{content}`" if kind == "span" else content)
    text, truth = _structured(words, parts)
    return ("\n\n".join(written) + "\n").encode(), "whole", [text], truth


def _body(parts: Sequence[tuple[str, Any]]) -> str:
    forms = {"code": "<pre><code>{}</code></pre>", "span": "<p><code>{}</code></p>", "p": "<p>{}</p>"}
    return "".join(
        forms[kind].format(escape("\n".join(content) if kind == "code" else content, quote=False))
        for kind, content in parts
    )


def _html(words: Words) -> Truth:
    parts = _parts(words)
    parts += [("p", line) for line in typed_lines(words)]
    text, truth = _structured(words, parts)
    return HTML.format(title="", body=_body(parts)).encode(), "whole", [text], truth


def _epub(words: Words) -> Truth:
    parts, title = [("p", line) for line in typed_lines(words)], words.heading()
    text, truth = _structured(words, parts)
    data = epub([chapter(title, _body(parts))], title=title)
    return data, "whole", [text], truth | {"allowed": (*truth["allowed"], *title.split(), *BOOK_WORDS)}


def _ipynb(words: Words) -> Truth:
    blocks, lines = _blocks(words), [words.line(6), words.line(7)]
    cells_of: list[dict[str, Any]] = []
    for number, (line, block) in enumerate(zip(lines, blocks, strict=True), start=1):
        cells_of.append({"cell_type": "markdown", "metadata": {}, "source": line})
        cells_of.append(
            {"cell_type": "code", "metadata": {}, "execution_count": number, "outputs": [], "source": "\n".join(block)}
        )
    about = {"language_info": {"name": "python"}}
    data = json.dumps({"cells": cells_of, "metadata": about, "nbformat": 4, "nbformat_minor": 4})
    parts = [part for line, block in zip(lines, blocks, strict=True) for part in (("p", line), ("code", block))]
    text, truth = _structured(words, parts)
    allowed = (*truth["allowed"], "code", "cell", "Cell", "In", "1", "2")
    return data.encode(), "whole", [text], truth | {"allowed": allowed}


def _flowing(write: Callable[[Words, Sequence[str]], Truth]) -> Callable[[Words], Truth]:
    """Return the maker of a document of typed lines."""

    def make(words: Words) -> Truth:
        lines = [words.line(6), *typed_lines(words), words.line(6)]
        data, kind, pages, truth = write(words, lines)
        return data, kind, pages or [" ".join(lines)], {"code": tuple(lines), **truth}

    return make


def _txt(words: Words, lines: Sequence[str]) -> Truth:
    return ("\n\n".join(lines) + "\n").encode(), "whole", [], {}


def _docx(words: Words, lines: Sequence[str]) -> Truth:
    return docx(blocks=[("p", line) for line in lines], title="", author=""), "whole", [], {}


def _odt(words: Words, lines: Sequence[str]) -> Truth:
    return odt("".join(f"<text:p>{escape(line, quote=False)}</text:p>" for line in lines)), "whole", [], {}


def _rtf(words: Words, lines: Sequence[str]) -> Truth:
    return rtf([rtf_paragraph(line) for line in lines]), "whole", [], {}


def _pptx(words: Words, lines: Sequence[str]) -> Truth:
    slides = [(words.heading(), lines[at : at + 7]) for at in range(0, len(lines), 7)]
    allowed = ("Slide", *map(str, range(1, len(slides) + 1)))
    texts = [" ".join((heading, *more)) for heading, more in slides]
    return pptx(slides=slides, title="", author=""), "slide", texts, {"allowed": allowed}


def _eml(words: Words, lines: Sequence[str]) -> Truth:
    data, truth = mail(words.heading(), lines)
    return data, "whole", [], truth


def _vtt(words: Words, lines: Sequence[str]) -> Truth:
    lines = [line.replace(" -> ", " ").replace("&", "+").replace("<", ">") for line in lines]
    cues = [f"00:00:{at:02}.000 --> 00:00:{at:02}.900\n{line}\n" for at, line in enumerate(lines, start=10)]
    truth = {"code": tuple(lines), "allowed": ("00", *(str(at) for at in range(10, 60)))}
    return ("WEBVTT\n\n" + "\n".join(cues)).encode(), None, [" ".join(lines)], truth


def _csv(words: Words, lines: Sequence[str]) -> Truth:
    grid = [(words.word(), words.word()), *((words.word(), line) for line in lines)]
    rows = ("{},{}\r\n".format(*(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row)) for row in grid)
    return "".join(rows).encode(), "sheet", [cells(grid)], {}


def _json(words: Words, lines: Sequence[str]) -> Truth:
    body = {words.word(): list(lines)}
    keys = tuple(body)
    # JSON has signs of its own within texts; only those without are compared.
    plain = tuple(line for line in lines if not set(line) & set('"\\'))
    allowed = (*keys, "json")
    return json.dumps(body, indent=1).encode(), "whole", [" ".join(lines)], {"code": plain, "allowed": allowed}


def _rss(words: Words, lines: Sequence[str]) -> Truth:
    title, about, when = words.heading(), words.line(4), moment(words)
    entry = Entry(words.heading(), lines, f"https://{words.word()}.example/", when)
    allowed = (
        *words_of_moments([when]),
        *words_of(entry.link),
        "Date",
        "Link",
        "Published",
        "https",
        "example",
        "org",
        "on",
    )
    text = " ".join((title, about, entry.title, *lines))
    return rss(title, about, when, [entry]).encode(), "whole", [text], {"allowed": allowed, "date": when.isoformat()}


def _sheaf(words: Words, lines: Sequence[str]) -> Truth:
    return sheaf(pages=[{"blocks": [["p", line] for line in lines]}]), "page", [], {}


TYPED_LINES: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "csv/typed.csv": ("text/csv", _flowing(_csv)),
    "docx/typed.docx": (f"{OFFICE}.wordprocessingml.document", _flowing(_docx)),
    "eml/signs.eml": ("message/rfc822", _flowing(_eml)),
    "epub/typed.epub": (EPUB_TYPE, _epub),
    "html/code.html": ("text/html", _html),
    "ipynb/code.ipynb": (NOTEBOOK_TYPE, _ipynb),
    "json/typed.json": ("application/json", _flowing(_json)),
    "md/code.md": ("text/markdown", _md),
    "odt/typed.odt": (ODT_TYPE, _flowing(_odt)),
    "pptx/typed.pptx": (f"{OFFICE}.presentationml.presentation", _flowing(_pptx)),
    "rss/typed.rss": (RSS_TYPE, _flowing(_rss)),
    "rtf/typed.rtf": (RTF_TYPE, _flowing(_rtf)),
    "sheaf/signs.sheaf": (SHEAF, _flowing(_sheaf)),
    "txt/typed.txt": ("text/plain", _flowing(_txt)),
    "vtt/typed.vtt": ("text/vtt", _flowing(_vtt)),
}
"""Path → media type, and the function that makes the document."""
