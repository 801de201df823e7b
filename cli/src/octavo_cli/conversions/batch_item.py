"""The outcome of one document of a batch."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_contracts import IngestionResult, OctavoError


@dataclass(frozen=True, kw_only=True)
class BatchItem:
    """The outcome of one document.

    Attributes:
        shown: the document as the user named it.
        result: of its conversion; None where there was none.
        error: why it has no output; None where it has.
        target: the file that was written; None for stdout.
        data: what is to be written to stdout.
        is_unchanged: whether the file had this content already.
        is_empty: whether the document has no text, and should have some.
        seconds: how long it took.
        images: what is to be told of its images.
    """

    shown: str
    result: IngestionResult | None = None
    error: OctavoError | None = None
    target: str | None = None
    data: bytes = b""
    is_unchanged: bool = False
    is_empty: bool = False
    seconds: float = 0.0
    images: str = ""
