"""Writes formulas as TeX: from the TeX that they carry, else from presentation MathML."""

from __future__ import annotations

import re
from typing import Any

from .markdown import collapse

MAX_DEPTH = 60
"""Deepest formula that is followed; deeper parts are written as their signs."""

_TEX_TYPES = ("application/x-tex", "text/x-tex", "latex", "tex")
_FUNCTIONS = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp lim max min sup inf det dim ker gcd arg".split()  # noqa: SIM905 - names read better as words
)
_SIGNS = {
    "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∬": r"\iint", "∮": r"\oint", "√": r"\surd", "∞": r"\infty", "∂": r"\partial",
    "∇": r"\nabla", "±": r"\pm", "∓": r"\mp", "×": r"\times", "÷": r"\div", "·": r"\cdot", "⋅": r"\cdot", "∗": "*", "−": "-",
    "≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "≈": r"\approx", "≡": r"\equiv", "∼": r"\sim", "∝": r"\propto", "∈": r"\in",
    "∉": r"\notin", "⊂": r"\subset", "⊆": r"\subseteq", "∪": r"\cup", "∩": r"\cap", "∅": r"\emptyset", "∀": r"\forall",
    "∃": r"\exists", "¬": r"\neg", "∧": r"\wedge", "∨": r"\vee", "→": r"\to", "←": r"\leftarrow", "⇒": r"\Rightarrow",
    "⇔": r"\Leftrightarrow", "↔": r"\leftrightarrow", "↦": r"\mapsto", "…": r"\ldots", "⋯": r"\cdots", "′": "'", "°": r"^\circ",
    "⟨": r"\langle", "⟩": r"\rangle", "‖": r"\|", "{": r"\{", "}": r"\}", "ℝ": r"\mathbb{R}", "ℤ": r"\mathbb{Z}", "ℕ": r"\mathbb{N}",
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\epsilon", "ζ": r"\zeta", "η": r"\eta", "θ": r"\theta",
    "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu", "ν": r"\nu", "ξ": r"\xi", "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma", "τ": r"\tau",
    "φ": r"\phi", "ϕ": r"\phi", "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega", "Γ": r"\Gamma", "Δ": r"\Delta", "Θ": r"\Theta",
    "Λ": r"\Lambda", "Π": r"\Pi", "Σ": r"\Sigma", "Φ": r"\Phi", "Ψ": r"\Psi", "Ω": r"\Omega", "ℏ": r"\hbar", "ℓ": r"\ell",
}  # fmt: skip
_ACCENTS = {"¯": "bar", "‾": "bar", "^": "hat", "ˆ": "hat", "~": "tilde", "˜": "tilde", "→": "vec", "⃗": "vec", "˙": "dot", "¨": "ddot", "⏞": "overbrace"}  # fmt: skip
_BELOW = {"¯": "underline", "̲": "underline", r"\_": "underline", "⏟": "underbrace"}
_TAKES_LIMITS = re.compile(
    r"\\(?:sum|prod|i?int|oint|lim|max|min|sup|inf|det|gcd|mathrm|operatorname|underbrace|overbrace)\b"
)
"""Signs and functions that TeX writes a subscript below."""
_INVISIBLE = re.compile("[\u2061-\u2064\u200b\u200c\u200d]")
_NO_BRACES = re.compile(r"\A(?:[A-Za-z0-9]|\\[A-Za-z]+)\Z")


def formula(element: Any) -> str:
    """Return a formula between dollars, or its signs as text where it has no structure.

    Args:
        element: the `math` element, of lxml or of `xml.etree`.
    """
    tex = tex_of(element)
    if not tex:
        return ""
    mark = "$$" if element.get("display") == "block" or element.get("mode") == "display" else "$"
    return f"{mark}{tex}{mark}"


def tex_of(element: Any) -> str:
    """Return a formula as TeX on one line; '' for an empty one.

    Args:
        element: the `math` element, of lxml or of `xml.etree`.
    """
    return " ".join((_own_tex(element) or _tex(element, 0)).split())


def _own_tex(element: Any) -> str:
    for note in element.iter():
        is_tex = _local_name(note) == "annotation" and (note.get("encoding") or "").lower() in _TEX_TYPES
        if is_tex and (text := "".join(note.itertext()).strip()):
            return _without_display(text)
    return _without_display((element.get("alttext") or "").strip())


def _without_display(tex: str) -> str:
    match = re.fullmatch(r"\{\s*\\displaystyle\s*(.*)\}", tex, re.DOTALL)
    return match[1].strip() if match else tex.strip("$")


