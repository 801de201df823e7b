"""Fresh documents with links and notes that are defined elsewhere in the document, under labels that the next document uses too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .link_targets import make_targets, words_of_targets
from .model import words_of
from .sheaf_bytes import SHEAF, sheaf
from .truths import Truth
from .words import Words

_LABELS = ("1", "2", "3", "Annex", "source", "a b")
"""Labels of links; people take the same in every document."""


def _md(words: Words, *, turn: int) -> Truth:
    """Reference links of each form, notes, and definitions in front of the text, within it and behind it."""
    labels = [*_LABELS[turn:], *_LABELS[:turn]]
    targets = make_targets(words, len(labels) + 2)
    texts = [f"{words.word()} {words.word()}" for _ in labels]
    sentences = [(words.line(3), words.line(3)) for _ in range(len(labels) + 2)]
    lines, links = [], []
    for (before, behind), text, label, target in zip(sentences, texts, labels, targets, strict=False):
        lines.append(f"{before} [{text}][{label}] {behind}")
        links.append((text, target, label))
    # A label that is the text of its link, in the two short forms.
    shorts = [f"{words.word()} {words.word()}" for _ in range(2)]
    for (before, behind), text, target, end in zip(sentences[-2:], shorts, targets[-2:], ("[]", ""), strict=True):
        lines.append(f"{before} [{text}]{end} {behind}")
        links.append((text, target, text))
    notes = [(words.line(4), words.line(5)) for _ in range(3)]
    lines += [f"{line}[^{number}]" for number, (line, _) in enumerate(notes, start=1)]
    defined = [
        f"[{label.upper() if at % 3 == 0 else label}]: <{target}>"
        if set(target) & set("()") or at % 2
        else f"[{label}]: {target}"
        for at, (_, target, label) in enumerate(links)
    ]
    words.dice.shuffle(defined)
    blocks = [words.line(6), "\n".join(defined[:3]), *lines, "\n".join(defined[3:])]
    blocks += [f"[^{number}]: {note}" for number, (_, note) in enumerate(notes, start=1)]
    told = [words_of(text) for text, _, _ in links]
    text = " ".join(
        (
            blocks[0],
            *(f"{a} {' '.join(said)} {b}" for (a, b), said in zip(sentences, told, strict=True)),
            *(line for line, _ in notes),
        )
    )
    # The definitions of labels may stand in the text.
    further = [word for label in (*_LABELS, *shorts) for part in (label, label.upper()) for word in words_of(part)]
    truth = {
        "links": tuple((said, target) for said, target, _ in links),
        "notes": tuple(note for _, note in notes),
        "marked": tuple(notes),
        "allowed": (*words_of_targets(targets), *further, *(word for _, note in notes for word in words_of(note))),
    }
    return ("\n\n".join(blocks) + "\n").encode(), "whole", [text], truth


def _sheaf(words: Words, *, turn: int) -> Truth:
    """Links whose texts every document has, each time with another target."""
    labels = [f"Annex {number}" for number in range(1, 7)]
    labels = [*labels[turn:], *labels[:turn]]
    links = list(zip(labels, make_targets(words, len(labels)), strict=True))
    lines = [words.line(5) for _ in links]
    blocks = [
        block
        for line, (label, target) in zip(lines, links, strict=True)
        for block in (["p", line], ["a", label, target])
    ]
    text = " ".join(f"{line} {label}" for line, label in zip(lines, labels, strict=True))
    truth = {"links": tuple(links), "allowed": tuple(words_of_targets([target for _, target in links]))}
    return sheaf(pages=[{"blocks": blocks}]), "page", [text], truth


SHARED_LABELS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    path.format(turn): (media_type, partial(make, turn=turn))
    for path, media_type, make in (("md/labels-{}.md", "text/markdown", _md), ("sheaf/labels-{}.sheaf", SHEAF, _sheaf))
    for turn in (1, 2, 3)
}
"""Path → media type, and the function that makes the document."""
