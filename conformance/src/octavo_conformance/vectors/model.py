"""Models of vectors and their expected content."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from octavo_contracts import Model, PageKind, Sha256Hex
from pydantic import Field

HostileKind = Literal["empty", "truncated", "wrong_type", "encrypted", "bomb", "damaged"]


class AttachmentTruth(Model):
    """A document inside the document."""

    name: str = Field(description="Its name.")
    sha256: Sha256Hex = Field(description="SHA-256 of its bytes.")
    text: str = Field(default="", description="Its text, if a converter may write it into the document's own.")
    media_type: str | None = Field(default=None, description="The media type that the container states; null if none.")
    size: int | None = Field(default=None, ge=0, description="Its size in bytes; null if it is not compared.")


class Expected(Model):
    """The expected content of a golden vector. Empty or null fields are not checked."""

    page_kind: PageKind | None = Field(
        description="Kind of its pages; 'whole' for a document without pages; null if converters may choose."
    )
    pages: tuple[str, ...] = Field(
        min_length=1, description="The words of each page in reading order; '' for an empty page."
    )
    allowed: tuple[str, ...] = Field(
        default=(), description="Words that a converter may add: sheet names, labels of e-mail headers, speaker notes."
    )
    must_keep: tuple[str, ...] = Field(
        default=(),
        description="Phrases whose code points must all be preserved: emoji, CJK, right-to-left, combining marks.",
    )
    headings: tuple[str, ...] = Field(default=(), description="Headings, in order.")
    levels: tuple[int, ...] = Field(default=(), description="Level of each heading, 1 the highest.")
    links: tuple[tuple[str, str], ...] = Field(default=(), description="Label and target of each link, in order.")
    addresses: tuple[str, ...] = Field(default=(), description="Addresses of the document, in any order.")
    code: tuple[str, ...] = Field(
        default=(), description="Lines of code and of typed text, each with its indent, which are kept sign by sign."
    )
    stated_dates: tuple[str, ...] = Field(
        default=(),
        description="What the date of the metadata may begin with, if it is given; a date of a month has no day.",
    )
    items: tuple[tuple[str, str], ...] = Field(
        default=(), description="Number and text of each item of a numbered list, in order."
    )
    parts: tuple[str, ...] = Field(
        default=(), description="First words of each paragraph and of each table, in order, none of which occur again."
    )
    notes: tuple[str, ...] = Field(default=(), description="Texts of the notes, in the order of their marks.")
    marked: tuple[tuple[str, str], ...] = Field(
        default=(), description="Each sentence with a mark of a note, and the note."
    )
    comments: tuple[str, ...] = Field(default=(), description="Texts of the comments of reviewers.")
    inserted: tuple[str, ...] = Field(default=(), description="Texts of tracked insertions, which are in the text too.")
    deleted: tuple[str, ...] = Field(default=(), description="Texts of tracked deletions.")
    labels: tuple[str, ...] = Field(
        default=(),
        description="Label of each page, which is not its number: Roman numerals, or numbers from another on; '' where none is stated.",
    )
    cues: tuple[tuple[int, str], ...] = Field(
        default=(), description="Of each subtitle the second at which it begins, and its words, in order."
    )
    voices: tuple[tuple[str, str], ...] = Field(
        default=(), description="Speaker of each caption, '' where it names none, and its words, in order."
    )
    duration: float | None = Field(default=None, description="Second at which the last subtitle ends.")
    names: tuple[str, ...] = Field(
        default=(), description="Words that occur at least once, in any place: keys of records."
    )
    has_figures: bool = Field(
        default=False, description="Whether its figures and signs are compared, beyond its words."
    )
    tables: tuple[tuple[tuple[str, ...], ...], ...] = Field(default=(), description="Cell grids, in order.")
    cells: tuple[str, ...] = Field(
        default=(), description="Texts of cells of any table; for a truth without whole tables."
    )
    places: tuple[tuple[str, int, int], ...] = Field(
        default=(), description="Name of each sheet, and row and column of its first cell, from 1."
    )
    people: tuple[tuple[str, str], ...] = Field(
        default=(), description="Name and address of each sender and addressee, in order."
    )
    page_count: int | None = Field(
        default=None, ge=1, description="Number of pages, if their words are not known; null if they are."
    )
    hidden: tuple[str, ...] = Field(default=(), description="Text that is invisible to readers.")
    absent: tuple[str, ...] = Field(default=(), description="Text that must not be in the content: scripts, styles.")
    title: str | None = Field(default=None, description="The title stated in the document.")
    author: str | None = Field(default=None, description="The author stated in the document.")
    date: str | None = Field(default=None, description="The date stated in the document, ISO 8601 with its zone.")
    sizes: tuple[tuple[float, float], ...] = Field(
        default=(), description="Width and height of each page in points, after rotation."
    )
    baselines: tuple[tuple[tuple[float, str], ...], ...] = Field(
        default=(), description="For each page its lines: distance of the baseline from the top in points, and text."
    )
    starts: tuple[float, ...] = Field(
        default=(), description="For each page the distance of its lines from the left edge, in points."
    )
    attachments: tuple[AttachmentTruth, ...] = Field(default=(), description="Documents inside the document.")

    phrases: tuple[str, ...] = Field(
        default=(),
        description="Required phrases of which no words are missing between others, in any order; of a natural document ignoring case and punctuation.",
    )
    floor: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="For a natural document: minimum similarity of its words to `pages`, 0..1. Null: the words must be exact.",
    )

    @property
    def exact(self) -> bool:
        """True if the exact words are known, as for generated documents."""
        return self.floor is None

    @property
    def paginated(self) -> bool:
        """True if the document has pages."""
        return self.page_kind not in ("whole", None)


class GoldenVector(Model):
    """A document with its expected content."""

    path: str = Field(pattern=r"^[a-z0-9-]+/[a-z0-9-]+\.[a-z0-9]+$", description="Family and file name.")
    media_type: str = Field(description="Its media type.")
    about: str = Field(description="Purpose of the vector, in one sentence.")
    licence: str = Field(default="Apache-2.0", description="SPDX expression.")
    sha256: Sha256Hex = Field(description="SHA-256 of the file.")
    expected: Expected = Field(description="The truth.")
    data: bytes = Field(exclude=True, repr=False, description="Content of the file; never part of the JSON.")

    @classmethod
    def of(
        cls,
        path: str,
        media_type: str,
        data: bytes,
        *,
        about: str,
        kind: PageKind | None,
        pages: Iterable[str],
        **truth: Any,
    ) -> GoldenVector:
        """Return the vector of a document that was generated.

        Args:
            path: family and file name.
            media_type: its media type.
            data: its bytes.
            about: its purpose, in one sentence.
            kind: kind of its pages; None where converters may choose.
            pages: the words of each page.
            **truth: further fields of `Expected`.
        """
        return cls(
            path=path,
            media_type=media_type,
            about=about,
            sha256=hashlib.sha256(data).hexdigest(),
            expected=Expected(page_kind=kind, pages=tuple(pages), **truth),
            data=data,
        )

    @property
    def family(self) -> str:
        """The folder, such as pdf or docx."""
        return self.path.partition("/")[0]


@dataclass(frozen=True, kw_only=True)
class HostileVector:
    """A document that must be refused, generated when the suite runs.

    Attributes:
        path: family, and a name with the format's extension.
        kind: kind of defect.
        media_type: its declared media type.
        data: its bytes.
        password: the password of an encrypted document.
    """

    path: str
    kind: HostileKind
    media_type: str
    data: bytes = field(repr=False)
    password: str | None = None

    @property
    def family(self) -> str:
        """The format that it claims to have."""
        return self.path.partition("/")[0]


def words_of(text: str) -> list[str]:
    """Split a text into words for comparison: NFC, letters and digits of any script, case-sensitive."""
    return re.findall(r"\w+", unicodedata.normalize("NFC", text))
