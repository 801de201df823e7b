"""A PDF that is opened once for both preflight and classification."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Self

from octavo_contracts import SourceEncrypted, ToolUnavailable

if TYPE_CHECKING:
    import pypdfium2

_IMAGE = b"/Image"
_WIDTH = re.compile(rb"/Width\s+(\d{1,9})\b")
_HEIGHT = re.compile(rb"/Height\s+(\d{1,9})\b")
_DICTIONARY_REACH = 1024
_PASSWORD_ERROR = 4
"""pdfium's FPDF_ERR_PASSWORD."""


class PdfFile:
    """A PDF's bytes, and the document as pdfium opened it.

    Use as a context manager; pdfium is imported when the first PDF is opened.

    Args:
        data: the bytes.
        password: a password, if known.

    Attributes:
        data: the bytes.
        error: why pdfium could not open the file; None if it could.

    Raises:
        SourceEncrypted: a password is needed, or a different one.
        ToolUnavailable: pypdfium2 is not installed.
    """

    def __init__(self, data: bytes, *, password: str | None = None) -> None:
        try:
            import pypdfium2
        except ImportError as error:
            raise ToolUnavailable(
                "pypdfium2, which inspects PDF files, is not installed",
                remedy="Run `pip install pypdfium2`",
            ) from error
        self.data = data
        self.error: str | None = None
        self.document: pypdfium2.PdfDocument | None = None
        try:
            self.document = pypdfium2.PdfDocument(data, password=password)
        except pypdfium2.PdfiumError as error:
            if getattr(error, "err_code", None) == _PASSWORD_ERROR:
                problem = "the password is wrong" if password else "needs a password"
                raise SourceEncrypted(f"the PDF is encrypted and {problem}") from error
            self.error = str(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release pdfium's memory."""
        if self.document is not None:
            self.document.close()
            self.document = None

    @property
    def page_count(self) -> int:
        """Number of pages according to pdfium; 0 if it could not open the file."""
        return len(self.document) if self.document is not None else 0

    @cached_property
    def form_type(self) -> int:
        """Kind of form according to pdfium: 0 none, 1 fields (AcroForm), 2 pages drawn from XML, 3 fields with XML."""
        if self.document is None:
            return 0
        import pypdfium2.raw as raw

        return int(raw.FPDF_GetFormType(self.document))

    @cached_property
    def rasters(self) -> tuple[tuple[int, int], ...]:
        """Width and height in pixels of each image object.

        Image objects are streams, whose dictionaries are never compressed. If no dictionary is found in the bytes, the
        file has only small inline images, so no page needs to be loaded to look for images.
        """
        found: list[tuple[int, int]] = []
        at = self.data.find(_IMAGE)
        while at >= 0:
            if self.data[max(0, at - 12) : at].rstrip().endswith(b"/Subtype"):
                found.append(self._size_near(at))
            at = self.data.find(_IMAGE, at + len(_IMAGE))
        return tuple(found)

    def _size_near(self, at: int) -> tuple[int, int]:
        start = self.data.rfind(b"obj", max(0, at - _DICTIONARY_REACH), at)
        end = self.data.find(b"stream", at, at + _DICTIONARY_REACH)
        window = self.data[
            start if start >= 0 else max(0, at - _DICTIONARY_REACH) : end if end >= 0 else at + _DICTIONARY_REACH
        ]
        width, height = _WIDTH.search(window), _HEIGHT.search(window)
        return (int(width.group(1)) if width else 0, int(height.group(1)) if height else 0)
