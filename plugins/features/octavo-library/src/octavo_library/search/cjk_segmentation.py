"""From a text to words that can be indexed: the one spelling that the index and a query share.

SQLite's tokenizer cuts at spaces and punctuation. Chinese, Japanese and Thai write no spaces, so their runs are cut here
into overlapping pairs of characters: `東京都` becomes `東京 京都 都`. A word of two characters is then one term, a longer
one is a phrase of neighbouring pairs, and a single character is the beginning of a pair: the last one, which begins
none, stands at the end by itself. Pairs were chosen over SQLite's trigram tokenizer, which finds nothing shorter
than three characters: most Chinese words have two. Pairs of Korean find a word whatever particle follows it.
"""

from __future__ import annotations

import re

from octavo.text.normal_forms import normalised

_RUN_CLASS = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U0001b000-\U0001b16f\U00020000-\U0003ffff]+"
)
"""Runs of Thai, Lao, Myanmar, Khmer, kana, Han and Hangul, as they are after compatibility normalisation."""

_RUN = re.compile(_RUN_CLASS)
# Looked for where a run begins, and nowhere within it: else a long run that something follows takes the square of its length.
_RUN_AT_END = re.compile(rf"(?<!{_RUN_CLASS.removesuffix('+')}){_RUN_CLASS}\Z")

_IGNORED = re.compile(
    "[\u00ad\u200b-\u200f\u2060\ufeff\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]"
)
"""Soft hyphens and joiners inside words; vowel points of Hebrew and Arabic, which most texts leave out."""

_UNENCODABLE = re.compile("[\x00\ud800-\udfff]")


def fold(text: str) -> str:
    """A text in the spelling of the index: compatibility forms made plain (the ligature ﬁ is fi), case folded."""
    if text.isascii():
        return text.replace("\x00", " ")  # the tokenizer folds the case of ASCII itself
    text = _IGNORED.sub("", _UNENCODABLE.sub(" ", text))
    return _IGNORED.sub("", normalised("NFKC", text).casefold())


def searchable(text: str) -> str:
    """What is indexed for a text: folded, its runs without spaces cut into pairs."""
    folded = fold(text)
    return folded if folded.isascii() else _RUN.sub(lambda run: f" {' '.join(_pairs(run[0]))} {run[0][-1]} ", folded)


def sought(text: str) -> str:
    """What is looked for, as neighbouring words: as `searchable`, but the last run may go on in the text.

    A run that something follows ends there in the text too, so its last character stands by itself.
    """
    folded = fold(text).strip()
    last = _RUN_AT_END.search(folded)
    if last is None:
        return searchable(folded)
    return f"{searchable(folded[: last.start()])} {' '.join(_pairs(last[0])) or last[0]}"


def pairs_at_end(text: str) -> list[str]:
    """The pairs of the run that a text ends with; none where it ends otherwise."""
    last = _RUN_AT_END.search(fold(text).strip())
    return _pairs(last[0]) if last else []


def ends_with_single(text: str) -> bool:
    """Whether a text is one character of a script without spaces: the beginning of pairs."""
    folded = fold(text).strip()
    return len(folded) == 1 and _RUN.fullmatch(folded) is not None


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)]
