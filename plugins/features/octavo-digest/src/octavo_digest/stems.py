"""Stems for comparing words in bm25/v1, in the probable language of the source.

The stemmers are Snowball's. The language is detected by script, and for Latin letters by frequent function words; the
default is English. A wrong guess affects only some word endings and never exact matches, because query and source are
stemmed in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

import Stemmer

SAMPLE_WORDS = 2_000
"""Number of words used to detect the language."""

_SCRIPTS: tuple[tuple[str, str, str], ...] = (
    ("russian", "\u0400", "\u052f"),
    ("greek", "\u0370", "\u03ff"),
    ("arabic", "\u0600", "\u06ff"),
    ("hindi", "\u0900", "\u097f"),
    ("tamil", "\u0b80", "\u0bff"),
    ("armenian", "\u0530", "\u058f"),
)
"""Language of the stemmer for a script, with the script's first and last character."""

_FUNCTION_WORDS: dict[str, str] = {
    "english": "the of and to is that was for with are this which from by it",
    "german": "der die das und ist nicht von den mit dem ein eine auf für sich auch",
    "french": "le la les et des est une dans que qui pour sur pas du au avec",
    "spanish": "el los las y que en una por con para del se como más su lo",
    "italian": "il gli di che e una per con non del della sono nel alla dei anche",
    "portuguese": "os as que em um uma para com não do da dos das pelo ao são",
    "dutch": "het een en van dat niet op te zijn met voor aan ook door bij is",
    "swedish": "och att det som en på är av för med inte till den har ett om",
    "danish": "og at det som en på er af for med ikke til den har et der",
    "norwegian": "og å det som en på er av for med ikke til den har et seg",
    "finnish": "ja on ei että se oli hän mutta ovat joka myös kun tai niin",
    "romanian": "și de la în cu pe care este nu un din pentru sau mai ale",
    "turkish": "ve bir bu için ile da de olarak çok daha gibi kadar olan ne",
    "hungarian": "a az és hogy nem egy is ez volt csak meg de már vagy el",
}
_LANGUAGES_OF: dict[str, tuple[str, ...]] = {}
for _language, _list in _FUNCTION_WORDS.items():
    for _word in _list.split():
        _LANGUAGES_OF[_word] = (*_LANGUAGES_OF.get(_word, ()), _language)

DEFAULT_LANGUAGE = "english"


def language_of(words: Iterable[str]) -> str:
    """Return the Snowball language of a text.

    Args:
        words: its lower-case words; only the first `SAMPLE_WORDS` are used.
    """
    votes = _votes(words)
    # Ties are resolved by the order of the tables, never by that of the words: English first.
    best, best_votes = DEFAULT_LANGUAGE, votes[DEFAULT_LANGUAGE]
    for language in (*_FUNCTION_WORDS, *(row[0] for row in _SCRIPTS)):
        if votes[language] > best_votes:
            best, best_votes = language, votes[language]
    return best


def certain_language(words: Iterable[str], *, least: int) -> str | None:
    """Return the language that a text's function words or letters show, or None if they do not show one alone.

    Args:
        words: its lower-case words; only the first `SAMPLE_WORDS` are used.
        least: fewest words that must speak for the language.
    """
    first, second = [*_votes(words).most_common(2), ("", 0), ("", 0)][:2]
    return first[0] if first[1] >= least and first[1] > second[1] else None


def _votes(words: Iterable[str]) -> Counter[str]:
    """Count the words that speak for each language."""
    votes: Counter[str] = Counter()
    for word in islice(words, SAMPLE_WORDS):
        if word.isascii() or word[0] < "\u0370":
            votes.update(_LANGUAGES_OF.get(word, ()))
            continue
        for language, first, last in _SCRIPTS:
            if first <= word[0] <= last:
                votes[language] += 1
                break
    return votes


def stem_all(words: Sequence[str], *, language: str = DEFAULT_LANGUAGE) -> list[str]:
    """Return the stem of each word, in order."""
    # Snowball's own cache does not help with words that occur once, and its objects are not thread-safe.
    stems: list[str] = Stemmer.Stemmer(language, 0).stemWords(list(words))
    return stems
