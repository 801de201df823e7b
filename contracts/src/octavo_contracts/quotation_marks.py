"""Finds the words between quotation marks, and takes the marks out of words that are no quotation.

Only words that were compared with an archived text may stand between quotation marks in a research report (RES-3). The code that
writes a claim and the code that verifies it both use this module, so that they look for the same marks.
"""

from __future__ import annotations

import html
import re

_ENTITY = re.compile(r"&(?:amp;)*(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?")
_DOUBLE = '"“”„‟«»‹›「」『』〝〞〟＂❝❞❠⹂ʺˮ🙶🙷🙸'
_SINGLE_OPEN = "‘‚‛❛❟"
_SINGLE_CLOSE = "’❜"
# After a digit a prime is a unit: inches, minutes or seconds.
_PRIMES = "(?<![0-9])[″‶]|[″‶](?=[^\\W0-9])"

_MARKS = re.compile(f"[{_DOUBLE}{_SINGLE_OPEN}]|{_PRIMES}|``|''")
_CLOSING = re.compile(f"(?<!\\w)[{_SINGLE_CLOSE}]|[{_SINGLE_CLOSE}](?!\\w)")
_PAIR = re.compile(r"(?<!\w)'([^']+)'(?!\w)")
_CURLY_PAIR = re.compile(r"(?<!\w)’([^’]+)’(?!\w)")

_QUOTED = (
    re.compile('["＂ʺˮ]([^"＂ʺˮ]*)'),
    re.compile("(?<![0-9])[″‶]([^″‶]*)"),
    re.compile("[“”„‟🙶🙷🙸⹂]([^“”‟🙶🙷]*)"),
    re.compile("[«»]([^«»]*)"),
    re.compile("[‹›]([^‹›]*)"),
    re.compile("[「」『』〝〞〟]([^「」『』〝〞〟]*)"),
    re.compile("[❝❞❠]([^❝❞❠]*)"),
    re.compile("[‘‚‛❛❟]((?:[^‘’❛❜]|(?<=\\w)[’❜](?=\\w))*)"),
    re.compile("``(.*?)(?:''|$)", re.DOTALL),
)


def _decoded(text: str) -> str:
    """A text whose character references to quotation marks are those marks; others stay as they are."""

    def decode(match: re.Match[str]) -> str:
        found = match[0]
        while (once := html.unescape(found)) != found:
            found = once
        return found if found in {"'", "’", "″", "‶"} or _MARKS.fullmatch(found) else match[0]

    return _ENTITY.sub(decode, text)


def quoted_phrases(text: str) -> tuple[str, ...]:
    """The words after each opening quotation mark, to its closing one or to the end of the text.

    Character references such as `&ldquo;` count as the marks that they name. An apostrophe and the sign for inches are no
    quotation marks.
    """
    told = _decoded(text)
    found: list[str] = []
    for form in _QUOTED:
        at = 0
        while (match := form.search(told, at)) is not None:
            found.append(match[1])
            at = match.end() + 1  # behind the closing mark
    found += [match[1] for form in (_PAIR, _CURLY_PAIR) for match in form.finditer(told)]
    return tuple(found)


def without_quotation_marks(text: str) -> str:
    """A text on one line, without quotation marks. Apostrophes and the sign for inches after a digit stay."""
    told = _decoded(text)
    has_opening = re.search(f"[{_SINGLE_OPEN}]", told) is not None
    told = _MARKS.sub("", told)
    told = _PAIR.sub(r"\1", told)
    told = _CLOSING.sub("", told) if has_opening else _CURLY_PAIR.sub(r"\1", told)
    return " ".join(told.split())
