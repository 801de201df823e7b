"""The outcome of one document of a batch."""

from __future__ import annotations

from dataclasses import dataclass

from octavo.conversion.empty_text import is_lacking
from octavo_contracts import IngestionResult, OctavoError, QualityFinding
from octavo_sandbox.filesystem.output_folder import FileTaken


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
        has_no_file: whether no file was written in the output folder, because the document has no text.
        why_empty: why the document has no text; None if it has some.
        seconds: how long it took.
        images: what is to be told of its images.
    """

    shown: str
    result: IngestionResult | None = None
    error: OctavoError | None = None
    target: str | None = None
    data: bytes = b""
    is_unchanged: bool = False
    has_no_file: bool = False
    why_empty: QualityFinding | None = None
    seconds: float = 0.0
    images: str = ""

    @property
    def taken(self) -> str | None:
        """The file that was there already, so that the document was skipped; else None."""
        return self.error.source if isinstance(self.error, FileTaken) else None

    @property
    def is_empty(self) -> bool:
        """Whether the document has no text, and should have some."""
        return is_lacking(self.why_empty)
