"""Detects text that Pandoc omits from LaTeX because it does not know a command; omitted layout does not matter."""

from __future__ import annotations

import re
from collections.abc import Iterable

from octavo_contracts import ConversionWarning

LAYOUT = frozenset(
    [
        "addcontentsline",
        "addtocounter",
        "addtolength",
        "bibliographystyle",
        "captionsetup",
        "definecolor",
        "fancyfoot",
        "fancyhead",
        "fontfamily",
        "fontsize",
        "geometry",
        "graphicspath",
        "hspace",
        "hypersetup",
        "hyphenation",
        "include",
        "input",
        "label",
        "newcounter",
        "newlength",
        "newtheorem",
        "nocite",
        "pagecolor",
        "pagenumbering",
        "pagestyle",
        "setcounter",
        "setlength",
        "setlist",
        "tableofcontents",
        "theoremstyle",
        "thispagestyle",
        "titleformat",
        "titlespacing",
        "usepackage",
        "usetikzlibrary",
        "vskip",
        "vspace",
    ]
)
"""Commands whose arguments are not text."""
SHOWN = 5
"""How many commands are named."""

_COMMAND = re.compile(r"\\([A-Za-z@]+)")
_WORDS = re.compile(r"\{[^{}]*?[^\W\d_]{2,}")


def unknown_commands(skipped: Iterable[str]) -> tuple[ConversionWarning, ...]:
    """A warning that names the commands that were left out together with the words they hold.

    Args:
        skipped: pieces of the source, each beginning with its command.
    """
    names = dict.fromkeys(
        found[1]
        for piece in skipped
        if (found := _COMMAND.match(piece)) and found[1] not in LAYOUT and _WORDS.search(piece)
    )
    if not names:
        return ()
    listed = ", ".join(f"\\{name[:40]}" for name in list(names)[:SHOWN])
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    message = f"Commands that Pandoc does not know are left out, and the words in them: {listed}{more}."
    return (ConversionWarning(code="partial_conversion", message=message),)
