"""Replaces pages by their recognised versions, and reports it in the quality report (OCR-5).

The report of every PDF passes through here; the tools for recognised pages and pictures are imported where there are any.
"""

from __future__ import annotations

from octavo_contracts import (
    Box,
    Conversion,
    DegradedFlag,
    DocumentClassification,
    IngestionQualityReport,
    OcrConfidenceSummary,
    Page,
    QualityEvidence,
    QualityFinding,
)
from octavo_text.page_spans import pages_text

from ..routing import recogniser_here
from .recognition import NO_ENGINE, NOT_ASKED, SWITCHED_OFF, PageReading, Recognition

REPLACED = "text_layer_replaced"
"""Code of the note that an unusable text layer was replaced by recognised text."""
DOUBTFUL_WORDS = "words_doubtful"
"""Code of the note that quotes the doubtful words of a recognised page."""
BLANK = "page_blank"
"""Code of the note that a page without text is blank, in a document with recognised pages."""
READ_AGAIN = "Then run `octavo ocr` on the document again"
"""End of the remedy of pages that were not read, behind the remedy of an engine."""
QUOTED = 5
_READ = {
    SWITCHED_OFF: "Run `octavo ocr` on the document, or set ocr.automatic",
    NOT_ASKED: "Run `octavo ocr` on the document",
}
"""Reason why pages were not read, though engines may be installed → remedy."""


def merge(conversion: Conversion, recognition: Recognition) -> Conversion:
    """Return the conversion with the recognised text of pages and pictures that have any; other pages are unchanged."""
    if not recognition.with_text:
        if not recognition.pictures:
            return conversion
        from .pictures import merge_pictures

        return merge_pictures(conversion, recognition.pictures, without_places=recognition.without_places)
    from octavo_text.broken_words import whole_words

    texts = whole_words([result.extracted_text for result in recognition.with_text.values()])
    told = dict(zip(recognition.with_text, texts, strict=True))
    pages = tuple(
        _recognised(page, recognition.readings[page.number], told[page.number]) if page.number in told else page
        for page in conversion.pages
    )
    read = {
        str(number): {
            "engine": result.method,
            "version": result.tool_version,
            "confidence": result.confidence,
            "page_fingerprint": result.page_fingerprint,
        }
        for number, result in recognition.with_text.items()
    }
    return conversion.model_copy(
        update={"pages": pages, "extensions": {**conversion.extensions, "octavo.recognised": read}}
    )


def _recognised(page: Page, reading: PageReading, text: str) -> Page:
    from octavo_text.recognised_lines import with_boxes
    from octavo_text.recognised_markdown import page_markdown
    from octavo_text.tables.placed_tables import with_tables
    from octavo_text.tables.recognised_tables import recognised_tables

    done = reading.rectification
    # Headings, lists and tables are looked for where the lines are straight.
    straight = with_boxes(reading.result, done.rectified if done else None)
    words = tuple(Box(kind="word", box=word.box, text=word.text) for word in reading.result.words)
    others = tuple(box for box in page.boxes if box.kind not in ("word", "line"))
    read = page.model_copy(
        update={
            "markdown": page_markdown(text, straight),
            "text": text,
            "boxes": (*others, *words),
            "tables": (),
            "has_images": True,
        }
    )
    for table in recognised_tables(straight.words):
        if done is not None:
            table = table.model_copy(update={"box": table.box and done.displayed(table.box)})
        read = with_tables(read, [table]) or read
    return read


def summary(recognition: Recognition) -> OcrConfidenceSummary:
    """Build the report's summary of OCR: the confidence of each page with recognised text."""
    return OcrConfidenceSummary(
        applied=bool(recognition.readings or recognition.pictures),
        page_confidences={str(page): confidence for page, confidence in recognition.confidences.items()},
    )


def reader_note(report: IngestionQualityReport, page: int = 1) -> str:
    """Return a caution for readers of a page's text, models above all; empty if nothing is doubtful (OCR-5)."""
    flagged = DegradedFlag.OCR_LOW_CONFIDENCE.value
    confidences = report.ocr_confidence_summary.page_confidences
    doubtful = {finding.page for finding in report.findings if finding.flag == flagged}
    if str(page) not in confidences or not (page in doubtful or (None in doubtful and len(confidences) == 1)):
        return ""
    return (
        f"recognised with a confidence of {confidences[str(page)]:.2f}: words may be wrong, check them against the page"
    )


def with_recognition(evidence: QualityEvidence, recognition: Recognition) -> QualityEvidence:
    """Add the confidences of pages with recognised text to the evidence."""
    confidences = tuple(result.confidence for result in recognition.with_text.values())
    return evidence.model_copy(update={"ocr_confidences": confidences}) if confidences else evidence


def findings(recognition: Recognition, before: Conversion, *, doubtful_below: float) -> tuple[QualityFinding, ...]:
    """Build the findings about single pages.

    Args:
        recognition: the OCR results.
        before: the conversion without them.
        doubtful_below: mean confidence under which a page's text is doubtful.
    """
    return (
        *_unread(recognition),
        *_without_text(recognition, before),
        *_lost_pictures(recognition),
        *_doubtful(recognition, doubtful_below),
        *_quoted(recognition, doubtful_below),
        *_blank(recognition),
        *_replaced(recognition, before),
        *_of_pictures(recognition, doubtful_below),
    )


