"""Formulas that pages hold in script elements, for MathJax."""

from __future__ import annotations

from lxml import html


def script_formula(element: html.HtmlElement) -> str:
    """Return the formula that a script element of MathJax holds; '' for any other script."""
    kind = (element.get("type") or "").lower().replace(" ", "")
    tex = " ".join((element.text or "").split())
    if not kind.startswith("math/tex") or not tex:
        return ""
    return f"$${tex}$$" if "mode=display" in kind else f"${tex}$"
