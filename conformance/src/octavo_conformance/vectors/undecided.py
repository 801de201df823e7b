"""Short texts on which classifiers differ from themselves: some of a type, some that continue others, some of several types."""

from __future__ import annotations

import hashlib
from collections.abc import Collection

from octavo_contracts import PageKind

from .model import GoldenVector
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .sheaf_bytes import SHEAF, sheaf
from .words import Words

TYPED = (
    "INVOICE\n\nInvoice number: {n}\nBill to: {w}\nAmount due: {n}.00 EUR\nPayment is due within 30 days.\n",
    "EMPLOYMENT CONTRACT\n\nThis agreement is made between {w} and {w}.\nThe parties agree to the terms and conditions below.\n",
    "Dear Mr {w},\n\nThank you for your letter of 3 May.\n\nYours sincerely,\n{w}\n\nSignature: {w}\nSigned by: {w}\n",
)
"""Texts that are plainly of a type."""
CONTINUED = (
    "continued from the previous page\n\n{s}\n{s}\n",
    "Page 2 of 5\n\n{s}\n{s}\n",
    "12. {s}\n13. {s}\n",
    "{s}\n{s}\n",
)
"""Texts that are of no type, and that a person would add to the text before them."""
MIXED = (
    "Invoice and payment; agreement and parties: {w}.\n",
    "The plaintiff went to court. The witness gave sworn testimony. {w}\n",
    "Minutes of the meeting, abstract of the thesis. {w}\n",
    "Contract. Invoice. Letter. Report. Resume. Manual. Policy. {w}\n",
    "Amount due, total. Terms of this agreement, clause. {w}\n",
)
"""Texts with as many signs of one type as of another."""


TEXT_TYPES = {"text/plain": "txt", "text/markdown": "md", SHEAF: "sheaf"}
"""Media type of a document that is nothing but a text → extension of its file."""


def make_typed(seed: int, media_types: Collection[str]) -> list[GoldenVector]:
    """Generate documents of several pages that are plainly of a type; of the PDF files a page was saved again, so that it is in the file twice.

    Args:
        seed: the same seed gives the same documents.
        media_types: of PDF files and sheaves those whose media type is among these.
    """
    words = Words(seed)
    made = []
    for number, form in enumerate(TYPED):
        first = [line for line in _filled(form, words).splitlines() if line]
        pages = [first, *([words.line(7) for _ in range(3)] for _ in range(words.dice.randint(2, 4)))]
        printed = [PdfPage(lines=[PdfLine(text=line) for line in lines]) for lines in pages]
        again = words.dice.randrange(1, len(pages))
        written = {
            ("application/pdf", "pdf"): PdfFile(pages=printed, revised={again: printed[again]}).to_bytes(),
            (SHEAF, "sheaf"): sheaf(pages=[{"blocks": [["p", line] for line in lines]} for lines in pages]),
        }
        made += [
            _vector(
                f"{kind}/saved-{number}.{kind}", media_type, data, tuple(" ".join(lines) for lines in pages), "page"
            )
            for (media_type, kind), data in written.items()
            if media_type in media_types
        ]
    return made


def _filled(form: str, words: Words) -> str:
    for mark, make in (("{w}", words.word), ("{s}", words.sentence), ("{n}", words.number)):
        while mark in form:
            form = form.replace(mark, str(make()), 1)
    return form


def _vector(path: str, media_type: str, data: bytes, pages: tuple[str, ...], kind: PageKind) -> GoldenVector:
    return GoldenVector.of(path, media_type, data, about="A short text of made-up words.", kind=kind, pages=pages)


LONG = 60
"""Sentences of a long text of a type."""


def make_alike_typed(seed: int, media_type: str) -> list[GoldenVector]:
    """Generate long texts that are plainly of a type, each of another one, and all of the same size.

    Args:
        seed: the same seed gives the same texts.
        media_type: one of `TEXT_TYPES`.
    """
    forms = tuple(form + "\n{s}" * LONG + "\n" for form in TYPED)
    made = make_undecided(seed, forms, media_type=media_type, name="long")
    size = max(len(vector.data) for vector in made)
    padded = [vector.data.ljust(size, b" " if media_type == SHEAF else b"\n") for vector in made]
    return [
        vector.model_copy(update={"data": data, "sha256": hashlib.sha256(data).hexdigest()})
        for vector, data in zip(made, padded, strict=True)
    ]


def make_undecided(seed: int, texts: tuple[str, ...], *, media_type: str, name: str) -> list[GoldenVector]:
    """Generate texts from forms, in order.

    Args:
        seed: the same seed gives the same texts.
        media_type: one of `TEXT_TYPES`.
        texts: forms: `{w}` is a made-up word, `{s}` a sentence of such words, `{n}` a number.
        name: the beginning of their file names.
    """
    words = Words(seed)
    made = []
    for number, form in enumerate(texts):
        text = _filled(form, words)
        kind = TEXT_TYPES[media_type]
        blocks = [["p", line] for line in text.splitlines() if line]
        data = sheaf(pages=[{"blocks": blocks}]) if kind == "sheaf" else text.encode()
        made.append(_vector(f"{kind}/{name}-{number}.{kind}", media_type, data, (text,), "whole"))
    return made
