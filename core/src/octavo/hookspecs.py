"""The five hooks: what each is called with, when, and what its answer means.

A plugin implements any of them as a function of the same name marked with `octavo_contracts.hookimpl`, and may
name only the parameters it uses. Every call runs in a confined worker process, for one chosen plugin at a time,
with a deadline; nothing that a plugin raises reaches another plugin.

Signatures are part of the contract: a change of them changes `CONTRACT_VERSION`.
"""

from __future__ import annotations

import pluggy
from octavo_contracts import (
    PROJECT_NAME,
    Conversion,
    ConvertRequest,
    DocumentClassification,
    EntityObservation,
    EntityRequest,
    HookContext,
    OCRRequest,
    OCRResult,
    PageImage,
    QualityAssessment,
    QualityEvidence,
    SourceView,
)

hookspec = pluggy.HookspecMarker(PROJECT_NAME)


@hookspec(firstresult=True)
def classify(source: SourceView, context: HookContext) -> DocumentClassification | None:
    """Say what a document is, before anything is converted.

    Called once each time a document is to be converted, after type detection and preflight, for the plugins whose
    manifest names the document's media type or none at all: in the order of `hooks.classify` in the profile, else in
    the settings, else by priority and name.
    Stops at the first result that is not None; the built-in classifier answers where no plugin does.

    The verdict is in force: its type, and by its `routing_type` the route. The host keeps what it observed itself: media
    type and mismatch, the pages that it looked at, a type that a user set. It fills in the page count, estimated tokens
    and length of a recording where they are null, and the routing type where it is `unknown`.

    Args:
        source: the document's bytes, read-only.
        context: the work folder and the deadline.

    Returns:
        The verdict, or None: this plugin has no opinion on this document. Below a confidence of 0.5 the document is of
        no type; a `document_type` is small letters, digits and underscores.

    Raises:
        OctavoError: the attempt is recorded and the next plugin is asked; no document fails for its classifier.

    Since contract 1.0.
    """


@hookspec(firstresult=True)
def convert(source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion:
    """Convert a document to pages of markdown.

    Called for the one plugin that routing chose; again for the next one when the first fails, and for a heavier
    one when the evidence in the first conversion calls for it (CNV-2). Never called for a media type that the
    plugin's manifest does not name.

    Args:
        source: the document's bytes, read-only; `source.path` is a private copy.
        request: the detected type, the pages wanted, the password, the plugin's own options.
        context: the work folder, the deadline and, for plugins with the capability `network`, `fetch`.

    Returns:
        Every page of the document, empty ones too. There is no None: a refusal is a typed error.

    Raises:
        SourceCorrupt, SourceEncrypted, UnsupportedFormat, ContentTooLarge: the document is the cause.
        ToolUnavailable: a program, library or model that the engine needs is missing.

    Since contract 1.0.
    """


@hookspec(firstresult=True)
def ocr(image: PageImage, request: OCRRequest, context: HookContext) -> OCRResult:
    """Recognise the text of one rendered page.

    Called for each page that needs it (`page_needs_ocr`), for the one engine that the settings put first and
    that is available; the next one when it fails. Results are cached by page fingerprint.

    Args:
        image: the page as PNG with its resolution.
        request: languages and the plugin's own options.
        context: the work folder and the deadline.

    Returns:
        The text, the words with boxes in points, and confidences from 0 to 1. A blank page is an empty text.

    Raises:
        OcrFailed: the picture cannot be read.
        ToolUnavailable: the engine or a language is missing.

    Since contract 1.0.
    """


@hookspec(firstresult=True)
def extract_entities(text: str, request: EntityRequest, context: HookContext) -> tuple[EntityObservation, ...]:
    """Find mentions of entities in a canonical text.

    Called where tagging is switched on for the corpus or the run (ENT-1), after conversion.

    Args:
        text: the canonical text.
        request: labels, threshold and the plugin's own options.
        context: the work folder and the deadline.

    Returns:
        Observations whose spans count code points of `text`, with `text[start:end]` equal to their text.

    Raises:
        ToolUnavailable: the engine or its model is missing.

    Since contract 1.0.
    """


@hookspec(firstresult=True)
def score_quality(conversion: Conversion, evidence: QualityEvidence, context: HookContext) -> QualityAssessment | None:
    """Judge a conversion by its own evidence, without the truth.

    Called once a conversion, recognised pages and repairs included, for the plugins whose manifest names the document's
    media type or none at all: in the order of `hooks.score_quality` in the profile, else in the settings, else by priority and
    name. Stops at the first result that is not None; the built-in score answers where no plugin does.

    The verdict is the report's: its scores and its findings. The host adds what it observed itself: hidden text, warnings
    of the converter, recognised text that is doubtful, preflight, attachments.

    Args:
        conversion: the pages as they are to be kept, each with its text; attachments without their bytes.
        evidence: what is known of the source: page count, characters a page by a second reading.
        context: the work folder and the deadline.

    Returns:
        Scores from 0 to 1, None for what was not assessed, and the flags with their reasons; or None: no opinion. Of the
        sentences of findings only the constant texts of the plugin stay: they stand in reports, and may not quote.

    Raises:
        OctavoError: the attempt is recorded and the next plugin is asked; no document fails for its score.

    Since contract 1.0.
    """
