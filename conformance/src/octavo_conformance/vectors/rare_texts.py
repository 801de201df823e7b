"""Fresh documents in text formats with what only some documents have: other encodings, line ends, separators, tags.

An author tests a converter with the documents that are at hand. These have what the others have not.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Callable
from typing import Any

from .json_documents import JSON_TYPE, json_keys, json_values
from .model import words_of
from .truths import Truth, cells
from .words import Words

_ACCENTED = ("Größe", "café", "naïve", "Ærø", "señor", "Übermaß", "façade", "Ångström", "crème", "Zürich")
CODE_LINES = 36
"""Further lines of a block of code, so that it is longer than a screen."""


def _paragraphs(words: Words) -> list[str]:
    """Generate paragraphs with signs at their beginning, which other formats take for comments, rules or marks."""
    w, n = words.word, words.dice.randint
    accents = words.dice.sample(_ACCENTED, 6)
    lines = [
        f"# {words.line(4)}",
        f"// {words.line(4)}",
        f"; {words.line(3)}",
        f"% {words.line(3)}",
        f"'{w()} {w()}",
        f"-- {w()} {w()}",
        f"\t{w()}\t{n(100, 999)}\t{w()}",
        f"{w()}:{n(10, 99)}",
        f"{w()}={w()};{w()}",
        f"[{w()}]",
        f"{accents[0]} {w()} {accents[1]}",
        f"{w()} {accents[2]}\u00a0{n(10, 99)}\u00a0{w()}",
        f"{accents[3].upper()} {accents[4]} {accents[5]}",
        f"{n(1000, 9999)}",
        f"   {w()}   {w()}   ",
        " ".join(words.short() for _ in range(900)),
        words.heading(),
        words.heading(),
    ]
    words.dice.shuffle(lines)
    return [*lines, lines[0], lines[0]]


def _utf_16(words: Words) -> Truth:
    lines = _paragraphs(words)
    # A form feed begins a page, the last line has no end.
    parts = ["\r\n\r\n".join(lines[:9]), "\f" + "\r\n\r\n".join(lines[9:])]
    return "\r\n".join(parts).encode("utf-16"), "whole", [" ".join(lines)], {}


def _cp1252(words: Words) -> Truth:
    # Enough letters outside ASCII to tell the encoding.
    lines = [
        *_paragraphs(words),
        *(
            f"Die {word} ist \u201e{words.word()}\u201c \u2013 f\u00fcr {words.dice.randint(10, 99)} \u20ac"
            for word in _ACCENTED
        ),
    ]
    return "\n\n".join(lines).encode("cp1252"), "whole", [" ".join(lines)], {}


def _md(words: Words) -> Truth:
    w = words.word
    lines = [words.line(4) for _ in range(12)]
    heading, other = words.heading(), words.heading()
    code = [f"# {words.line(3)}", f"{w()} = {w()}[{words.dice.randint(10, 99)}]", f"  - {w()}"]
    code += [f"{w()}({w()}, {words.dice.randint(10, 99)})" for _ in range(CODE_LINES)]
    cut = w(), w(), w()
    blocks = [
        (f"{heading}\n{'=' * len(heading)}", heading),
        (f"```python\n{chr(10).join(code)}\n```", " ".join(code)),
        (f"- [x] {lines[0]}\n- [ ] {lines[1]}\n  - {lines[2]}\n\n    {lines[3]}", " ".join((lines[0], lines[1], lines[2], lines[3]))),
        (f"1) {lines[4]}\n2) {lines[5]}", f"{lines[4]} {lines[5]}"),
        (f"## {other} ##", other),
        (f"> {lines[6]}\n>\n> > {lines[7]}", f"{lines[6]} {lines[7]}"),
        (f"{cut[0]}**{cut[1]}**{cut[2]} *{w()}*  \n{lines[8]}", None),
        ("***", ""),
        (f"    {lines[9]}", lines[9]),
        (f"\\*{w()}\\* {w()}_{w()}_{w()} <{w()}@example.org> AT&amp;T &lt;{w()}&gt;", None),
        (f"| {w()} | {w()} |\n|:--|--:|\n| {w()} | {words.dice.randint(10, 99)} |\n| {w()} \\| {w()} | `{w()}` |", None),
        (f"<details>\n<summary>{lines[10]}</summary>\n\n{lines[11]}\n\n</details>", f"{lines[10]} {lines[11]}"),
    ]  # fmt: skip
    shown = [text if text is not None else _plain(source) for source, text in blocks]
    allowed = ("details", "summary", "python", "x", "1", "2", "amp", "lt", "gt")
    whole = "".join(cut)
    truth: dict[str, Any] = {"headings": (heading, other), "allowed": (*allowed, *cut, whole)}
    text = " ".join(shown)
    return "\n\n".join(source for source, _ in blocks).encode(), "whole", [text], truth


def _plain(source: str) -> str:
    """Return the text of a markdown source, of which the marks are no letters."""
    return html.unescape(source.replace("**", "").replace("\\_", "_"))


def _ragged(words: Words) -> list[list[str]]:
    """Generate rows with signs of other formats, blanks at the edges, and quotes."""
    w, n = words.word, words.dice.randint
    head = [w(), w(), w(), w()]
    rows = [[w(), str(n(100, 999)), words.line(2), w()] for _ in range(9)]
    rows[1][2] = f'{w()} "{w()}" {w()}'
    rows[2][2] = f"{w()}, {w()}; {w()}"
    rows[3][2] = f"{w()} | {w()} \\ {w()}"
    rows[4][2] = f"{w()} & {w()} < {n(10, 99)}"
    rows[5][2] = f"# {w()}"
    rows[6][0] = f"#{w()}"
    rows[7][2] = f"{w()}\r\n{w()}"
    rows[8][3] = "Ærø " + w()
    return [head, *rows]


def _csv(words: Words) -> Truth:
    rows = _ragged(words)
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode("utf-8-sig"), "sheet", [cells(rows)], {"has_figures": True}


def _tsv(words: Words) -> Truth:
    rows = [[cell.replace("\r\n", " ").replace('"', "'") for cell in row] for row in _ragged(words)]
    return (
        "\r\n".join("\t".join(row) for row in rows).encode("utf-8-sig"),
        "sheet",
        [cells(rows)],
        {"tables": (tuple(map(tuple, rows)),), "has_figures": True},
    )


def _html(words: Words) -> Truth:
    w, line, n = words.word, words.line, words.dice.randint
    accents = words.dice.sample(_ACCENTED, 4)
    heading = words.heading()
    parts: list[tuple[str, str]] = []

    def add(form: str, *texts: str) -> None:
        parts.append((form.format(*(html.escape(text) for text in texts)), " ".join(texts)))

    add("<H1>{}</H1>", heading)
    add("<P>{}", line(12))
    add("<p>{}", f"{accents[0]} {accents[1]} {line(8)}")
    add("<div>{}</div>", line(12))
    add("<section><div><p>{}</p></div></section>", line(12))
    add("<p>{}<br>{}<br/>{}</p>", line(4), line(4), line(4))
    add("<dl><dt>{}</dt><dd>{}</dd><dt>{}</dt><dd>{}</dd></dl>", line(2), line(6), line(2), line(6))
    add("<pre>{}\n  {}</pre>", line(4), line(4))
    add("<ul><li>{}<ul><li>{}</li><li>{}</li></ul></li><li>{}</li></ul>", line(3), line(3), line(3), line(3))
    add("<blockquote>{}</blockquote>", line(9))
    add("<p>{} <code>{}</code> <mark>{}</mark> <abbr title=''>{}</abbr> <q>{}</q></p>", line(4), w(), w(), w(), w())
    add("<p>{} <strong>{}</strong>{}</p>", line(4), w(), f", {w()} {n(10, 99)}")
    add(
        "<table><tr><th colspan='2'>{}</th></tr><tr><td>{}</td><td>{}</td></tr></table>", w(), f"{w()} {n(10, 99)}", w()
    )
    add("<p>{}</p>", f"5 < {n(6, 9)} & {w()} © {accents[2]} – {accents[3]}…")
    add(
        "<table><caption>{}</caption><tr><th>{}</th><td>{}</td></tr><tr><th>{}</th><td>{}</td></tr></table>",
        line(3),
        w(),
        w(),
        w(),
        w(),
    )
    add(
        "<p>{}</p><figure><img src='http://pictures.example/a.png' alt=''><figcaption>{}</figcaption></figure>",
        line(12),
        line(6),
    )
    add("<address>{}</address>", f"{line(4)} {n(10, 99)}")
    add(
        "<p><font color='red'>{}</font> <del>{}</del> <ins>{}</ins> <time datetime='2026'>{}</time></p>",
        line(6),
        w(),
        w(),
        w(),
    )
    add(
        "<table><thead><tr><td>{}</td></tr></thead><tbody><tr><td>{}</td></tr></tbody><tfoot><tr><td>{}</td></tr></tfoot></table>",
        w(),
        w(),
        w(),
    )
    add("<ul><li><p>{}</p><p>{}</p></li></ul>", line(4), line(4))
    add("<ol><li>{}<ol><li>{}</li><li>{}</li></ol></li></ol>", line(3), line(3), line(3))
    add("<pre><code>{}\n    {}</code></pre>", line(3), line(3))
    add("<table><tr><td>{}<table><tr><td>{}</td></tr></table></td><td>{}</td></tr></table>", w(), w(), w())
    add("<p>{}</p>", line(14))
    source = "\n".join(form for form, _ in parts)
    page = (
        "<html><head><meta http-equiv='Content-Type' content='text/html; charset=iso-8859-1'>"
        f"<title>{heading}</title></head><body><main>{source}</main></body></html>"
    )
    data = page.encode("latin-1", errors="xmlcharrefreplace")
    return (
        data,
        "whole",
        [" ".join(text for _, text in parts)],
        {"headings": (heading,), "allowed": ("2", "a", "png", "http", "pictures", "example")},
    )


def _untitled(words: Words) -> Truth:
    """A page without a title and a heading, behind others that have them."""
    lines = words.lines()
    body = "".join(f"<p>{line}</p>" for line in lines)
    return f"<!DOCTYPE html><html><body>{body}</body></html>".encode(), "whole", [" ".join(lines)], {}


def _json(words: Words) -> Truth:
    w, n = words.word, words.dice.randint
    accents = words.dice.sample(_ACCENTED, 3)
    record = {w(): w(), w(): n(100, 999)}
    values: list[Any] = [
        record,
        record,
        {"007": f"0{n(100, 999)}", w(): "true", w(): "null", w(): "1e5", w(): "2024-03-04"},
        {w(): f"{w()} <{w()}> & {w()}", w(): f"{accents[0]} 🚢 {accents[1]}"},
        [[w(), [n(10, 99), [w()]]], {accents[2]: {w(): {w(): w()}}}],
        w(),
        n(100_000, 999_999),
        f"  {w()}  ",
        "".join(words.short() for _ in range(300)),
        _named_alike(words),
    ]
    # All on one line, as programs write it for other programs.
    keys = [part for key in json_keys(values) for part in words_of(key.partition("#")[0])]
    truth = {"allowed": (*keys, "true", "false", "null", "json"), "names": tuple(dict.fromkeys(keys))}
    data = re.sub(r'#\d":', '":', json.dumps(values, ensure_ascii=False)).encode()
    return data, "whole", ["\n".join(json_values(values))], truth


def _named_alike(words: Words) -> dict[str, Any]:
    """Generate an object with names that stand in it several times, and one with an empty name; a mark tells equal names apart."""
    w, n = words.word, words.dice.randint
    one, other = w(), w()
    return {
        f"{one}#1": w(), f"{other}#1": {w(): w()}, f"{one}#2": w(), f"{other}#2": {w(): n(100, 999)}, f"{one}#3": [w(), w()],
        "": w(), w(): {f"{one}#1": n(100, 999), f"{one}#2": w()},
    }  # fmt: skip


RARE_TEXTS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "csv/rare.csv": ("text/csv", _csv),
    "html/rare.html": ("text/html", _html),
    "html/untitled.html": ("text/html", _untitled),
    "json/rare.json": (JSON_TYPE, _json),
    "md/rare.md": ("text/markdown", _md),
    "tsv/rare.tsv": ("text/tab-separated-values", _tsv),
    "txt/coded.txt": ("text/plain", _cp1252),
    "txt/rare.txt": ("text/plain", _utf_16),
}
"""Path → media type, and the function that makes the document."""
