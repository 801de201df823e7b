"""`library.routing`: the rules of profiles, the measurements of sampling, and the user's decisions (CNV-4)."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal

from octavo.conversion.inspection import routing_types_of
from octavo.conversion.options import ConvertOptions
from octavo.conversion.routing import RoutingOverride
from octavo.plugins import PluginInfo
from octavo.profiles.profile import Profile
from octavo_contracts import UsageError

from ...ingestion.sampling.verdicts import standing
from ...observability.audit import AuditAction
from ...storage import StoredComparison
from ..context import LibraryContext
from ..lookup import find_document
from .compare import Comparison, checked_pair, compare_opened
from .rules import ProfileState, RoutingRule, routing_preferences, state_of
from .sampling import make_all_waiting, make_waiting
from .stored_reading import reading_services, stored_reading


class RoutingReview:
    """The routing rules of an open library, and the user's decisions on them.

    Args:
        context: the library's parts.
    """

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def rules(self, profile: str | None = None) -> ProfileState:
        """A profile's rules, with their sampling results and decisions (CNV-4).

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
            waiting=len(self._context.index.comparisons.waiting(profile=rules.key)),
        )

    def sample(
        self, profile: str | None = None, *, cancel: threading.Event | None = None
    ) -> Iterator[StoredComparison]:
        """Make the comparisons that wait, now; a library that stays open makes them by itself while it is idle (CNV-4).

        A comparison keeps waiting if its plugin is not available, or its document cannot be opened.

        Args:
            profile: a shipped name, or the path of a TOML file; None: the settings'.
            cancel: set it from another thread to stop.

        Yields:
            Each comparison when it is made.

        Raises:
            UsageError: no such profile.
            StorageError: the library cannot be written.
        """
        key = self._context.runtime.profile(profile).key
        return make_waiting(self._context, profile=key, cancel=cancel or threading.Event())

    def sample_when_idle(self) -> None:
        """Make the comparisons that wait in the background, once no ingestion has run for ten seconds (CNV-4).

        An ingestion calls this by itself; a server calls it for what earlier processes ingested.
        """
        with self._context.sampling.paused(partial(make_all_waiting, self._context)):
            pass

    def pending(self, profile: str | None = None) -> tuple[RoutingRule, ...]:
        """The rules of a profile to review: the conversions of two plugins diverge.

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
        """Decide on a rule: new documents of its type go to this plugin first, and pending reviews are closed.

        The decision applies until it is undone (`undo`); existing documents are not converted again.

        Args:
            routing_type: the rule.
            prefer: the plugin; None: keep the rule as it is.
            profile: the profile of the rule; None: the settings'.
            by: author of the decision.
            note: reason of the decision.

        Raises:
            UsageError: no such profile, rule or plugin, or the plugin cannot read documents of that type.
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
        """Undo the decision in force on a rule; the one before it, or the profile, applies again.

        Raises:
            UsageError: no such profile or rule, or there is no decision.
        """
        rules = self._context.runtime.profile(profile)
        last = standing(self._rule(rules, routing_type).history)
        if last is None:
            raise UsageError(f"rule {routing_type} of profile {rules.name} has no decision to undo")
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
        """Compare the conversions of a document of this library by two plugins. Nothing is stored.

        A stored version by one of them is reused; a missing one is converted now, from the original.

        Args:
            document: as for `Library.document`.
            plugins: the two plugins.
            profile: profile with the threshold; None: the settings'.
            password: password of an encrypted document.
            timeout: seconds that a plugin may take.
            cancel: set it from another thread to stop.

        Raises:
            UsageError: no such document, plugin or profile.
            SourceMissing: the original is at none of its known paths.
            OctavoError: a plugin cannot convert the document.
        """
        pair = checked_pair(self._context.runtime, plugins)
        found = find_document(self._context, os.fspath(document))
        options = ConvertOptions(profile=profile, password=password, timeout=timeout, cancel=cancel)
        with found.original.open() as source:
            return compare_opened(
                self._context.runtime,
                source,
                options,
                pair,
                stored=lambda tool: stored_reading(self._context, found.id, tool),
                services=reading_services(self._context, found.id),
            )

    def preferences(self, profile: str | None = None) -> tuple[tuple[str, RoutingOverride], ...]:
        """The plugins that the user's decisions prefer for new documents, by routing type.

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


def _check_reads(plugin: PluginInfo, routing_type: str) -> None:
    """Check that a preferred plugin can read documents of the type; otherwise it would never be used."""
    manifest = plugin.manifest
    if "convert" not in manifest.hooks:
        raise UsageError(f"plugin {plugin.name!r} is not a converter")
    if not any(routing_type in routing_types_of(media_type) for media_type in manifest.media_types):
        raise UsageError(
            f"plugin {plugin.name!r} cannot read documents of type {routing_type!r}",
            remedy=f"It reads {', '.join(manifest.media_types)}",
        )