def recorded(classification: DocumentClassification, recognition: Recognition) -> DocumentClassification:
    """Update the classification's page metadata after OCR (OCR-9)."""
    pages = tuple(
        page.model_copy(update={"has_ocr_cache": True, "needs_ocr": False})
        if page.page_number in recognition.readings
        else page
        for page in classification.page_metadata
    )
    return classification.model_copy(update={"page_metadata": pages})


def _of_pictures(recognition: Recognition, doubtful_below: float) -> tuple[QualityFinding, ...]:
    if not (recognition.pictures or recognition.pictures_beyond):
        return ()
    from .pictures import picture_findings

    return picture_findings(recognition.pictures, beyond=recognition.pictures_beyond, doubtful_below=doubtful_below)


def _unread(recognition: Recognition) -> list[QualityFinding]:
    """Build a finding for each reason for which pages were not read."""
    by_reason: dict[str, list[int]] = {}
    for page, reason in sorted(recognition.unread.items()):
        by_reason.setdefault(reason, []).append(page)
    found = []
    for reason, pages in by_reason.items():
        many = f"{pages_text(pages)} have no trustworthy text and were not read"
        which = many if len(pages) > 1 else "the page has no trustworthy text and was not read"
        said = recognition.remedies.get(pages[0], "").rstrip(".")
        then = f"{said}. {READ_AGAIN}" if said else f"Fix the cause, {READ_AGAIN.lower()}"
        found.append(
            QualityFinding(
                flag=DegradedFlag.OCR_NEEDED.value,
                message=f"{which} ({reason})",
                page=pages[0] if len(pages) == 1 else None,
                remedy=_no_engine() if reason == NO_ENGINE else _READ.get(reason, then),
            )
        )
    return found


def _without_text(recognition: Recognition, before: Conversion) -> list[QualityFinding]:
    """Note a document in which no text was found; it does not lower the score, since photographs have none."""
    read = recognition.readings
    if not read or recognition.with_text or any((page.text or "").strip() for page in before.pages):
        return []
    return [
        QualityFinding(
            flag=DegradedFlag.NO_CONTENT.value,
            severity="note",
            message=f"no text was found on {'its page' if len(read) == 1 else f'its {len(read)} pages'}",
        )
    ]


def _lost_pictures(recognition: Recognition) -> list[QualityFinding]:
    return [
        QualityFinding(
            flag=DegradedFlag.PARTIAL_CONVERSION.value,
            message=f"the page rendered blank, and {reading.undecodable} of its pictures cannot be decoded",
            page=page,
            remedy="Compare with the original in another viewer",
        )
        for page, reading in sorted(recognition.readings.items())
        if reading.undecodable
    ]


def _no_engine() -> str:
    return f"Run: pip install {recogniser_here()}, then convert the document again (`octavo ocr` in a library)"


def _doubtful(recognition: Recognition, doubtful_below: float) -> list[QualityFinding]:
    from .page_script import lacks_model

    many = len(recognition.with_text) > 1  # the mean of one page is the document's, which the score flags
    found = []
    for page, result in recognition.with_text.items():
        contradiction = lacks_model(result) or recognition.readings[page].contradiction
        if contradiction or (many and result.confidence < doubtful_below):
            then = result.remedy or "name its language with --language"
            found.append(
                QualityFinding(
                    flag=DegradedFlag.OCR_LOW_CONFIDENCE.value,
                    message=contradiction or f"recognised with a mean confidence of {result.confidence:.2f}",
                    page=page,
                    remedy=f"Check the text against the page before relying on it; {then[0].lower()}{then[1:]}",
                )
            )
    return found


def _quoted(recognition: Recognition, doubtful_below: float) -> list[QualityFinding]:
    """Quote the doubtful words of each page that is not doubtful as a whole."""
    found = []
    for page, result in recognition.with_text.items():
        doubts = recognition.readings[page].doubts
        if doubts and result.confidence >= doubtful_below and not recognition.readings[page].contradiction:
            more = f" and {len(doubts) - QUOTED} more" if len(doubts) > QUOTED else ""
            found.append(
                QualityFinding(
                    flag=DOUBTFUL_WORDS,
                    severity="note",
                    message=f"words that OCR was unsure of: {', '.join(doubts[:QUOTED])}{more}",
                    page=page,
                    remedy="Compare these words with the page",
                )
            )
    return found


def _blank(recognition: Recognition) -> list[QualityFinding]:
    if not recognition.with_text:
        return []
    readings = sorted(recognition.readings.items())
    blank = [page for page, one in readings if one.is_blank and not (one.holds_text or one.undecodable)]
    return [QualityFinding(flag=BLANK, severity="note", message="the page is blank", page=page) for page in blank]


def _replaced(recognition: Recognition, before: Conversion) -> list[QualityFinding]:
    text = {page.number: (page.text or "").strip() for page in before.pages}
    return [
        QualityFinding(
            flag=REPLACED,
            severity="note",
            message=f"a text layer of {len(text[page])} characters was replaced by the text recognised on the page",
            page=page,
        )
        for page in recognition.with_text
        if text.get(page) and not before.pages[page - 1].markdown.startswith("![")
    ]
