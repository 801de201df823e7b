"""Fresh texts with dozens of notes, each with its own mark: a plugin that sorts marks or ids as texts has 10 before 2."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .book_bytes import ODT_TYPE, odt
from .rtf_bytes import RTF_TYPE, rtf, rtf_note, rtf_written
from .truths import Truth
from .words import Words

_LEAST, _MOST = 24, 40
"""Notes of a text."""
Noted = tuple[str, str]
"""A sentence, and the note whose mark stands behind it."""


def noted_lines(words: Words) -> list[Noted]:
    """Generate sentences with notes."""
    return [(words.line(5), words.line(4)) for _ in range(words.dice.randint(_LEAST, _MOST))]


def _truth(noted: Sequence[Noted], labels: Sequence[str] = ()) -> dict[str, tuple[object, ...]]:
    """Return what is to be found of notes, which stand behind the text or beside their sentences."""
    notes = tuple(note for _, note in noted)
    numbers = (str(number) for number in range(1, len(noted) + 1))
    allowed = (*numbers, *labels, *(word for note in notes for word in note.split()))
    return {"notes": notes, "marked": tuple(noted), "allowed": allowed}


def _written(noted: Sequence[Noted]) -> list[str]:
    return [" ".join(sentence for sentence, _ in noted)]


def _md(words: Words) -> Truth:
    """Notes whose labels are words, numbers, and numbers in no order."""
    noted = noted_lines(words)
    labels = [str(number + 1) if number % 3 else words.word() for number in range(len(noted))]
    words.dice.shuffle(labels)
    lines = [f"{sentence}[^{label}]" for (sentence, _), label in zip(noted, labels, strict=True)]
    lines += [f"[^{label}]: {note}" for (_, note), label in zip(noted, labels, strict=True)]
    return ("\n\n".join(lines) + "\n").encode(), "whole", _written(noted), _truth(noted, labels)


def _odt(words: Words) -> Truth:
    """Footnotes, and behind them endnotes; the ids are in no order."""
    noted = noted_lines(words)
    ids = words.dice.sample(range(1, len(noted) + 1), len(noted))
    body = ""
    for place, ((sentence, note), number) in enumerate(zip(noted, ids, strict=True)):
        kind, mark = ("footnote", place + 1) if place < len(noted) // 2 else ("endnote", place + 1 - len(noted) // 2)
        body += (
            f'<text:p>{sentence}<text:note text:id="ftn{number}" text:note-class="{kind}"><text:note-citation>{mark}'
            f"</text:note-citation><text:note-body><text:p>{note}</text:p></text:note-body></text:note></text:p>"
        )
    return odt(body), "whole", _written(noted), _truth(noted)


def _rtf(words: Words) -> Truth:
    """Footnotes, and behind them endnotes."""
    noted = noted_lines(words)
    half = len(noted) // 2
    body = [rtf_written(text, rtf_note(note, at_end=place >= half)) for place, (text, note) in enumerate(noted)]
    return rtf(body), "whole", _written(noted), _truth(noted)


NOTED: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "md/noted.md": ("text/markdown", _md),
    "odt/noted.odt": (ODT_TYPE, _odt),
    "rtf/noted.rtf": (RTF_TYPE, _rtf),
}
"""Path → media type, and the function that makes the document."""
