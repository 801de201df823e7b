"""Converts one document: calls plugins, validates their conversions, and has the result scored and joined."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from octavo_contracts import (
    Attempt,
    Capability,
    Category,
    ContentTooLarge,
    ContractViolation,
    Conversion,
    ConvertRequest,
    FallbackAttempt,
    QualityEvidence,
    SourceAnchorMissing,
    ToolUnavailable,
)
from octavo_sandbox.preflight import how_to_raise
from octavo_text.version_texts import join_pages

from ..plugins import HookCall
from ..plugins.budget import TimeBudget
from ..settings.audio import SpeechSettings
from ..settings.layout import LAYOUT_SETTING, LayoutSettings
from .conversion_services import ConversionServices
from .inspection import routing_type, source_evidence
from .routing import Candidate
from .scoring import score
from .states import ConvertedVersion, DocumentContext, Draft
from .steps import steps_for, through_steps

if TYPE_CHECKING:
    from .page_repair import Merged, PageSuspect


@dataclass(frozen=True, kw_only=True)
class DocumentConverter:
    """Converts one document, calling as many plugins as needed.

    Attributes:
        document: inspected and classified.
        services: services of the caller.
        budget: the time budget shared by all plugins.
    """

    document: DocumentContext
    services: ConversionServices
    budget: TimeBudget

    def convert(
        self,
        candidate: Candidate,
        attempts: list[Attempt],
        fallbacks: Sequence[FallbackAttempt],
        *,
        force: bool = False,
    ) -> ConvertedVersion:
        """Convert the whole document with one plugin and apply every step to the conversion.

        Args:
            candidate: the plugin.
            attempts: list to which every call is appended.
            fallbacks: plugins that were tried before.
            force: call the plugin even if it is known to be unable, because there is no other.

        Raises:
            OctavoError: the plugin cannot convert the document.
        """
        if not force:
            self._refuse_unable(candidate)
        draft = through_steps(self._call(candidate, attempts), self.services)
        attempts.extend(draft.attempts)
        with self.budget.work(self.document.limits):
            evidence = source_evidence(self.document.inspection, draft.conversion)
            for step in steps_for(draft):
                evidence = step.evidence(draft, evidence)
        return self._version(replace(draft, evidence=evidence), attempts, fallbacks)

    def repaired(
        self,
        candidate: Candidate,
        first: ConvertedVersion,
        doubts: Mapping[int, PageSuspect],
        attempts: list[Attempt],
        fallbacks: Sequence[FallbackAttempt],
    ) -> ConvertedVersion | str:
        """Convert the suspect pages again and merge the better ones; return the reason if no page is better.

        Raises:
            OctavoError: the plugin cannot convert the pages.
        """
        from .page_repair import check_part, merge

        self._refuse_unable(candidate)
        engine = candidate.plugin.name
        part = self._part(candidate, attempts, pages=tuple(doubts))
        check_part(part, tuple(doubts), plugin=engine)

        def merged() -> Merged:
            return merge(
                first.conversion,
                part,
                doubts,
                first.evidence,
                engine=engine,
                instead_of=first.candidate.plugin.name,
                tells_hidden=Capability.HIDDEN_TEXT in candidate.plugin.manifest.capabilities,
                thresholds=self.document.runtime.settings.thresholds,
            )

        return self.merged(first, merged, attempts, fallbacks)

    def read_again(
        self, candidate: Candidate, attempts: list[Attempt], *, pages: tuple[int, ...] | None, count: int
    ) -> Conversion:
        """Convert the document, or some of its pages, with another plugin, to be compared and merged.

        Args:
            candidate: the plugin.
            attempts: list to which the call is appended.
            pages: the pages to convert, from 1; None for all.
            count: number of pages of the document.

        Raises:
            OctavoError: the plugin cannot convert the document, or returns other pages.
        """
        self._refuse_unable(candidate)
        part = self._part(candidate, attempts, pages=pages)
        if pages is not None:
            from .page_repair import check_part

            check_part(part, pages, plugin=candidate.plugin.name)
        elif not part.paginated:
            raise SourceAnchorMissing(
                f"the boundaries of {count} pages were not found in the text", plugin=candidate.plugin.name
            )
        elif len(part.pages) != count:
            raise ContractViolation(
                f"the document has {count} pages, and the conversion {len(part.pages)}", plugin=candidate.plugin.name
            )
        return part

    def merged(
        self,
        first: ConvertedVersion,
        merging: Callable[[], Merged],
        attempts: list[Attempt],
        fallbacks: Sequence[FallbackAttempt],
    ) -> ConvertedVersion | str:
        """Build the version with a merge applied, or return the reason why nothing was merged.

        A version of which nothing was replaced is scored again if its readings were compared.
        """
        from .repaired_draft import repaired_draft, with_agreements

        with self.budget.work(self.document.limits):
            merged = merging()
        if not merged.repairs:
            if not merged.agreements:
                return merged.refusal
            scored = score(draft := with_agreements(first.draft, merged), self.services, self.budget, attempts)
            return replace(
                first,
                draft=draft,
                assessment=scored.assessment,
                scored_by=scored.scored_by,
                attempts=tuple(attempts),
                fallbacks=tuple(fallbacks),
            )
        return self._version(repaired_draft(first.draft, merged), attempts, fallbacks)

    def is_unable(self, candidate: Candidate) -> bool:
        """Return whether the plugin recently reported that it cannot read documents of this type."""
        return self.document.runtime.unable.knows(candidate.plugin.name, self.document.media_type)

    # -- inside ---------------------------------------------------------------------------------------------

    def _refuse_unable(self, candidate: Candidate) -> None:
        self.document.runtime.unable.refuse(candidate.plugin.name, self.document.media_type)

    def _version(self, draft: Draft, attempts: list[Attempt], fallbacks: Sequence[FallbackAttempt]) -> ConvertedVersion:
        settings = self.document.runtime.settings
        with self.budget.work(self.document.limits):
            conversion, recognised = draft.conversion, draft.recognition.readings
            if conversion.extensions:
                from octavo_text.outline_headings import with_outline

                conversion = with_outline(conversion)
            if len(conversion.pages) >= settings.furniture.min_pages:
                from .furniture import with_furniture_apart

                conversion = with_furniture_apart(conversion, recognised=recognised, settings=settings.furniture)
            draft = replace(draft, conversion=conversion)
            texts = join_pages(conversion, chunking=settings.chunking)
        scored = score(draft, self.services, self.budget, attempts)
        return ConvertedVersion(
            draft=draft,
            texts=texts,
            assessment=scored.assessment,
            scored_by=scored.scored_by,
            attempts=tuple(attempts),
            fallbacks=tuple(fallbacks),
        )

    def _part(
        self, candidate: Candidate, attempts: list[Attempt], *, pages: tuple[int, ...] | None = None
    ) -> Conversion:
        """Return a plugin's conversion, to be merged into another one."""
        return through_steps(self._call(candidate, attempts, pages=pages), self.services, is_part=True).conversion

    def _call(self, candidate: Candidate, attempts: list[Attempt], *, pages: tuple[int, ...] | None = None) -> Draft:
        """Call a plugin for the document or for some of its pages, and validate the conversion."""
        document = self.document
        runtime, options, media_type = document.runtime, document.options, document.media_type
        plugin_settings = self._settings_for(candidate)
        request = ConvertRequest(
            media_type=media_type,
            routing_type=routing_type(document.inspection).value,
            pages=pages,
            password=options.password,
            max_pages=options.max_pages(runtime.settings.max_pages),
            options=plugin_settings.options if plugin_settings else {},
        )
        call = HookCall(
            plugin=candidate.plugin,
            hook="convert",
            arguments={"request": request},
            because=candidate.because,
            limits=document.limits,
            budget=self.budget,
            readable=plugin_settings.readable if plugin_settings else (),
            options=runtime.profile(options.profile).options.get(candidate.plugin.name, {}),
            owners=self.services.owners,
        )
        with self.services.admitted(candidate.plugin, options.cancel):
            try:
                conversion = runtime.dispatcher.call(
                    call,
                    Conversion,
                    source=document.source.handle(media_type=media_type),
                    cancel=options.cancel,
                    attempts=attempts,
                )
            except ToolUnavailable as error:
                if candidate.plugin.manifest.weights is not None:
                    runtime.unable.note(error, plugin=candidate.plugin.name, media_type=media_type)
                raise
        if candidate.plugin.manifest.weights is not None:
            runtime.unable.forget(candidate.plugin.name, media_type)
        assert conversion is not None  # `convert` never returns None: the runner refuses it
        _check(conversion, candidate, max_pages=options.max_pages(runtime.settings.max_pages))
        return Draft(
            document=document,
            candidate=candidate,
            conversion=conversion,
            converted=conversion,
            evidence=QualityEvidence(media_type=media_type),
        )

    def _settings_for(self, candidate: Candidate) -> SpeechSettings | LayoutSettings | None:
        """Return the settings that apply to this plugin and kind of document; None if none do."""
        settings = self.document.runtime.settings
        weights = candidate.plugin.manifest.weights
        if weights is not None and weights.setting == LAYOUT_SETTING:
            return settings.layout
        is_heard = self.document.inspection.detected.format.category is Category.AUDIO
        return settings.speech if is_heard else None


def _check(conversion: Conversion, candidate: Candidate, *, max_pages: int) -> None:
    """Check what the model cannot validate. The conversion comes from a worker and is not trusted.

    Raises:
        ContentTooLarge: the conversion has more pages than allowed.
        ContractViolation: a page has no text, or an attachment does not match its declared size and hash.
    """
    plugin = candidate.plugin.name
    if len(conversion.pages) > max_pages:
        raise ContentTooLarge(
            f"the document has {len(conversion.pages)} pages; at most {max_pages} are allowed",
            plugin=plugin,
            remedy=how_to_raise("max_pages"),
        )
    if any(page.text is None for page in conversion.pages):
        raise ContractViolation("the conversion has a page without text", plugin=plugin)
    for item in conversion.attachments:
        if item.data is not None and (len(item.data), hashlib.sha256(item.data).hexdigest()) != (
            item.size,
            item.sha256,
        ):
            raise ContractViolation(
                f"attachment {item.name!r} does not match its declared size and hash", plugin=plugin
            )