def _tex(element: Any, depth: int) -> str:
    name = _local_name(element)
    children = [child for child in element if isinstance(child.tag, str)]
    if depth > MAX_DEPTH:
        return _sign("".join(element.itertext()))
    parts = [_tex(child, depth + 1) for child in children]
    if name in {"mi", "mn", "mo", "mtext", "ms"}:
        return _token(name, collapse("".join(element.itertext())).strip())
    if name in {"annotation", "annotation-xml"}:
        return ""
    if name == "semantics":
        return parts[0] if parts else ""
    if name == "mfrac" and len(parts) == 2:
        return rf"\frac{{{parts[0]}}}{{{parts[1]}}}"
    if name == "msqrt":
        return rf"\sqrt{{{_joined(parts)}}}"
    if name == "mroot" and len(parts) == 2:
        return rf"\sqrt[{parts[1]}]{{{parts[0]}}}"
    if name in {"msup", "msub", "munder", "mover"} and len(parts) == 2:
        return _script(name, parts)
    if name in {"msubsup", "munderover"} and len(parts) == 3:
        return f"{_base(parts[0])}_{_braced(parts[1])}^{_braced(parts[2])}"
    if name == "mtable" and len(parts) == 1 and "&" not in parts[0]:
        return parts[0]  # a formula on one line, as LibreOffice writes it
    if name == "mtable":
        return r"\begin{matrix} " + r" \\ ".join(parts) + r" \end{matrix}"
    if name in {"mtr", "mlabeledtr"}:
        return " & ".join(parts)
    if name == "mfenced":
        separator = (element.get("separators") or ",").strip()[:1]
        return f"{_sign(element.get('open', '('))}{f'{separator} '.join(parts)}{_sign(element.get('close', ')'))}"
    if name in {"mstack", "mlongdiv", "msgroup"}:
        rows = r" \\ ".join(filter(None, parts))
        # The rows of a group are rows of its stack.
        return rows if name == "msgroup" else rf"\begin{{array}}{{r}} {rows} \end{{array}}"
    if name == "mspace":
        return " "
    if name == "mphantom":
        return ""
    own = _sign(collapse(element.text or "").strip())
    return _joined([own, *parts]) if own else _joined(parts)


def _local_name(element: Any) -> str:
    """Return the name without a namespace or a prefix; '' for a comment."""
    return re.split("[}:]", element.tag)[-1] if isinstance(element.tag, str) else ""


def _token(name: str, text: str) -> str:
    text = _INVISIBLE.sub("", text)
    if name in {"mtext", "ms"}:
        return rf"\text{{{text}}}" if text else ""
    if name == "mi" and text in _FUNCTIONS:
        return f"\\{text} "
    if name == "mi" and len(text) > 1 and text.isalpha() and text.isascii():
        return rf"\mathrm{{{text}}}"
    if name == "mo" and len(text) > 1 and text.isalpha() and text.isascii():
        return f"\\{text} " if text in _FUNCTIONS else rf"\operatorname{{{text}}}"
    return _sign(text)


def _sign(text: str) -> str:
    pieces = [_SIGNS.get(char, rf"\{char}" if char in "%#&$_" else char) for char in text]
    return "".join(f"{piece} " if re.search(r"\\[A-Za-z]+\Z", piece) else piece for piece in pieces).strip()


def _joined(parts: list[str]) -> str:
    """Parts one after the other; a command needs a blank before a letter."""
    text = ""
    for part in parts:
        if text and part and re.search(r"\\[A-Za-z]+\Z", text) and part[0].isalnum():
            text += " "
        spaced = part in {"=", "+", "-", "<", ">"} or part in {
            r"\leq",
            r"\geq",
            r"\neq",
            r"\to",
            r"\approx",
            r"\pm",
            r"\times",
        }
        text += f" {part} " if spaced and text else part
    return text.strip()


def _script(name: str, parts: list[str]) -> str:
    base, script = (part.strip() for part in parts)
    if (accent := {"mover": _ACCENTS, "munder": _BELOW}.get(name, {}).get(script)) is not None:
        return rf"\{accent}{{{base}}}"
    if name == "mover" and script == r"\to":
        return rf"\vec{{{base}}}"
    if name in {"munder", "mover"} and not _TAKES_LIMITS.match(base):
        return rf"\{'underset' if name == 'munder' else 'overset'}{{{script}}}{{{base}}}"
    return f"{_base(base)}{'_' if name in {'msub', 'munder'} else '^'}{_braced(script)}"


def _base(text: str) -> str:
    text = text.strip()
    return text if _NO_BRACES.match(text) or not text or text[-1] in ")]}" else f"{{{text}}}"


def _braced(text: str) -> str:
    text = text.strip()
    return text if len(text) == 1 else f"{{{text}}}"
