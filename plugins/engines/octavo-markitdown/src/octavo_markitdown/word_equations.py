"""Equations of Word documents (OMML) as LaTeX: the engine loses all of a document where it fails at one (CNV-6)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING

from .word_styles import W

if TYPE_CHECKING:
    from lxml.etree import _Element

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MAX_DEPTH = 60
"""Nesting of an equation up to which its structure is read; what is deeper is given as text."""

_OPEN, _CLOSE = "\ue07d", "\ue07e"
"""Around the number of an equation while the engine runs; from the private use area, so that nothing is escaped."""
_STAND_IN = re.compile(f"{_OPEN}(\\d{{1,6}}){_CLOSE}")
_SPECIAL = {"\\": r"\backslash ", "{": r"\{", "}": r"\}", "$": r"\$", "%": r"\%", "#": r"\#", "&": r"\&", "_": r"\_"}
_SYMBOLS = _SPECIAL | {
    "|": r"\vert ",
    "‖": r"\Vert ",
    "×": r"\times ",
    "÷": r"\div ",
    "·": r"\cdot ",
    "⋅": r"\cdot ",
    "±": r"\pm ",
    "∓": r"\mp ",
    "∞": r"\infty ",
    "≤": r"\leq ",
    "≥": r"\geq ",
    "≠": r"\neq ",
    "≈": r"\approx ",
    "≡": r"\equiv ",
    "∝": r"\propto ",
    "∈": r"\in ",
    "∉": r"\notin ",
    "⊂": r"\subset ",
    "⊆": r"\subseteq ",
    "∪": r"\cup ",
    "∩": r"\cap ",
    "∀": r"\forall ",
    "∃": r"\exists ",
    "∂": r"\partial ",
    "∇": r"\nabla ",
    "→": r"\to ",
    "⇒": r"\Rightarrow ",
    "⇔": r"\Leftrightarrow ",
    "…": r"\ldots ",
    "⋯": r"\cdots ",
    "−": "-",
    "∑": r"\sum ",
    "∏": r"\prod ",
    "∫": r"\int ",
    "∬": r"\iint ",
    "∭": r"\iiint ",
    "∮": r"\oint ",
    "⋃": r"\bigcup ",
    "⋂": r"\bigcap ",
    "√": r"\surd ",
    "⟨": r"\langle ",
    "⟩": r"\rangle ",
    "⌊": r"\lfloor ",
    "⌋": r"\rfloor ",
    "⌈": r"\lceil ",
    "⌉": r"\rceil ",
    "ϵ": r"\epsilon ",
    "\u00a0": r"\ ",
}
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (\w+)$")
_GREEK_AS_LATIN = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΧο")
"""Greek letters that LaTeX has no command for, as they look like Latin ones."""
_ACCENTS = {
    "\u0302": "hat",
    "\u0303": "tilde",
    "\u0304": "bar",
    "\u0305": "overline",
    "\u0307": "dot",
    "\u0308": "ddot",
    "\u20d7": "vec",
    "\u030c": "check",
}
_FUNCTIONS = frozenset(
    [
        "arccos",
        "arcsin",
        "arctan",
        "arg",
        "cos",
        "cosh",
        "cot",
        "coth",
        "csc",
        "deg",
        "det",
        "dim",
        "exp",
        "gcd",
        "hom",
        "inf",
        "ker",
        "lg",
        "lim",
        "liminf",
        "limsup",
        "ln",
        "log",
        "max",
        "min",
        "Pr",
        "sec",
        "sin",
        "sinh",
        "sup",
        "tan",
        "tanh",
    ]
)


def take_equations(root: _Element, formulas: list[str]) -> None:
    """Replace the equations of a part by runs that stand in for them.

    Args:
        root: root element of the part; changed in place.
        formulas: list to which the markdown of each equation is appended; its place is the number of the stand-in.
    """
    from lxml import etree

    for equation in list(root.iter(f"{M}oMath")):
        parent = equation.getparent()
        if parent is None or next(equation.iterancestors(f"{M}oMath"), None) is not None:
            continue
        latex = latex_of(equation)
        is_display = parent.tag == f"{M}oMathPara"
        run = etree.Element(f"{W}r")
        if latex:
            text = etree.SubElement(run, f"{W}t")
            text.text = f"{_OPEN}{len(formulas)}{_CLOSE}"
            formulas.append(f"$${latex}$$" if is_display else f"${latex}$")
        run.tail = equation.tail
        parent.replace(equation, run)
    for paragraph in list(root.iter(f"{M}oMathPara")):
        _unwrap(paragraph)


def latex_of(equation: _Element) -> str:
    """Return the LaTeX of an equation (`m:oMath`)."""
    return " ".join(_latex(equation, 0).split())


def with_equations(markdown: str, formulas: list[str]) -> str:
    """Return markdown with its equations in place of their stand-ins."""

    def formula(found: re.Match[str]) -> str:
        number = int(found[1])
        return formulas[number] if number < len(formulas) else found[0]

    return _STAND_IN.sub(formula, markdown) if formulas else markdown


def _unwrap(paragraph: _Element) -> None:
    """Put the runs of a displayed equation in its place; one outside a paragraph gets a paragraph."""
    parent = paragraph.getparent()
    if parent is None:
        return
    runs = [child for child in paragraph if child.tag == f"{W}r"]
    if parent.tag != f"{W}p":
        paragraph.tag = f"{W}p"
        for child in list(paragraph):
            if child.tag != f"{W}r":
                paragraph.remove(child)
        return
    place = parent.index(paragraph)
    for offset, run in enumerate(runs):
        parent.insert(place + offset, run)
    parent.remove(paragraph)


def _latex(element: _Element | None, depth: int) -> str:
    """Return the LaTeX of everything inside an element."""
    if element is None:
        return ""
    if depth > MAX_DEPTH:
        return _symbols("".join(node.text or "" for node in element.iter(f"{M}t")))
    return "".join(_one(child, depth + 1) for child in element)


def _one(element: _Element, depth: int) -> str:
    name = str(element.tag).rpartition("}")[2]

    def part(which: str) -> str:
        return _latex(element.find(f"{M}{which}"), depth)

    def group(which: str) -> str:
        return "{" + part(which).strip() + "}"

    match name:
        case "r":
            return _run(element)
        case "f":
            kind = _value(element, "fPr", "type")
            if kind in ("lin", "skw"):
                return f"{group('num')}/{group('den')}"
            return (r"\binom" if kind == "noBar" else r"\frac") + group("num") + group("den")
        case "rad":
            degree = part("deg").strip()
            return r"\sqrt" + (f"[{degree}]" if degree else "") + group("e")
        case "sSup":
            return f"{_base(part('e'))}^{group('sup')}"
        case "sSub":
            return f"{_base(part('e'))}_{group('sub')}"
        case "sSubSup":
            return f"{_base(part('e'))}_{group('sub')}^{group('sup')}"
        case "sPre":
            return f"{{}}_{group('sub')}^{group('sup')}{_base(part('e'))}"
        case "nary":
            return _nary(element, part, group)
        case "d":
            return _delimited(element, depth)
        case "m":
            rows = (
                " & ".join(_latex(cell, depth).strip() for cell in row.iterfind(f"{M}e"))
                for row in element.iterfind(f"{M}mr")
            )
            return r"\begin{matrix}" + r" \\ ".join(rows) + r"\end{matrix}"
        case "eqArr":
            lines = [_latex(row, depth).strip() for row in element.iterfind(f"{M}e")]
            if len(lines) == 1:
                return lines[0]
            return r"\begin{aligned}" + r" \\ ".join(lines) + r"\end{aligned}"
        case "func":
            return _operator(part("fName")) + "{" + part("e").strip() + "}"
        case "limLow":
            return f"{_operator(part('e'))}_{group('lim')}"
        case "limUpp":
            return f"{_operator(part('e'))}^{group('lim')}"
        case "acc":
            accent = _ACCENTS.get(_value(element, "accPr", "chr") or "\u0302", "hat")
            return f"\\{accent}{group('e')}"
        case "bar":
            return (r"\overline" if _value(element, "barPr", "pos") == "top" else r"\underline") + group("e")
        case "groupChr":
            return (r"\overbrace" if _value(element, "groupChrPr", "pos") == "top" else r"\underbrace") + group("e")
        case _ if name.endswith("Pr"):
            return ""
        case _:
            return _latex(element, depth)


def _nary(element: _Element, part: Callable[[str], str], group: Callable[[str], str]) -> str:
    sign = _symbols(_value(element, "naryPr", "chr") or "∫").strip()
    below = f"_{group('sub')}" if part("sub").strip() else ""
    above = f"^{group('sup')}" if part("sup").strip() else ""
    return f"{sign}{below}{above}{{{part('e').strip()}}}"


def _delimited(element: _Element, depth: int) -> str:
    opening, closing = (_value(element, "dPr", name) for name in ("begChr", "endChr"))
    inside = ", ".join(_latex(one, depth).strip() for one in element.iterfind(f"{M}e"))
    left = _symbols("(" if opening is None else opening).strip() or "."
    right = _symbols(")" if closing is None else closing).strip() or "."
    return f"\\left{left} {inside} \\right{right} "


def _operator(name: str) -> str:
    """Return the command of a function's name, also where limits follow it."""
    name = name.strip()
    word = re.split(r"[^A-Za-z]", name, maxsplit=1)[0]
    limits = name[len(word) :]
    if word in _FUNCTIONS:
        return f"\\{word}{limits or ' '}"
    return name if not word or len(word) == 1 else f"\\operatorname{{{word}}}{limits}"


