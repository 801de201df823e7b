"""Fresh texts in encodings that a reader cannot tell from their bytes, each with the name of its encoding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .model import GoldenVector
from .once import generated_once
from .sheaf_bytes import SHEAF, sheaf
from .words import Words

LETTERS: Mapping[str, str] = {
    "cp850": "äöüßéèñç",
    "cp437": "äöüßéèñç",
    "cp1250": "łśżźěřůč",
    "iso8859-2": "łśżźěřůč",
    "koi8-r": "абвгдежз",
    "cp866": "абвгдежз",
    "iso8859-7": "αβγδεζηθ",
    "mac-roman": "äöüßéèñç",
}
"""Encoding, as Python names it → letters outside ASCII that it has."""


@dataclass(frozen=True, kw_only=True)
class CodedText:
    """A text in an encoding.

    Attributes:
        vector: the document.
        encoding: the name of its encoding.
    """

    vector: GoldenVector
    encoding: str


def _spelt(words: Words, letters: str) -> str:
    """Return a word with letters of its own between others: too few in a text to tell its encoding."""
    word = words.word()
    at = words.dice.randint(1, len(word) - 1)
    return f"{word[:at]}{''.join(words.dice.sample(letters, 2))}{word[at:]}"


Write = Callable[[Sequence[str]], str]
_WRITERS: dict[str, tuple[str, Write]] = {
    "text/plain": ("txt", lambda lines: "\n\n".join(lines) + "\n"),
    "text/markdown": ("md", lambda lines: "\n\n".join(lines) + "\n"),
    "text/csv": ("csv", lambda lines: "".join(f"{line},{number}\n" for number, line in enumerate(lines, start=100))),
    "text/tab-separated-values": ("tsv", lambda lines: "".join(f"{line}\t{number}\n" for number, line in enumerate(lines, start=100))),
    SHEAF: ("sheaf", lambda lines: sheaf(pages=[{"blocks": [["p", line] for line in lines]}]).decode()),
}  # fmt: skip
"""Media type → extension, and the function that writes the text."""


@generated_once
def make_coded_texts(seed: int, media_types: Sequence[str]) -> list[CodedText]:
    """Make for each format a text in each of the encodings.

    Args:
        seed: the same seed gives the same documents.
        media_types: of the formats.
    """
    words = Words(seed)
    made = []
    for media_type, (family, write) in _WRITERS.items():
        if media_type not in media_types:
            continue
        for encoding, letters in LETTERS.items():
            lines = [words.line(6), f"{words.line(3)} {_spelt(words, letters)} {words.word()}", f"{words.line(4)} {_spelt(words, letters)}"]  # fmt: skip
            data = write(lines).encode(encoding)
            vector = GoldenVector.of(
                f"{family}/coded-{encoding}.{family}",
                media_type,
                data,
                about="A text in an encoding that its bytes do not tell.",
                kind=None,
                pages=[" ".join(lines)],
            )
            made.append(CodedText(vector=vector, encoding=encoding))
    return made
