"""Fresh mails without a date, mails whose text stands in one of its alternatives only, and attachments with types of their own."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any

from .archives import TOLD
from .correspondents import MBOX_TYPE
from .golden import HEADER_WORDS
from .model import AttachmentTruth, words_of
from .sheaf_bytes import SHEAF, sheaf
from .truths import Truth
from .words import Words

_EML = "message/rfc822"
_STUBS = (
    "This message is in HTML. Open it with a program that shows HTML.",
    "Your mail program cannot show this message.",
    "View this mail in a browser.",
    "",
)
"""What a program writes in front of a text that it leaves to the other alternative."""


def _head(words: Words, subject: str) -> str:
    return (
        f"From: Ada Quay <ada@example.org>\nTo: Ben Pier <ben@example.org>\nSubject: {subject}\n"
        f"Message-ID: <{words.word()}@example.org>\nMIME-Version: 1.0\n"
    )


_DAY = "2026-01-16T10:00:00+00:00"
_DATED = "Date: Fri, 16 Jan 2026 10:00:00 +0000\n"
_TIMES = ("Fri", "16", "Jan", "2026", "01", "16T10", "00", "0000", "Z")
"""Words of the date."""


def _undated(words: Words, *, unreadable: bool = False) -> Truth:
    """A draft without a date, or with text in its place that is no date."""
    subject, lines = words.heading(), [words.line(9) for _ in range(3)]
    stated = f"Date: {words.word()}\n" if unreadable else ""
    body = "\n\n".join(lines)
    data = f"{_head(words, subject)}{stated}Content-Type: text/plain; charset=utf-8\n\n{body}\n"
    allowed = (*HEADER_WORDS, *subject.split(), *stated.split())
    return data.encode(), "whole", [" ".join(lines)], {"allowed": allowed}


def _undated_sheaf(words: Words) -> Truth:
    lines = [words.line(9) for _ in range(3)]
    return sheaf(pages=[{"blocks": [["p", line] for line in lines]}]), "page", [" ".join(lines)], {}


def _part(kind: str, text: str) -> str:
    return f"Content-Type: {kind}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n{text}\n"


def _multipart(words: Words, kind: str, parts: list[str]) -> str:
    mark = f"part-{words.word()}"
    body = "".join(f"--{mark}\n{part}\n" for part in parts)
    return f'Content-Type: multipart/{kind}; boundary="{mark}"\n\n{body}--{mark}--\n'


def _message(words: Words, *, rich: str) -> tuple[str, str, str]:
    """Return a message whose text is in one alternative, its text, and the words that a converter may add.

    Args:
        words: the words.
        rich: "stub": the plain text says nothing; "more": it is the beginning; "plain": the HTML says nothing.
    """
    subject, lines = words.heading(), [words.line(12) for _ in range(9)]
    tagged = "".join(f"<p>{line}</p>" for line in lines)
    html, plain = f"<html><body>{tagged}</body></html>", "\n\n".join(lines)
    told = ""
    if rich == "stub":
        told = plain = words.dice.choice(_STUBS)
    elif rich == "more":
        plain = "\n\n".join(lines[:2])
    else:
        html, told = f"<html><body><p>{_STUBS[1]}</p></body></html>", _STUBS[1]
    page = _part("text/html", html)
    if words.dice.random() < 0.5:
        page = _multipart(words, "related", [page])
    body = _multipart(words, "alternative", [_part("text/plain", plain), page])
    if words.dice.random() < 0.5:
        body = _multipart(words, "mixed", [body])
    return f"{_head(words, subject)}{_DATED}{body}", " ".join(lines), f"{subject} {told}"


def _alternative(words: Words, *, rich: str) -> Truth:
    source, text, told = _message(words, rich=rich)
    return source.encode(), "whole", [text], {"allowed": (*HEADER_WORDS, *words_of(told), *_TIMES), "date": _DAY}


def _mbox(words: Words) -> Truth:
    """A mailbox of such messages."""
    made = [_message(words, rich=rich) for rich in words.dice.sample(("stub", "stub", "more", "plain", "stub"), 5)]
    data = "".join(f"From ada@example.org Thu Jan  1 10:00:00 2026\n{source}\n" for source, *_ in made)
    told = words_of(" ".join(one[2] for one in made))
    numbers = (str(number) for number in range(1, len(made) + 1))
    allowed = (*HEADER_WORDS, *told, *_TIMES, *numbers, "Message", "Thu", "10")
    return data.encode(), None, [text for _, text, _ in made], {"allowed": allowed}


_TYPED = (
    ("application/pdf", "{}", b"%PDF-1.4\n"),
    ("application/pdf", "{}.doc", b"%PDF-1.4\n"),
    ("APPLICATION/Vnd.Example.{}", "{}.txt", b""),
    ("application/vnd.ms-excel", "{}.csv", b""),
    ("text/x-{}", "{}.html", b""),
    ("application/json", "{}.bin", b"{}"),
    ("image/x-{}", "{}", b""),
)
"""Media types, names that say nothing of them or something else, and the first bytes."""


def _typed(words: Words, *, is_sheaf: bool = False) -> Truth:
    """Attachments whose names have another extension than their types, or none."""
    text, w = words.line(9), words.word
    inside, parts, items = [], [], []
    for kind, name, start in words.dice.sample(_TYPED, len(_TYPED)):
        kind, name = kind.format(w()), name.format(w())
        data = start + f"{words.line(3)}\n".encode()
        digest = hashlib.sha256(data).hexdigest()
        inside.append(AttachmentTruth(name=name, sha256=digest, media_type=kind.lower(), size=len(data)))
        items.append({"name": name, "media_type": kind, "text": data.decode()})
        parts.append(
            f'Content-Type: {kind}; name="{name}"\nContent-Disposition: attachment; filename="{name}"\n'
            f"Content-Transfer-Encoding: base64\n\n{_folded(data)}"
        )
    told = words_of(" ".join(f"{one.name} {one.media_type} {one.size}" for one in inside))
    truth: dict[str, Any] = {
        "attachments": tuple(inside),
        "allowed": (*HEADER_WORDS, *TOLD, *told, "Attachments", *_TIMES),
    }
    if is_sheaf:
        return sheaf(pages=[{"blocks": [["p", text]]}], attachments=items), "page", [text], truth
    subject = words.heading()
    truth["allowed"] += tuple(subject.split())
    truth["date"] = _DAY
    body = _multipart(words, "mixed", [_part("text/plain", text), *parts])
    return f"{_head(words, subject)}{_DATED}{body}".encode(), "whole", [text], truth


def _folded(data: bytes) -> str:
    return base64.encodebytes(data).decode().rstrip("\n")


BARE_MAILS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "eml/alternative.eml": (_EML, partial(_alternative, rich="stub")),
    "eml/alternative-more.eml": (_EML, partial(_alternative, rich="more")),
    "eml/alternative-plain.eml": (_EML, partial(_alternative, rich="plain")),
    "eml/typed.eml": (_EML, _typed),
    "eml/undated.eml": (_EML, _undated),
    "eml/unreadable-date.eml": (_EML, partial(_undated, unreadable=True)),
    "mbox/alternative.mbox": (MBOX_TYPE, _mbox),
    "sheaf/typed.sheaf": (SHEAF, partial(_typed, is_sheaf=True)),
    "sheaf/undated.sheaf": (SHEAF, _undated_sheaf),
}
"""Path → media type, and the function that makes the document."""
