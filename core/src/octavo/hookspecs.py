"""The five hooks: when each is called, with which arguments, and what its result means.

A plugin implements any of them as a function of the same name marked with `octavo_contracts.hookimpl`, and may
name only the parameters it uses. Every call runs in a confined worker process, for one chosen plugin at a time,
with a deadline; nothing that a plugin raises reaches another plugin.

The signatures are part of the contract: changing one changes `CONTRACT_VERSION`.
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
    """Classify a document before its conversion.

    Called once before each conversion of a document, after type detection and preflight, for the plugins whose
    manifest names the document's media type or no media type: in the order of `hooks.classify` in the profile, else in
    the settings, else by priority and name.
    Stops at the first result that is not None; the built-in classifier is used if no plugin returns a result.

    The verdict sets the document's type, and by its `routing_type` the route. The host's own facts take precedence:
    media type and mismatch, the pages that it inspected, a type that a user set. The host fills in the page count,
    estimated tokens and length of a recording where they are null, and the routing type where it is `unknown`.

    An answer of confidence 0 with a `structure` decides nothing: the host keeps the structure of the first plugin that
    gives one, compares each conversion with it, and asks the next plugin for the verdict.

    Args:
        source: the document's bytes, read-only.
        context: the work folder and the deadline.

    Returns:
        The verdict, or None if this plugin has no opinion on the document. Below a confidence of 0.5 the document's
        type is `unknown`. A `document_type` consists of lower-case letters, digits and underscores.

    Raises:
        OctavoError: the attempt is recorded and the next plugin is called; a failed classifier fails no document.

    Since contract 1.0.
    """


@hookspec(firstresult=True)
def convert(source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion:
    """Convert a document to pages of markdown.

    Called for the plugin that routing chose, for the next one if it fails, and for a heavier one if the evidence in the
    first conversion requires it (CNV-2). Never called for a media type that the plugin's manifest does not name.

    Args:
        source: the document's bytes, read-only; `source.path` is a private copy.
        request: the detected type, the requested pages, the password, the plugin's own options.
        context: the work folder, the deadline and, for plugins with the capability `network`, `fetch`.

    Returns:
        Every page of the document, including empty ones. None is not allowed: to refuse a document, raise a typed
        error.

    Raises:
        SourceCorrupt, SourceEncrypted, UnsupportedFormat, ContentTooLarge: the document cannot be converted.
        ToolUnavailable: a program, library or model that the engine needs is missing.

    Since contract 1.0.
    """


@hookspec(firstresult=True)
def ocr(image: PageImage, request: OCRRequest, context: HookContext) -> OCRResult:
    """Recognise the text of one rendered page.

    Called for each page that needs it (`page_needs_ocr`), for the first available engine in the order of the settings,
    and for the next one if it fails. Results are cached by page fingerprint.

    Args:
        image: the page as PNG with its resolution.
        request: languages and the plugin's own options.
        context: the work folder and the deadline.

    Returns:
        The text, the words with boxes in points, and confidences from 0 to 1. A blank page gives an empty text.

    Raises:
        OcrFailed: the picture cannot be read.
        ToolUnavailable: the engine or a language is missing.

    Since contract 1.0.
    """


@hookspec(firstresult=True)
def extract_entities(text: str, request: EntityRequest, context: HookContext) -> tuple[EntityObservation, ...]:
    """Find mentions of entities in a canonical text.

    Called after conversion if tagging is enabled for the corpus or the run (ENT-1).

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
    """Score a conversion by its own evidence, without ground truth.

    Called once for each conversion, after OCR and repairs, for the plugins whose manifest names the document's media
    type or no media type: in the order of `hooks.score_quality` in the profile, else in the settings, else by priority
    and name. Stops at the first result that is not None; the built-in score is used if no plugin returns a result.

    The verdict provides the scores and findings of the report. The host adds its own findings: hidden text, warnings of
    the converter, doubtful recognised text, preflight, attachments.

    Args:
        conversion: the final pages, each with its text; attachments without their bytes.
        evidence: facts about the source: page count, characters per page by a second reading.
        context: the work folder and the deadline.

    Returns:
        Scores from 0 to 1, None for what was not assessed, and the flags with their reasons; or None for no opinion.
        Messages of findings are kept only if they are constant texts of the plugin: reports must not quote the
        document.

    Raises:
        OctavoError: the attempt is recorded and the next plugin is called; a failed scorer never fails the document.

    Since contract 1.0.
    """
