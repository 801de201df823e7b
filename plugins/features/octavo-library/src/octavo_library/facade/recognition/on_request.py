"""Requested recognition of the pages of a file or of a library's document (OCR-6)."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial

from octavo.conversion.conversion_services import ConversionServices
from octavo.conversion.ocr.engines import engines_for
from octavo.conversion.ocr.recognition import Recognition
from octavo.conversion.ocr.remote import remote_engines
from octavo.conversion.options import ConvertOptions
from octavo.conversion.pipeline import run
from octavo.conversion.states import ConversionFailed
from octavo.documents.source import Source
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrOptions
from octavo_contracts import DegradedFlag
from octavo_sandbox.egress import CloudRequest
from octavo_sandbox.egress.gate import Owners

from ...ingestion.cloud_owners import owners_of_document
from ...storage.recognised_pages import LibraryPages
from ..document import Document
from ..document_names import document_name
from .cost_limit import RecognitionCost
from .recognised import RecognitionResult


def recognise_source(
    runtime: Runtime,
    source: Source,
    options: OcrOptions,
    *,
    password: str | None = None,
    timeout: float | None = None,
    cancel: threading.Event | None = None,
    owners: Owners | None = None,
    library: ConversionServices | None = None,
) -> RecognitionResult:
    """Recognise the requested pages of an opened document, or those that need it.

    Args:
        runtime: plugins, workers, settings.
        source: the document.
        options: pages and engine.
        password: password of an encrypted document.
        timeout: seconds that one plugin call may take.
        cancel: set it to stop.
        owners: permissions for cloud services; by default only an engine that `options` names is allowed.
        library: the library's store of recognised pages and its marks; by default pages are kept in memory only.

    Raises:
        UsageError: a page or an engine does not exist.
        PolicyRefused: the requested engine is remote, and the document may not be sent to it.
        OctavoError: the document cannot be converted.
    """
    owners = owners or partial(_owners_of_unknown_file, options)
    if options.engine is not None:
        settings = runtime.settings.ocr
        # Check before the conversion: an engine that is forbidden now would be forbidden afterwards too.
        remote_engines(engines_for(runtime.catalogue, settings, options), settings, owners, asked=True)
    asked = ConvertOptions(password=password, timeout=timeout, cancel=cancel, ocr=replace(options, asked=True))
    services = replace(library or ConversionServices(), owners=owners)
    try:
        outcome = run(runtime, source, asked, services)
    except ConversionFailed as failed:
        raise failed.error.located(source=source.display) from failed
    version = outcome.versions[outcome.active]
    return RecognitionResult(
        source=source.display,
        media_type=outcome.inspection.detected.media_type,
        page_count=len(version.conversion.pages),
        recognition=version.recognition,
    )


def recognise_document(
    document: Document,
    options: OcrOptions,
    *,
    password: str | None = None,
    timeout: float | None = None,
    cancel: threading.Event | None = None,
    activate: bool | None = None,
    cost: RecognitionCost | None = None,
) -> RecognitionResult:
    """Recognise pages of a library's document, and store the text as a new version that becomes the active one.

    Pages that are not read keep their recognised text. No version is made if no page was read, or if the active version
    already has the same readings; a page that was read and has no text is a reading too.

    Args:
        document: the document of a library.
        options: pages and engine.
        password: password of an encrypted document.
        timeout: seconds that one plugin call may take.
        cancel: set it to stop.
        activate: as in `Document.reconvert`.
        cost: the cost of the request so far, for one that recognises several documents; None: of this document alone.

    Raises:
        UsageError, PolicyRefused: as `recognise_source`; also if a corpus of the document has a lower limit of cost.
        SourceMissing: the original is at none of its known paths.
        OctavoError: the conversion failed; existing versions are untouched.
    """
    context = document.context
    cost = cost or RecognitionCost(context, options)
    cost.check(document)
    kept = LibraryPages(
        context.artifacts, note=lambda page: context.index.purges.record_ocr_pages(document.id, (page,))
    )
    marked = frozenset(document.page_marks.pages("needs_ocr"))
    with document.original.open() as source:
        done = recognise_source(
            context.runtime,
            source,
            options,
            password=password,
            timeout=timeout,
            cancel=cancel,
            owners=owners_of_document(context.index, context.events, document.id, surface="ocr"),
            library=ConversionServices(pages=kept, marks=lambda _: marked),
        )
    cost.add(document, done)
    version = None
    if _has_news(document, done.recognition):
        # The new readings are in the page store, so the reconversion does not recognise the pages again.
        stored = replace(options, again=False, asked=True)
        version = document.reconvert(password=password, timeout=timeout, ocr=stored, cancel=cancel, activate=activate)
    return RecognitionResult(
        source=document_name(document),
        media_type=done.media_type,
        page_count=done.page_count,
        recognition=done.recognition,
        document_id=document.id,
        version=version,
        version_before=document.active_version,
        confidences_before=_confidences(document),
    )


def _owners_of_unknown_file(options: OcrOptions) -> tuple[CloudRequest, ...]:
    """A file outside a library is in no corpus: the user who names an engine for it decides."""
    return (CloudRequest(user_enabled=True, source_outbound=options.engine is not None),)


def lacks(document: Document) -> bool:
    """Whether the active version is flagged as needing OCR."""
    return document.active_version is not None and DegradedFlag.OCR_NEEDED.value in document.quality.degraded_flags


def _has_news(document: Document, recognition: Recognition) -> bool:
    """Whether the active version says less of its pages and pictures than these readings.

    That a page has no text is news too: without a version that says so, the document would need OCR for ever.
    """
    confidences, pictures = recognition.confidences, recognition.pictures
    if document.active_version is None:
        return bool(confidences) or any(one.reading is None for one in pictures)
    before = _confidences(document)
    if any(before.get(page) != confidence for page, confidence in confidences.items()):
        return True
    if pictures:
        # The version says that pictures are unread, and none is; or the reverse.
        return lacks(document) is all(one.reading is not None for one in pictures)
    return not recognition.readings.keys().isdisjoint(_unread_pages(document))


def _confidences(document: Document) -> dict[int, float]:
    """Page → confidence of its recognised text in the active version."""
    if document.active_version is None:
        return {}
    known = document.quality.ocr_confidence_summary.page_confidences
    return {int(page): confidence for page, confidence in known.items()}


def _unread_pages(document: Document) -> frozenset[int]:
    """The pages that the active version records as needing OCR."""
    classification = document.result.classification
    seen = classification.page_metadata if classification is not None else ()
    return frozenset(page.page_number for page in seen if page.needs_ocr)
