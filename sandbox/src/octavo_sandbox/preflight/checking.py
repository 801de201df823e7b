"""Entry point of preflight: selects the check for a format."""

from __future__ import annotations

from octavo_contracts import SourceCorrupt, SourceEmpty, SourceEncrypted, SourceView

from .detected_type import DetectedType
from .images import check_image
from .limits import PreflightLimits
from .mail import check_message
from .markup import check_markup
from .pdf_file import PdfFile
from .pdfs import check_pdf
from .report import ENCRYPTED, PreflightReport, note
from .sounds import check_wav
from .zips import check_zip

_MARKUP = frozenset(
    {
        "text/html",
        "application/xml",
        "application/rss+xml",
        "application/atom+xml",
        "application/jats+xml",
        "application/docbook+xml",
        "application/x-fictionbook+xml",
        "text/x-opml+xml",
        "image/svg+xml",
        "application/json",
        "application/x-ipynb+json",
    }
)
_OLE_HEADER = 512


def preflight(
    source: SourceView,
    detected: DetectedType,
    *,
    limits: PreflightLimits | None = None,
    pdf: PdfFile | None = None,
    password: str | None = None,
) -> PreflightReport:
    """Check a document before any parser reads it.

    Args:
        source: the document.
        detected: its type, from `octavo.formats.refine`.
        limits: the limits; the defaults if None.
        pdf: the document if it is a PDF that is already open; it stays open.
        password: a password, if known; encrypted documents are then passed to the engine.

    Raises:
        SourceEmpty: the document has no bytes.
        SourceCorrupt: the bytes are certainly not a complete document of their type, or are crafted to deceive.
        SourceEncrypted: a password is needed, or a different one.
        ContentTooLarge: a limit is exceeded.
    """
    limits = limits or PreflightLimits()
    if source.size == 0:
        raise SourceEmpty("the file is empty (0 bytes)", source=source.name)
    if detected.format.family == "pdf":
        if pdf is not None:
            return check_pdf(pdf, limits=limits)
        with PdfFile(source.read_bytes(), password=password) as opened:
            return check_pdf(opened, limits=limits)
    if detected.encrypted and password is None:
        raise SourceEncrypted(
            f"the document ({detected.format.name}) is encrypted and needs a password", source=source.name
        )
    report = _check_other(source, detected, limits=limits, encrypted_ok=password is not None)
    if detected.encrypted:
        given = note(ENCRYPTED, "The document is encrypted; the engine gets the password.")
        return PreflightReport(findings=(*report.findings, given), page_count=report.page_count)
    return report


def _check_other(
    source: SourceView, detected: DetectedType, *, limits: PreflightLimits, encrypted_ok: bool
) -> PreflightReport:
    media_type, family = detected.media_type, detected.format.family
    with source.open() as stream:
        # An encrypted modern Office file has the name of a zip format and the bytes of an OLE file.
        if family == "zip" and not (detected.encrypted and stream.read(2) != b"PK"):
            return PreflightReport(findings=check_zip(stream, detected, limits=limits, encrypted_ok=encrypted_ok))
        stream.seek(0)
        if family == "image":
            facts = check_image(stream, media_type=media_type, limits=limits)
            pages = len(facts.sizes) if media_type == "image/tiff" else None
            return PreflightReport(findings=facts.findings, page_count=pages)
        if media_type == "audio/wav":
            return PreflightReport(findings=check_wav(stream))
    if media_type in _MARKUP:
        check_markup(source.read_bytes(), media_type=media_type, limits=limits)
    elif media_type in {"message/rfc822", "application/mbox"}:
        check_message(source.read_bytes(), limits=limits)
    elif family == "ole" and source.size < _OLE_HEADER:
        raise SourceCorrupt("the file is truncated within its header", source=source.name)
    return PreflightReport()
