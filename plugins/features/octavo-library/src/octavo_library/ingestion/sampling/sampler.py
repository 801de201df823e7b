"""Selects the first documents of a profile for a second conversion (CNV-4).

An ingestion never waits for a second conversion: it only selects the document, and the transaction that completes the
document's job records the comparison that waits (`octavo_library.facade.routing_review.sampling` makes it). If the process
is killed before that transaction, the document is not selected, and may be when its bytes are given again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from octavo.builtins.classification.inspection import Inspection
from octavo.conversion.inspection import routing_type
from octavo.conversion.states import ConversionOutcome, ConvertedVersion
from octavo.plugins import PluginInfo
from octavo.profiles.profile import Profile
from octavo.runtime import Runtime
from octavo_contracts import Capability
from octavo_sandbox.preflight.report import ENCRYPTED

from ...storage.index.comparisons import FIRST, NewComparison, Sampled, engines_text
from .measures import Measured, compare_readings
from .readings import reading_of


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A document that is to be converted by a second plugin as well, without job and version.

    Attributes:
        profile: key of the profile.
        routing_type: the rule.
        occasion: `first`, or `drift:` and the engines.
        places: how many first documents the profile samples.
        first: the plugin that routing chose.
        second: the second plugin.
        measured: the comparison, if an escalation made the second conversion anyway; None: it waits.
        threshold: difference above which a metric diverges.
    """

    profile: str
    routing_type: str
    occasion: str
    places: int
    first: PluginInfo
    second: PluginInfo
    measured: Measured | None
    threshold: float

    def as_json(self) -> dict[str, Any]:
        """The content of `comparison.json`: the fields of `NewComparison` except document, version, job and run."""
        measured = self.measured
        return {
            "profile": self.profile,
            "routing_type": self.routing_type,
            "occasion": self.occasion,
            "places": self.places,
            "tool_a": self.first.name,
            "engine_a": self.first.engine_version,
            "tool_b": self.second.name,
            "engine_b": self.second.engine_version,
            "metrics": metrics_json(measured) if measured else {},
            "agreement": measured.agreement if measured else None,
            "threshold": self.threshold,
            "diverges": measured is not None and bool(measured.diverging),
            "failure": None,
            "seconds": 0.0,
        }


def metrics_json(measured: Measured) -> dict[str, dict[str, Any]]:
    """The metrics as JSON values, by name."""
    return {
        name: {"a": one.a, "b": one.b, "difference": one.difference, "diverges": one.diverges}
        for name, one in measured.metrics.items()
    }


def to_record(
    finding: dict[str, Any], *, document_id: str, version: int, job_id: str, run_id: str | None
) -> NewComparison:
    """The index row for a finding that `Finding.as_json` serialized."""
    return NewComparison(**finding, document_id=document_id, version=version, job_id=job_id, run_id=run_id)


@dataclass(slots=True)
class _Places:
    """This process's view of the sampling of one profile."""

    taken: set[str] = field(default_factory=set)
    full: Sampled | None = None


class Sampler:
    """Selects documents for a second conversion. Thread-safe.

    Args:
        runtime: plugins and settings.
        sampled: reads the sampling state of a profile by its key.
    """

    def __init__(self, runtime: Runtime, *, sampled: Callable[[str], Sampled]) -> None:
        self._runtime = runtime
        self._sampled = sampled
        self._lock = threading.Lock()
        self._places: dict[str, _Places] = {}

    def select(self, outcome: ConversionOutcome, *, document_id: str) -> Finding | None:
        """Select a document as a sample, and reserve its place.

        Args:
            outcome: the outcome of the routed conversion.
            document_id: its id.

        Returns:
            None if the document is not sampled: sampling is off, no other plugin can convert it, only the caller knows its
            password, or the profile has enough samples.
        """
        document = outcome.versions[0].draft.document
        profile = self._runtime.profile(document.options.profile)
        plan, kind = profile.sampling, routing_type(outcome.inspection).value
        if not self._runtime.settings.sampling or not plan.documents or outcome.route.is_wish or kind not in plan.pairs:
            return None
        first = outcome.versions[0]
        if not first.texts.canonical.text:
            return None
        locked = document.options.password is not None and _may_be_locked(outcome.inspection)
        if locked and self._runtime.settings.password is None:
            return None
        second = self._second(
            profile, kind, first.candidate.plugin, outcome.inspection.detected.media_type, locked=locked
        )
        if second is None:
            return None
        occasion = self._occasion(profile, document.source.raw_file_hash, document_id, first.candidate.plugin, second)
        if occasion is None:
            return None
        other = _made_anyway(outcome, second)
        return Finding(
            profile=profile.key,
            routing_type=kind,
            occasion=occasion,
            places=plan.documents,
            first=first.candidate.plugin,
            second=second,
            measured=compare_readings(reading_of(first), reading_of(other), threshold=plan.threshold)
            if other
            else None,
            threshold=plan.threshold,
        )

    def give_back(self, profile: str, document_id: str) -> None:
        """Return the place of a document that was not sampled in the end."""
        with self._lock:
            self._places.setdefault(profile, _Places()).taken.discard(document_id)

    def _second(
        self, profile: Profile, kind: str, first: PluginInfo, media_type: str, *, locked: bool
    ) -> PluginInfo | None:
        """The first plugin of the pair that is installed, reads the media type, and has not converted the document yet.

        A document that was opened with a password needs a plugin that takes passwords: any other would fail.
        """
        readers = {plugin.name: plugin for plugin in self._runtime.catalogue.having("convert", media_type=media_type)}
        for name in profile.sampling.pairs[kind]:
            plugin = readers.get(name)
            if plugin is None or name == first.name or plugin.missing() is not None:
                continue
            if self._runtime.unable.knows(name, media_type):
                continue
            if not locked or Capability.PASSWORDS in plugin.manifest.capabilities:
                return plugin
        return None

    def _occasion(
        self, profile: Profile, raw_hash: str, document_id: str, first: PluginInfo, second: PluginInfo
    ) -> str | None:
        """Why a document is sampled now, or None. Its place is reserved until it is counted or returned.

        Once a profile has enough samples, the index is no longer queried.
        """
        with self._lock:
            places = self._places.setdefault(profile.key, _Places())
            if places.full is None:
                so_far = self._sampled(profile.key)
                if so_far.counted >= profile.sampling.documents:
                    places.full = so_far
                elif document_id in so_far.documents:
                    return None
                elif so_far.counted + len(places.taken - so_far.documents - {document_id}) < profile.sampling.documents:
                    places.taken.add(document_id)
                    return FIRST
                else:
                    return None
            known = places.full.engines
        engines = engines_text(first.name, first.engine_version, second.name, second.engine_version)
        if engines in known or not profile.sampling.is_in_drift_sample(raw_hash, engines):
            return None
        return f"drift:{engines}"


def _made_anyway(outcome: ConversionOutcome, second: PluginInfo) -> ConvertedVersion | None:
    """The conversion by the second plugin if an escalation has already made it: the comparison is then free."""
    made = (one for one in outcome.versions[1:] if one.candidate.plugin is second and not one.repairs)
    return next(made, None)


def _may_be_locked(inspection: Inspection) -> bool:
    """Whether a document is encrypted or could not be inspected."""
    return inspection.classification is None or any(finding.flag == ENCRYPTED for finding in inspection.findings)
