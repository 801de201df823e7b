"""Documents that are locked with a few passwords, as a sender locks all that it sends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .model import HostileVector
from .once import generated_once
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .sheaf_bytes import SHEAF, sheaf
from .words import Words

OPENED = 14
"""Documents of a batch that are opened with their password."""
BATCHES = 2


@dataclass(frozen=True, kw_only=True)
class LockedBatch:
    """Documents of one format and one password.

    Attributes:
        opened: those that are given with the password.
        refused: those that are given without it.
    """

    opened: tuple[HostileVector, ...]
    refused: tuple[HostileVector, ...]


@generated_once
def make_locked(seed: int, media_types: Sequence[str]) -> list[LockedBatch]:
    """Make batches of locked documents for each of the media types that can be locked, each of words of its own.

    Args:
        seed: the same seed gives the same documents.
        media_types: of the formats.
    """
    words = Words(seed)
    made = []
    for media_type, (family, write) in _WRITERS.items():
        for batch in range(BATCHES if media_type in media_types else 0):
            password = f"{words.word()} {words.dice.randint(100, 999)}"
            vectors = tuple(
                HostileVector(
                    path=f"{family}/locked-{batch}-{number}.{family}",
                    kind="encrypted",
                    media_type=media_type,
                    data=write(words.line(), password),
                    password=password,
                )
                for number in range(OPENED + 2)
            )
            made.append(LockedBatch(opened=vectors[:OPENED], refused=vectors[OPENED:]))
    return made


def _pdf(line: str, password: str) -> bytes:
    return PdfFile(pages=[PdfPage(lines=[PdfLine(text=line)])], password=password).to_bytes()


_WRITERS: dict[str, tuple[str, Callable[[str, str], bytes]]] = {
    "application/pdf": ("pdf", _pdf),
    SHEAF: ("sheaf", lambda line, password: sheaf(pages=[{"blocks": [["p", line]]}], password=password)),
}
"""Media type → family, and the function that writes a document of a line and a password."""
