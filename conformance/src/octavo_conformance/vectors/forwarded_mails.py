"""Fresh mails with attachments of every kind: messages, one within another, files of one name, empty, inline, in each transfer encoding."""

from __future__ import annotations

import base64
import hashlib
import quopri
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from .archives import TOLD
from .golden import HEADER_WORDS
from .model import AttachmentTruth, words_of
from .sheaf_bytes import SHEAF, sheaf
from .truths import Truth
from .words import Words

MESSAGE = "message/rfc822"
_TYPE_WORDS = ("Attachments", "unnamed", "message", "rfc822", "image", "png", "x", "log", "eml", "bin")
_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
)


class Part(NamedTuple):
    """An attachment: media type, content, name or '', text, disposition and transfer encoding."""

    kind: str
    data: bytes
    name: str
    text: str = ""
    disposition: str = "attachment"
    coding: str = "base64"

    @property
    def source(self) -> str:
        """The part as a mail has it."""
        match self.coding:
            case "base64":
                written = base64.encodebytes(self.data).decode().removesuffix("\n")
            case "quoted-printable":
                written = quopri.encodestring(self.data).decode()
            case _:
                written = self.data.decode()
        named = f'; filename="{self.name}"' if self.name else ""
        return (
            f"Content-Type: {self.kind}\nContent-Disposition: {self.disposition}{named}\n"
            f"Content-Transfer-Encoding: {self.coding}\n\n{written}"
        )


def _headers(words: Words) -> str:
    # The subject is longer than a line of a mail: a program that writes the header again breaks it into several lines.
    subject = " ".join(words.heading() for _ in range(9))
    return (
        f"From: Ada Quay <ada@example.org>\nTo: Ben Pier <ben@example.org>\nSubject: {subject}\n"
        f"Date: Thu, 01 Jan 2026 10:00:00 +0000\nMessage-ID: <{words.word()}@example.org>\nMIME-Version: 1.0\n"
    )


def _letter(words: Words) -> tuple[str, str]:
    """Return a mail of two paragraphs, and its text."""
    lines = [words.line(9), words.line(9)]
    return f"{_headers(words)}Content-Type: text/plain; charset=us-ascii\n\n{lines[0]}\n\n{lines[1]}\n", " ".join(lines)


def _with_parts(words: Words, text: str, parts: Sequence[Part]) -> str:
    """Return a mail of a text and attachments."""
    mark = f"part-{words.word()}"
    written = [f"Content-Type: text/plain; charset=us-ascii\n\n{text}", *(part.source for part in parts)]
    body = "".join(f"--{mark}\n{part}\n" for part in written)
    return f'{_headers(words)}Content-Type: multipart/mixed; boundary="{mark}"\n\n{body}--{mark}--\n'


def _parts(words: Words, ends: str) -> list[Part]:
    """Generate attachments; `ends`: what ends a line of the mail."""
    w, line = words.word, words.line

    def message(source: str, text: str, name: str = "", disposition: str = "attachment", end: str = ends) -> Part:
        return Part(MESSAGE, source.replace("\n", end).encode(), name, text, disposition, "7bit")

    # The file of the attached mail is a file of the mail as well: a converter may list it again.
    shared = Part("application/octet-stream", (text := f"{line(4)}\n").encode(), f"{w()}.txt", text)
    said = line(9)
    nested = _with_parts(words, said, [message(*_letter(words), end="\n"), shared])
    single = line(5)
    parts = [
        shared,
        message(nested, said, f"{w()}.eml"),
        message(*_letter(words), f"{w()}.eml", "inline"),
        message(*_letter(words)),
        Part("application/octet-stream", f"{single}\n".encode(), shared.name, single),
        Part("application/octet-stream", b"", f"{w()}.bin"),
        Part("image/png", _PIXEL, f"{w()}.png", disposition="inline"),
        Part("text/csv", (cells := f"{w()},{w()} = {w()}").encode(), f"{w()}.csv", cells, coding="quoted-printable"),
        *_encoded_texts(words),
        Part("text/x-log", (single := line(4)).encode(), f"{w()}.log", single, coding="7bit"),
    ]
    words.dice.shuffle(parts)
    return parts


def _encoded_texts(words: Words) -> list[Part]:
    """Generate texts whose bytes are not those of their letters in UTF-8 with line feeds: a hash of decoded text is another one."""
    made = []
    for kind, coding, encoding, end in (
        ("text/plain", "base64", "utf-8", "\r\n"),
        ("text/csv; charset=iso-8859-1", "base64", "iso-8859-1", "\n"),
        ("text/plain; charset=utf-16", "base64", "utf-16", "\r\n"),
        ("text/html; charset=windows-1252", "quoted-printable", "cp1252", " "),
        ("text/plain; charset=utf-8", "base64", "utf-8-sig", "\r"),
    ):
        text = f"{words.line(4)} Größe{end}{words.line(3)} Ærø"
        name = f"{words.word()}.txt"
        made.append(Part(kind, f"{text}{end}".encode(encoding), name, text, coding=coding))
    return made


def _truth(parts: Sequence[Part]) -> dict[str, Any]:
    told = [word for part in parts for word in words_of(f"{part.name} {part.text} {len(part.data)}")]
    inside = tuple(
        AttachmentTruth(name=part.name, sha256=hashlib.sha256(part.data).hexdigest(), text=part.text) for part in parts
    )
    return {"attachments": inside, "allowed": (*HEADER_WORDS, *TOLD, *_TYPE_WORDS, *told)}


def _eml(words: Words, *, ends: str) -> Truth:
    text, parts = words.line(9), _parts(words, ends)
    # An attached message stands in the mail as it is, with the ends of its lines.
    written = _with_parts(words, text, [part._replace(data=part.data.replace(b"\r\n", b"\n")) if part.kind == MESSAGE else part for part in parts])  # fmt: skip
    truth = _truth(parts)
    truth["allowed"] += (*words_of(written.partition("\nDate")[0]), "01T10", "0000", "00", "10")
    return written.replace("\n", ends).encode(), "whole", [text], {**truth, "date": "2026-01-01T10:00:00+00:00"}


def _sheaf(words: Words) -> Truth:
    text, parts = (
        words.line(9),
        [part for part in _parts(words, "\n") if "charset" not in part.kind and part.kind != "image/png"],
    )
    inside = [{"name": part.name, "media_type": part.kind, "text": part.data.decode()} for part in parts]
    return sheaf(pages=[{"blocks": [["p", text]]}], attachments=inside), "page", [text], _truth(parts)


FORWARDED_MAILS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "eml/forwarded.eml": ("message/rfc822", partial(_eml, ends="\n")),
    "eml/forwarded-crlf.eml": ("message/rfc822", partial(_eml, ends="\r\n")),
    "sheaf/forwarded.sheaf": (SHEAF, _sheaf),
}
"""Path → media type, and the function that makes the document."""
