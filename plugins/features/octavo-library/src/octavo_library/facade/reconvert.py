"""Converts a document of a library again, as a new version (STO-6)."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from octavo.conversion.options import ConvertOptions
from octavo.documents.source import Source
from octavo.runtime import Runtime
from octavo.settings.ocr import AUTOMATIC, OcrOptions
from octavo_contracts import Intent, UsageError

from ..ingestion.requests import BY_USER, IngestRequest, ProcessedDocument
from ..observability.audit import AuditAction
from ..storage import PolicyContext
from .context import LibraryContext
from .document_type import corpus_plugins, corpus_profiles
from .routing_review.rules import routing_preferences


@dataclass(frozen=True, kw_only=True)
class ReconvertOptions:
    """Options of a reconversion; see `Document.reconvert`.

    Attributes:
        plugin: the plugin, or None.
        asked_by: who asked for the plugin; only one that the user asked for stays the document's plugin.
        profile: the profile whose rules choose, although a plugin is set for the document or its corpora; or None.
        password: password of an encrypted document.
        timeout: seconds that a plugin may take.
        activate: whether the new version becomes the active one; None: unless it lost pages or text.
        ocr: OCR options.
        cancel: set it from another thread to stop.
    """

    plugin: str | None = None
    asked_by: str = BY_USER
    profile: str | None = None
    password: str | None = None
    timeout: float | None = None
    activate: bool | None = None
    ocr: OcrOptions = AUTOMATIC
    cancel: threading.Event | None = None

    def check(self, runtime: Runtime) -> None:
        """Check the plugin and the profile.

        Raises:
            UsageError: no such plugin or profile, or both are given.
        """
        if self.plugin is not None and self.profile is not None:
            raise UsageError("a plugin and a profile were given", remedy="Give only one of plugin and profile")
        if self.plugin is not None:
            runtime.catalogue.get(self.plugin)
        if self.profile is not None:
            runtime.profile(self.profile)


def reconvert_document(
    context: LibraryContext,
    document_id: str,
    source: Source,
    options: ReconvertOptions,
    *,
    policy: PolicyContext | None,
) -> int:
    """Convert a document again, and ingest its attachments.

    Args:
        context: the library's parts.
        document_id: the document.
        source: its original, opened.
        options: options of the reconversion.
        policy: the asking policy context; None: the library's owner.

    Returns:
        The number of the new version.

    Raises:
        UsageError: no such plugin.
        OctavoError: the conversion failed; existing versions are untouched.
    """
    profiles = corpus_profiles(context, document_id, policy=policy)
    # If its corpora name different profiles, the library's profile applies.
    profile = options.profile or (profiles[0] if len(profiles) == 1 else None)
    is_by_rules = options.profile is not None
    conversion = ConvertOptions(
        plugin=options.plugin,
        asked_by=options.asked_by,
        standing=() if is_by_rules else corpus_plugins(context, document_id, policy=policy),
        profile=profile,
        password=options.password,
        timeout=options.timeout,
        ocr=options.ocr,
        cancel=options.cancel,
        preferences=routing_preferences(context, profile),
    )
    request = IngestRequest(options=conversion, asker=policy, is_by_rules=is_by_rules)
    made = context.engine.reconverter.reconvert(source, request, activate=options.activate)
    if options.plugin is not None and options.asked_by == BY_USER and made.is_active:
        context.audit.record(AuditAction.PLUGIN_SET, document_id=document_id, plugin=options.plugin)
    converted = ProcessedDocument(document_id=document_id, reused=False, has_attachments=True)
    context.engine.follow_ups.run(converted, request, intent=Intent.RECONVERT)
    return made.version
