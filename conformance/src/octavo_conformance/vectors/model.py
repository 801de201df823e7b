"""What is known of a vector."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Literal

from octavo_contracts import Model, PageKind, Sha256Hex
from pydantic import Field

HostileKind = Literal["empty", "truncated", "wrong_type", "encrypted", "bomb", "damaged"]


class AttachmentTruth(Model):
    """A document inside the document."""

    name: str = Field(description="Its name.")
    sha256: Sha256Hex = Field(description="SHA-256 of its bytes.")


class Expected(Model):
    """The truth about a golden vector. What is empty or null is not asserted."""

    page_kind: PageKind | None = Field(
        description="What its pages are; 'whole' for a document without pages; null where converters may choose."
    )
    pages: tuple[str, ...] = Field(
        min_length=1, description="The words of each page in reading order; '' for an empty page."
    )
    allowed: tuple[str, ...] = Field(
        default=(), description="Words a converter may add: sheet names, labels of e-mail headers, speaker notes."
    )
    must_keep: tuple[str, ...] = Field(
        default=(), description="Phrases whose code points must all arrive: emoji, CJK, right-to-left, combining marks."
    )
    headings: tuple[str, ...] = Field(default=(), description="Headings, in order.")
    tables: tuple[tuple[tuple[str, ...], ...], ...] = Field(default=(), description="Cell grids, in order.")
    hidden: tuple[str, ...] = Field(default=(), description="Text that no reader sees.")
    absent: tuple[str, ...] = Field(default=(), description="Text that must not be in the content: scripts, styles.")
    title: str | None = Field(default=None, description="The title the document gives itself.")
    author: str | None = Field(default=None, description="The author the document gives itself.")
    sizes: tuple[tuple[float, float], ...] = Field(
        default=(), description="Width and height of each page in points, after rotation."
    )
    attachments: tuple[AttachmentTruth, ...] = Field(default=(), description="Documents inside the document.")

    phrases: tuple[str, ...] = Field(
        default=(),
        description="Of a natural document: phrases that must be there, in any order; case and punctuation aside.",
    )
    floor: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Of a natural document: least similarity of its words to `pages`, 0..1. Null: the words are exact.",
    )

    @property
    def exact(self) -> bool:
        """Whether the words are known to the letter: those of generated documents are."""
        return self.floor is None

    @property
    def paginated(self) -> bool:
        """Whether the document has pages of its own."""
        return self.page_kind not in ("whole", None)


class GoldenVector(Model):
    """A document with its truth."""

    path: str = Field(pattern=r"^[a-z0-9-]+/[a-z0-9-]+\.[a-z0-9]+$", description="Family and file name.")
    media_type: str = Field(description="Its media type.")
    about: str = Field(description="What it is there for, in one sentence.")
    licence: str = Field(default="Apache-2.0", description="SPDX expression.")
    sha256: Sha256Hex = Field(description="SHA-256 of the file.")
    expected: Expected = Field(description="The truth.")
    data: bytes = Field(exclude=True, repr=False, description="The file; never part of the JSON.")

    @property
    def family(self) -> str:
        """The folder: pdf, docx and so on."""
        return self.path.partition("/")[0]


@dataclass(frozen=True, kw_only=True)
class HostileVector:
    """A document that must be refused, made when the suite runs.

    Attributes:
        path: family, and a name with the format's extension.
        kind: what is wrong with it.
        media_type: what it is said to be.
        data: its bytes.
        password: the one that opens it, for encrypted documents.
    """

    path: str
    kind: HostileKind
    media_type: str
    data: bytes = field(repr=False)
    password: str | None = None

    @property
    def family(self) -> str:
        """The format it pretends to be of."""
        return self.path.partition("/")[0]


def words_of(text: str) -> list[str]:
    """The words of a text as they are compared: NFC, letters and digits of any script, case kept."""
    return re.findall(r"\w+", unicodedata.normalize("NFC", text))
