"""A PDF opened once for preflight and classification alike."""

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
"""FPDF_ERR_PASSWORD of pdfium."""


class PdfFile:
    """A PDF's bytes, and pdfium's view of them.

    Use as a context manager; pdfium is imported when the first PDF is opened.

    Args:
        data: the bytes.
        password: a password, if one was given.

    Attributes:
        data: the bytes.
        error: why pdfium could not open the file; None where it could.

    Raises:
        SourceEncrypted: it needs a password, or another one.
        ToolUnavailable: pypdfium2 is not installed.
    """

    def __init__(self, data: bytes, *, password: str | None = None) -> None:
        try:
            import pypdfium2
        except ImportError as error:
            raise ToolUnavailable(
                "PDF files are inspected with pypdfium2, which is not installed",
                remedy="Run `pip install pypdfium2`",
            ) from error
        self.data = data
        self.error: str | None = None
        self.document: pypdfium2.PdfDocument | None = None
        try:
            self.document = pypdfium2.PdfDocument(data, password=password)
        except pypdfium2.PdfiumError as error:
            if getattr(error, "err_code", None) == _PASSWORD_ERROR:
                given = "the password does not fit" if password else "it needs a password"
                raise SourceEncrypted(f"the PDF is encrypted, and {given}") from error
            self.error = str(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give pdfium's memory back."""
        if self.document is not None:
            self.document.close()
            self.document = None

    @property
    def page_count(self) -> int:
        """Pages as pdfium counts them; 0 where it could not open the file."""
        return len(self.document) if self.document is not None else 0

    @cached_property
    def form_type(self) -> int:
        """Pdfium's word for the kind of form: 0 for none, 1 for fields, 2 for pages drawn from XML, 3 for fields with XML."""
        if self.document is None:
            return 0
        import pypdfium2.raw as raw

        return int(raw.FPDF_GetFormType(self.document))

    @cached_property
    def rasters(self) -> tuple[tuple[int, int], ...]:
        """Width and height in pixels of each image object.

        Image objects are streams, and a stream's dictionary always stands in the open, so finding none in the
        bytes means that there is none but small inline ones, which no page has to be loaded to know.
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
