"""Checks PDFs: pages, encryption, scripts, and bytes that are not part of the document."""

from __future__ import annotations

import re

from octavo_contracts import ContentTooLarge, QualityFinding, SourceCorrupt

from .limits import PreflightLimits, how_to_raise
from .pdf_file import PdfFile
from .pdf_streams import damaged_streams
from .report import ENCRYPTED, FOREIGN_DATA, OVERSIZED_IMAGE, PreflightReport, active_content, damaged, note

_OBJECT = re.compile(rb"\d\s+\d+\s+obj\b")
_ACTIONS: tuple[tuple[bytes, str], ...] = (
    (b"/JavaScript", "JavaScript"),
    (b"/Launch", "an action that starts a program"),
    (b"/SubmitForm", "an action that sends a form"),
    (b"/ImportData", "an action that imports data"),
    (b"/RichMedia", "embedded media players"),
)
_DELIMITERS = b" \t\r\n\f\x00/<>[]()%"
_TRAILING_SLACK = 64


def check_pdf(pdf: PdfFile, *, limits: PreflightLimits) -> PreflightReport:
    """Check a PDF that pdfium may or may not have opened.

        Only certain failures are refused: if pdfium cannot open the file, another engine may still read the pages.
        Actions are searched in uncompressed bytes and in pdfium's list; those in compressed objects may be missed.
        The short name /JS is not searched, since it occurs by chance in compressed data.

    Raises:
        SourceCorrupt: the file has no objects.
        ContentTooLarge: the PDF has more pages than the limit.
    """
    if not _OBJECT.search(pdf.data):
        raise SourceCorrupt("the PDF has a header but no objects: nothing in it can be read")
    pages = pdf.page_count
    if pages > limits.max_pages:
        raise ContentTooLarge(
            f"the PDF has {pages:,} pages; at most {limits.max_pages:,} are allowed", remedy=how_to_raise("max_pages")
        )
    findings = [*_damage(pdf), *_actions(pdf), *_foreign(pdf.data), *_images(pdf, limits)]
    if pdf.document is not None and b"/Encrypt" in pdf.data and _is_encrypted(pdf):
        findings.append(note(ENCRYPTED, "The PDF is encrypted and opens with the known password."))
    return PreflightReport(findings=tuple(findings), page_count=pages if pdf.document is not None else None)


def _damage(pdf: PdfFile) -> list[QualityFinding]:
    if pdf.document is None:
        return [damaged(f"pdfium cannot open the PDF ({pdf.error}); another engine may read parts of it.")]
    if not pdf.page_count:
        return [damaged("The PDF has no pages.")]
    if b"/Encrypt" in pdf.data:
        return []  # its streams can be read with the key alone
    count, broken = damaged_streams(pdf.data)
    lost = f"{broken} of {count} content streams of the PDF cannot be read to the end: what they draw behind the damage is missing."
    return [damaged(lost)] if broken else []


def _is_encrypted(pdf: PdfFile) -> bool:
    import pypdfium2.raw as raw

    return bool(raw.FPDF_GetSecurityHandlerRevision(pdf.document) != -1)


def _actions(pdf: PdfFile) -> list[QualityFinding]:
    meanings = dict.fromkeys(meaning for name, meaning in _ACTIONS if _has_name(pdf.data, name))
    if pdf.document is not None:
        import pypdfium2.raw as raw

        if raw.FPDFDoc_GetJavaScriptActionCount(pdf.document) > 0:
            meanings["JavaScript"] = None
    return [active_content(f"The PDF contains {', '.join(meanings)}.")] if meanings else []


def _has_name(data: bytes, name: bytes) -> bool:
    at = data.find(name)
    while at >= 0:
        after = data[at + len(name) : at + len(name) + 1]
        if not after or after in _DELIMITERS:
            return True
        at = data.find(name, at + len(name))
    return False


def _foreign(data: bytes) -> list[QualityFinding]:
    """Report bytes around the document: harmless to most readers, but a hiding place."""
    found = []
    leading = data.find(b"%PDF-", 0, 2048)
    if leading > 0 and data[:leading].strip(b"\xef\xbb\xbf \t\r\n\x00"):
        found.append(f"{leading:,} bytes precede the PDF header")
    end = data.rfind(b"%%EOF")
    trailing = data[end + 5 :].strip(b" \t\r\n\x00") if end >= 0 else b""
    if len(trailing) > _TRAILING_SLACK:
        what = ", including a zip container" if b"PK\x03\x04" in trailing[:4096] else ""
        found.append(f"{len(trailing):,} bytes follow the end of the PDF{what}")
    return [note(FOREIGN_DATA, f"{message}.", remedy="They are not read; inspect them by hand") for message in found]


def _images(pdf: PdfFile, limits: PreflightLimits) -> list[QualityFinding]:
    width, height = max(pdf.rasters, key=lambda size: size[0] * size[1], default=(0, 0))
    if width * height <= limits.max_image_pixels:
        return []
    message = (
        f"The PDF contains an image of {width:,} by {height:,} pixels, above the limit of {limits.max_image_pixels:,}."
    )
    return [note(OVERSIZED_IMAGE, message, remedy="The picture may be left out")]
