"""Converts text to indexable words, in the one normal form shared by the index and queries.

SQLite's tokenizer splits at spaces and punctuation. Chinese, Japanese and Thai use no spaces, so their runs are split
here into overlapping pairs of characters: `東京都` becomes `東京 京都 都`. A word of two characters is then one term, a
longer one is a phrase of adjacent pairs, and a single character is the start of a pair; the last character starts no
pair and is added by itself. SQLite's trigram tokenizer was not chosen because it finds nothing shorter than three
characters: most Chinese words have two. In Korean, pairs find a word whatever particle follows it.
"""

from __future__ import annotations

import re

from octavo_text.normal_forms import normalised

_RUN_CLASS = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U0001b000-\U0001b16f\U00020000-\U0003ffff]+"
)
"""Runs of Thai, Lao, Myanmar, Khmer, kana, Han and Hangul, after compatibility normalisation."""

_RUN = re.compile(_RUN_CLASS)
# Only matched at the start of a run: otherwise a long run with text after it would take quadratic time.
_RUN_AT_END = re.compile(rf"(?<!{_RUN_CLASS.removesuffix('+')}){_RUN_CLASS}\Z")

_IGNORED = re.compile(
    "[\u00ad\u200b-\u200f\u2060\ufeff\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]"
)
"""Soft hyphens and joiners inside words; Hebrew and Arabic vowel points, which most texts omit."""

_UNENCODABLE = re.compile("[\x00\ud800-\udfff]")


def fold(text: str) -> str:
    """Normalise a text as in the index: compatibility forms replaced (the ligature ﬁ becomes fi), case folded."""
    if text.isascii():
        return text.replace("\x00", " ")  # the tokenizer folds the case of ASCII text
    text = _IGNORED.sub("", _UNENCODABLE.sub(" ", text))
    return _IGNORED.sub("", normalised("NFKC", text).casefold())


def searchable(text: str) -> str:
    """The indexed form of a text: folded, with runs without spaces split into pairs."""
    folded = fold(text)
    return folded if folded.isascii() else _RUN.sub(lambda run: f" {' '.join(_pairs(run[0]))} {run[0][-1]} ", folded)


def sought(text: str) -> str:
    """The form of a text to search for, as adjacent words: as `searchable`, but the last run may continue in the text.

    A run with text after it ends in the indexed text too, so its last character is a word by itself.
    """
    folded = fold(text).strip()
    last = _RUN_AT_END.search(folded)
    if last is None:
        return searchable(folded)
    return f"{searchable(folded[: last.start()])} {' '.join(_pairs(last[0])) or last[0]}"


def pairs_at_end(text: str) -> list[str]:
    """The pairs of the run at the end of a text; empty if it does not end with a run."""
    last = _RUN_AT_END.search(fold(text).strip())
    return _pairs(last[0]) if last else []


def ends_with_single(text: str) -> bool:
    """Whether a text is a single character of a script without spaces, which is the start of pairs."""
    folded = fold(text).strip()
    return len(folded) == 1 and _RUN.fullmatch(folded) is not None


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)]