def _base(text: str) -> str:
    text = text.strip()
    return text if len(text) == 1 or re.fullmatch(r"\\[A-Za-z]+|\d+", text) else f"{{{text}}}"


def _run(run: _Element) -> str:
    text = "".join(node.text or "" for node in run.iter(f"{M}t"))
    properties = run.find(f"{M}rPr")
    if properties is not None and properties.find(f"{M}nor") is not None and text.strip():
        return r"\text{" + "".join(_SPECIAL.get(char, char) for char in text) + "}"
    return _symbols(text)


def _symbols(text: str) -> str:
    return "".join(_symbol(char) for char in text)


def _symbol(char: str) -> str:
    if char in _SYMBOLS or char.isascii():
        return _SYMBOLS.get(char, char)
    plain = unicodedata.normalize("NFKC", char)  # letters of mathematical alphabets
    if len(plain) == 1 and (found := _GREEK.match(unicodedata.name(plain, ""))) and plain not in _GREEK_AS_LATIN:
        name = found[2].lower().replace("lamda", "lambda").removeprefix("final ")
        return f"\\{name.capitalize() if found[1] == 'CAPITAL' else name} "
    return plain if char.isalpha() else char


def _value(element: _Element, properties: str, name: str) -> str | None:
    found = element.find(f"{M}{properties}/{M}{name}")
    return None if found is None else found.get(f"{M}val", "")
