"""`library.routing`: the rules of profiles, what sampling measured of them, and the user's decisions (CNV-4)."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from typing import Literal

from octavo.conversion.conversion_services import ConversionServices
from octavo.conversion.inspection import routing_types_of
from octavo.conversion.options import ConvertOptions
from octavo.conversion.page_repair import has_origins
from octavo.conversion.routing import RoutingOverride
from octavo.plugins import PluginInfo
from octavo.profiles.profile import Profile
from octavo.text.canonical import CanonicalText
from octavo_contracts import LibraryDamaged, UsageError

from ...ingestion.sampling.measures import Reading
from ...ingestion.sampling.readings import reading_of_result
from ...ingestion.sampling.verdicts import standing
from ...observability.audit import AuditAction
from ...storage import DocumentRecord
from ...storage.recognised_pages import LibraryPages
from ...storage.version_files import CANONICAL, CONVERTED, TOOL, read_result, version_refs
from ...storage.version_reader import VersionFiles
from ..context import LibraryContext
from ..lookup import find_document
from .compare import Comparison, checked_pair, compare_opened
from .rules import ProfileState, RoutingRule, routing_preferences, state_of


class RoutingReview:
    """How an open library routes its documents, and what the user decided of that.

    Args:
        context: the library's parts.
    """

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def rules(self, profile: str | None = None) -> ProfileState:
        """A profile's rules, what sampling found out of them, and what was decided (CNV-4).

        Args:
            profile: a shipped name, or the path of a TOML file; None: the settings'.

        Raises:
            UsageError: no such profile.
        """
        rules = self._context.runtime.profile(profile)
        return state_of(
            rules,
            self._context.runtime.catalogue,
            self._context.index.comparisons.all(profile=rules.key),
            self._context.index.comparisons.verdicts(profile=rules.key),
        )

    def pending(self, profile: str | None = None) -> tuple[RoutingRule, ...]:
        """The rules of a profile that ask for a review: two plugins gave very different things.

        Raises:
            UsageError: no such profile.
        """
        return tuple(rule for rule in self.rules(profile).rules if rule.pending)

    def decide(
        self,
        routing_type: str,
        *,
        prefer: str | None,
        profile: str | None = None,
        by: str = "user",
        note: str = "",
    ) -> RoutingRule:
        """Decide on a rule: from now on its documents go to this plugin first, and the flag is settled.

        The decision stands until it is taken back (`undo`); documents that are there are not converted again.

        Args:
            routing_type: the rule.
            prefer: the plugin; None: the rule is right as it is.
            profile: whose rule; None: the settings'.
            by: who says so.
            note: why.

        Raises:
            UsageError: no such profile, rule or plugin, or the plugin reads no documents of that kind.
        """
        rules = self._context.runtime.profile(profile)
        self._rule(rules, routing_type)
        if prefer is not None:
            _check_reads(self._context.runtime.catalogue.get(prefer), routing_type)
        action: Literal["prefer", "keep"] = "keep" if prefer is None else "prefer"
        self._context.index.comparisons.decide(rules.key, routing_type, action=action, tool=prefer, by=by, note=note)
        self._context.audit.record(AuditAction.ROUTING_DECIDED, routing_type=routing_type, decision=action, tool=prefer)
        return self._rule(rules, routing_type)

    def undo(self, routing_type: str, *, profile: str | None = None, by: str = "user", note: str = "") -> RoutingRule:
        """Take back the last decision on a rule that stands; the one before it, or the profile, holds again.

        Raises:
            UsageError: no such profile or rule, or nothing was decided.
        """
        rules = self._context.runtime.profile(profile)
        last = standing(self._rule(rules, routing_type).history)
        if last is None:
            raise UsageError(f"nothing was decided of {routing_type} in profile {rules.name}")
        self._context.index.comparisons.decide(
            rules.key, routing_type, action="undo", by=by, note=note, undoes=last.verdict_id
        )
        self._context.audit.record(
            AuditAction.ROUTING_DECIDED, routing_type=routing_type, decision="undo", tool=last.tool
        )
        return self._rule(rules, routing_type)

    def compare(
        self,
        document: str | os.PathLike[str],
        *,
        plugins: Sequence[str],
        profile: str | None = None,
        password: str | None = None,
        timeout: float | None = None,
        cancel: threading.Event | None = None,
    ) -> Comparison:
        """Compare what two plugins make of a document of this library. Nothing is kept.

        A version that one of them made is read; what is not there is converted now, from the original.

        Args:
            document: as `Library.document` takes it.
            plugins: the two plugins.
            profile: whose threshold counts; None: the settings'.
            password: of an encrypted document.
            timeout: seconds a plugin may take.
            cancel: set it from another thread to stop.

        Raises:
            UsageError: no such document, plugin or profile.
            SourceMissing: no path leads to the original any more.
            OctavoError: a plugin cannot convert it.
        """
        pair = checked_pair(self._context.runtime, plugins)
        found = find_document(self._context, os.fspath(document))
        options = ConvertOptions(profile=profile, password=password, timeout=timeout, cancel=cancel)
        index = self._context.index
        pages = LibraryPages(
            self._context.artifacts, note=lambda page: index.purges.record_ocr_pages(found.id, (page,))
        )
        with found.original.open() as source:
            return compare_opened(
                self._context.runtime,
                source,
                options,
                pair,
                stored=lambda tool: self._stored_reading(found.id, tool),
                services=ConversionServices(types=index.document_types.by_hand, pages=pages),
            )

    def preferences(self, profile: str | None = None) -> tuple[tuple[str, RoutingOverride], ...]:
        """What the user's decisions say of the routing of documents that come in now, by routing type.

        Raises:
            UsageError: no such profile.
        """
        return routing_preferences(self._context, profile)

    # -- inside ---------------------------------------------------------------------------------------------

    def _rule(self, profile: Profile, routing_type: str) -> RoutingRule:
        state = state_of(
            profile,
            self._context.runtime.catalogue,
            self._context.index.comparisons.all(profile=profile.key),
            self._context.index.comparisons.verdicts(profile=profile.key),
        )
        for rule in state.rules:
            if rule.routing_type == routing_type:
                return rule
        raise UsageError(
            f"profile {profile.name} has no rule for {routing_type!r}",
            remedy=f"It has rules for {', '.join(rule.routing_type for rule in state.rules)}",
        )

    def _stored_reading(self, document_id: str, tool: str) -> tuple[Reading, int] | None:
        """The newest version that a plugin made alone and that is whole, with its number."""
        record = self._context.index.documents.get(document_id)
        for row in reversed(self._context.index.versions.of_document(document_id)):
            if row.tool != tool or row.purged_at is not None or row.damaged_at is not None:
                continue
            try:
                reading = self._read_version(record, row.version, tool)
            except LibraryDamaged:
                continue
            if reading is not None:
                return reading, row.version
        return None

    def _read_version(self, record: DocumentRecord, version: int, tool: str) -> Reading | None:
        files = VersionFiles(
            self._context.artifacts,
            raw_hash=record.raw_hash,
            version=version,
            document=record.title or record.document_id,
        )
        made = json.loads(files.text(TOOL))
        if has_origins(made):
            return None
        result = read_result(
            files.read,
            document_id=record.document_id,
            refs=version_refs(record.raw_hash, version, original=record.original_ref or ""),
            chunking_version=self._context.runtime.settings.chunking.version,
            source_instance_id=None,
        )
        return reading_of_result(
            result,
            CanonicalText.from_archive(files.text(CANONICAL)),
            files.text(CONVERTED),
            tool=tool,
            engine_version=made.get("engine_version"),
        )


def _check_reads(plugin: PluginInfo, routing_type: str) -> None:
    """Refuse to put a plugin first for documents that it cannot read: every one of them would pass it over."""
    manifest = plugin.manifest
    if "convert" not in manifest.hooks:
        raise UsageError(f"plugin {plugin.name!r} does not convert")
    if not any(routing_type in routing_types_of(media_type) for media_type in manifest.media_types):
        raise UsageError(
            f"plugin {plugin.name!r} reads no documents of the kind {routing_type!r}",
            remedy=f"It reads {', '.join(manifest.media_types)}",
        )
