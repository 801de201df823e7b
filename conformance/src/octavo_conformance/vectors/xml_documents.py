"""Fresh XML documents of no kind that a reader knows: attributes, marked sections, comments, references, equal elements."""

from __future__ import annotations

from collections.abc import Callable
from xml.sax.saxutils import escape, quoteattr

from .truths import Truth
from .words import Words

XML_TYPE = "application/xml"


def _xml(words: Words) -> Truth:
    w, line, n = words.word, words.line, words.dice.randint
    again, code = line(3), f"{w()} {n(100, 999)}"
    names = [w() for _ in range(6)]
    parts: list[tuple[str, str]] = []

    def add(form: str, *texts: str) -> None:
        names_of = dict(zip("abcdef", names, strict=True))
        parts.append((form.format(*map(escape, texts), **names_of), " ".join(texts)))

    add("<{a}>{}</{a}>", line(6))
    add("<{b}>{} <{c}>{}</{c}> {}</{b}>", line(3), w(), line(3))
    for _ in range(4):
        add("<{a}>{}</{a}>", again)
    add("<{d}><![CDATA[{}]]></{d}>", f"{line(4)} {n(10, 99)}")
    parts.append((f"<{names[3]}><![CDATA[{code} < & ]]>{escape(again)}</{names[3]}>", f"{code} {again}"))
    value, text = f"{w()} & {w()}", line(3)
    parts.append((f"<{names[4]} {names[5]}={quoteattr(value)}>{text}</{names[4]}>", f"{value} {text}"))
    add("<{a}>{}</{a}>", f"{line(2)} αβ <{names[1]}> & {w()}")
    add("<{a}><{b}><{c}><{d}>{}</{d}></{c}></{b}></{a}>", line(4))
    add("<{e}>{}</{e}><!-- {} --><{e}>{}</{e}>", line(3), "-", line(3))
    add("<{f}/><{f}></{f}><{a}> {} </{a}>", line(3))
    add("<{c}>{}</{c}>\n{}\n<{c}>{}</{c}>", line(2), line(3), line(2))
    root = w()
    body = "\n".join(form for form, _ in parts)
    data = f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns:x="urn:example">\n{body}\n</{root}>\n'
    marks = [
        "xml",
        "version",
        "1",
        "0",
        "encoding",
        "UTF",
        "8",
        "xmlns",
        "x",
        "urn",
        "example",
        "CDATA",
        "lt",
        "gt",
        "amp",
    ]
    return data.encode(), "whole", [" ".join(text for _, text in parts)], {"allowed": (*names, root, *marks)}


XML_MAKERS: dict[str, tuple[str, Callable[[Words], Truth]]] = {"xml/rare.xml": (XML_TYPE, _xml)}
"""Path → media type, and the function that makes the document."""
