"""A block's text as words and the styles of words: read from the markdown that liteparse writes, and written as such."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from octavo_contracts.authoring import link
from octavo_contracts.authoring.pdf_words import Style

_TARGET: Final = r"(?:[^()\s]|\([^()\s]*\))*"
_LINK: Final = re.compile(rf"\[((?:[^\[\]\\]|\\.)*)\]\(({_TARGET})\)")
_UNIT: Final = re.compile(r"\\[^\w\s]|(?P<mark>\*+)")
_SIGN: Final = re.compile(r"\\[^\w\s]|.")
_PUNCTUATION: Final = re.compile(r"^([(\"']*)(.*?)((?:[.,;:!?\"')]|\\\*)*)$", re.DOTALL)
"""What stands around the words of a link and is seldom a part of it."""


class MarkedText:
    """The text of a block without its marks.

    Attributes:
        words: as markdown; empty for a text that is more than words and marks, such as one with a span of code.
        targets: of its links.
    """

    def __init__(self, text: str) -> None:
        self.targets = {match[2].strip("<>") for match in _LINK.finditer(text)}
        bare = _LINK.sub(r"\1", text)
        marks = [match for match in _UNIT.finditer(bare) if match["mark"]]
        shown = _UNIT.sub(lambda match: "" if match["mark"] else match[0], bare)
        is_plain = "`" not in text and "\n" not in text and not any(_is_free(match, bare) for match in marks)
        self.words = shown.split() if is_plain else []


def _is_free(mark: re.Match[str], text: str) -> bool:
    """Return whether stars stand alone, and hence are a sign, or are too many for a mark."""
    before, behind = text[: mark.start()][-1:].strip(), text[mark.end() :][:1].strip()
    return len(mark[0]) > 3 or not (before or behind)


def written(words: Sequence[str], styles: Sequence[Style]) -> str:
    """Return words as markdown, with marks around those of one style that follow each other."""
    parts = []
    for (is_bold, is_italic), group in groupby(zip(words, styles, strict=True), key=lambda pair: pair[1][:2]):
        own = list(group)
        before, first = _divided(own[0][0], own[0][1].head)
        own[0] = (first, own[0][1])
        last, behind = _divided(own[-1][0], len(_SIGN.findall(own[-1][0])) - own[-1][1].tail)
        own[-1] = (last, own[-1][1])
        text = " ".join(
            _linked(" ".join(word for word, _ in pairs), target)
            for target, pairs in groupby(own, key=lambda pair: pair[1].target)
        )
        parts.append(f"{before}{emphasised(text, is_bold=is_bold, is_italic=is_italic)}{behind}")
    return " ".join(parts)


def _divided(word: str, at: int) -> tuple[str, str]:
    """Divide a word behind so many signs; an escaped sign is one."""
    signs = _SIGN.findall(word)
    return "".join(signs[:at]), "".join(signs[at:])


def emphasised(text: str, *, is_bold: bool, is_italic: bool) -> str:
    """Return a text between the marks of its emphasis."""
    mark = "**" * is_bold + "*" * is_italic
    return f"{mark}{text}{mark[::-1]}"


def _linked(text: str, target: str | None) -> str:
    if target is None:
        return text
    match = _PUNCTUATION.match(text)
    before, label, behind = match.groups() if match else ("", text, "")
    if behind.startswith(")") and "(" in label:
        label, behind = f"{label})", behind[1:]
    if not label:
        return text
    made = f"[{label}]({target})" if re.fullmatch(_TARGET, target) else link(label, target)
    return f"{before}{made}{behind}"


def common(styles: Iterable[Style]) -> tuple[bool, bool] | None:
    """Return whether words are all bold and whether they are all italic; None where they differ."""
    found = {style[:2] for style in styles}
    return found.pop() if len(found) == 1 else None
