"""The calls to plugins for one document, each held to what was asked; what comes of one is scored and joined."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

from octavo_contracts import (
    Attempt,
    Capability,
    Category,
    ContentTooLarge,
    ContractViolation,
    Conversion,
    ConvertRequest,
    FallbackAttempt,
    ToolUnavailable,
)

from ..builtins.classification.inspection import Inspection
from ..builtins.quality import assess
from ..documents.source import Source
from ..plugins import HookCall
from ..runtime import Runtime
from ..sandbox import SandboxLimits
from ..sandbox.budget import TimeBudget
from ..settings.audio import NO_SPEECH, SpeechSettings
from ..settings.layout import LAYOUT_SETTING, LayoutSettings
from ..text.version_texts import join_pages
from .audio import evidence_of
from .form_fields import with_fields
from .inspection import routing_type, source_evidence
from .ocr import PagesStore, Task, derive_texts, recognise
from .ocr import merge as merging
from .options import ConvertOptions
from .outcome import ConvertedVersion
from .page_repair import Doubt, check_part, merge, put_back
from .page_repair.repaired_version import mended
from .routing import Candidate


@dataclass(frozen=True, kw_only=True)
class Work:
    """A document on its way, and what every call for it needs: the converter of `octavo.conversion.escalation`.

    Attributes:
        runtime: plugins, workers, settings.
        source: the document.
        options: what the caller asked for, with the password that it is opened with.
        inspection: of the document.
        budget: the time for all plugins, and what is left of it.
        pages: where recognised pages are kept.
        looked: page → whether it needs recognition, as far as pages were looked at; shared by all calls.
    """

    runtime: Runtime
    source: Source
    options: ConvertOptions
    inspection: Inspection
    budget: TimeBudget
    pages: PagesStore
    looked: dict[int, bool] = field(default_factory=dict)

    def whole(
        self,
        candidate: Candidate,
        attempts: list[Attempt],
        fallbacks: Sequence[FallbackAttempt],
        *,
        in_any_case: bool = False,
    ) -> ConvertedVersion:
        """The document as a plugin converts it, with what is recognised in it.

        Args:
            candidate: the plugin.
            attempts: every call is added to it.
            fallbacks: plugins that were tried before.
            in_any_case: ask also a plugin that is known to be unable: there is no other.
        """
        if not in_any_case:
            self._refuse_unable(candidate)
        runtime, inspection = self.runtime, self.inspection
        settings = runtime.settings
        conversion = self._call(candidate, attempts)
        reads_scans = Capability.SCANS in candidate.plugin.manifest.capabilities
        task = self._ocr_task()
        recognition = recognise(runtime, task, conversion, inspection.classification, reads_scans=reads_scans)
        attempts.extend(recognition.attempts)
        merged = derive_texts(runtime, task, merging.merge(conversion, recognition), recognition)
        with self.budget.work(self._limits()):
            evidence = evidence_of(
                merging.with_recognition(source_evidence(inspection, merged), recognition), conversion
            )
            texts = join_pages(merged, chunking=settings.chunking)
            assessment = assess(merged, evidence, settings.thresholds, recognised=recognition.readings)
        return ConvertedVersion(
            candidate=candidate,
            conversion=merged,
            texts=texts,
            evidence=evidence,
            assessment=assessment,
            attempts=tuple(attempts),
            fallbacks=tuple(fallbacks),
            recognition=recognition,
            ocr_findings=merging.findings(recognition, conversion, doubtful_below=settings.ocr.doubtful_below),
        )

    def repaired(
        self,
        candidate: Candidate,
        first: ConvertedVersion,
        doubts: Mapping[int, Doubt],
        attempts: list[Attempt],
        fallbacks: Sequence[FallbackAttempt],
    ) -> ConvertedVersion | str:
        """The first conversion with the doubted pages that another plugin does better; why it does none of them better."""
        self._refuse_unable(candidate)
        engine = candidate.plugin.name
        part = self._call(candidate, attempts, pages=tuple(doubts))
        check_part(part, tuple(doubts), plugin=engine)
        with self.budget.work(self._limits()):
            merged = merge(
                first.conversion,
                part,
                doubts,
                first.evidence,
                engine=engine,
                instead_of=first.candidate.plugin.name,
                tells_hidden=Capability.HIDDEN_TEXT in candidate.plugin.manifest.capabilities,
                thresholds=self.runtime.settings.thresholds,
            )
            return mended(
                first, merged, engine=engine, settings=self.runtime.settings, attempts=attempts, fallbacks=fallbacks
            )

    def with_tables(
        self,
        candidate: Candidate,
        first: ConvertedVersion,
        wanted: Mapping[int, Doubt],
        attempts: list[Attempt],
        fallbacks: Sequence[FallbackAttempt],
    ) -> ConvertedVersion | str:
        """The first conversion with the tables that another plugin has for its text; why none of them fits."""
        self._refuse_unable(candidate)
        engine = candidate.plugin.name
        second = self._call(candidate, attempts)
        with self.budget.work(self._limits()):
            merged = put_back(
                first.conversion,
                second,
                wanted,
                engine=engine,
                instead_of=first.candidate.plugin.name,
                tells_hidden=Capability.HIDDEN_TEXT in candidate.plugin.manifest.capabilities,
            )
            return mended(
                first, merged, engine=engine, settings=self.runtime.settings, attempts=attempts, fallbacks=fallbacks
            )

    def is_unable(self, candidate: Candidate) -> bool:
        """Whether the plugin is known to read no document of this type now."""
        return self.runtime.unable.knows(candidate.plugin.name, self.inspection.detected.media_type)

    def _refuse_unable(self, candidate: Candidate) -> None:
        self.runtime.unable.refuse(candidate.plugin.name, self.inspection.detected.media_type)

    def _call(
        self, candidate: Candidate, attempts: list[Attempt], *, pages: tuple[int, ...] | None = None
    ) -> Conversion:
        """What a plugin gives for the document, or for some of its pages; checked."""
        runtime, options, inspection = self.runtime, self.options, self.inspection
        media_type = inspection.detected.media_type
        told = self._settings_for(candidate)
        request = ConvertRequest(
            media_type=media_type,
            routing_type=routing_type(inspection).value,
            pages=pages,
            password=options.password,
            max_pages=runtime.settings.max_pages,
            options=told.options,
        )
        call = HookCall(
            plugin=candidate.plugin,
            hook="convert",
            arguments={"request": request},
            because=candidate.because,
            limits=self._limits(),
            budget=self.budget,
            readable=told.readable,
        )
        admitted = options.admit(candidate.plugin, options.cancel) if options.admit is not None else nullcontext()
        with admitted:
            try:
                conversion = runtime.dispatcher.call(
                    call,
                    Conversion,
                    source=self.source.handle(media_type=media_type),
                    cancel=options.cancel,
                    attempts=attempts,
                )
            except ToolUnavailable as error:
                if candidate.plugin.manifest.weights is not None:
                    runtime.unable.note(error, plugin=candidate.plugin.name, media_type=media_type)
                raise
        runtime.unable.forget(candidate.plugin.name, media_type)
        assert conversion is not None  # `convert` never returns None: the runner refuses it
        _check(conversion, candidate, max_pages=runtime.settings.max_pages)
        return with_fields(conversion, inspection.form) if inspection.form.fields else conversion

    def _settings_for(self, candidate: Candidate) -> SpeechSettings | LayoutSettings:
        """The settings that are for this plugin, and this kind of document."""
        settings = self.runtime.settings
        weights = candidate.plugin.manifest.weights
        if weights is not None and weights.setting == LAYOUT_SETTING:
            return settings.layout
        is_heard = self.inspection.detected.format.category is Category.AUDIO
        return settings.speech if is_heard else NO_SPEECH

    def _limits(self) -> SandboxLimits:
        limits, timeout = self.runtime.settings.limits, self.options.timeout
        return limits if timeout is None else replace(limits, wall_seconds=timeout)

    def _ocr_task(self) -> Task:
        return Task(
            source=self.source,
            media_type=self.inspection.detected.media_type,
            password=self.options.password,
            options=self.options.ocr,
            limits=self._limits(),
            cancel=self.options.cancel,
            pages=self.pages,
            looked=self.looked,
            owners=self.options.owners,
            earlier=self.options.earlier,
        )


def _check(conversion: Conversion, candidate: Candidate, *, max_pages: int) -> None:
    """Hold a conversion to what its model can not say. It comes from a worker, and is not trusted.

    Raises:
        ContentTooLarge: more pages than are allowed.
        ContractViolation: a page without a text, or an attachment that is not what it says.
    """
    plugin = candidate.plugin.name
    if len(conversion.pages) > max_pages:
        raise ContentTooLarge(f"it has {len(conversion.pages)} pages; at most {max_pages} are allowed", plugin=plugin)
    if any(page.text is None for page in conversion.pages):
        raise ContractViolation("a page came back without a text", plugin=plugin)
    for item in conversion.attachments:
        if item.data is not None and (len(item.data), hashlib.sha256(item.data).hexdigest()) != (
            item.size,
            item.sha256,
        ):
            raise ContractViolation(f"attachment {item.name!r} is not of the size and hash it names", plugin=plugin)
