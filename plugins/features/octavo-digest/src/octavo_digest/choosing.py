"""Which scorer and which digestor are used: the core's own, or a service that a plugin offers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from octavo.plugins.services import Services
from octavo.text.canonical import CanonicalText
from octavo_contracts import Digestor, DigestOutcome, Scorer, UsageError

from .archiving import ArchivingDigestor
from .plain import PlainDigestor
from .policy import DigestPolicy, SourceQuality
from .scoring import DEFAULT_SCORER, SCORERS, scorer_named

CORE = "core"
"""Name of the digestor that is always there."""


@runtime_checkable
class StructuredDigestor(Protocol):
    """A digestor that also takes where the source's blocks begin, and so cuts at paragraphs (R-4)."""

    async def digest_canonical(
        self, text: CanonicalText, query: str, *, source_id: str, quality: SourceQuality = SourceQuality.UNKNOWN
    ) -> DigestOutcome:
        """Digest a canonical text with its structure."""


@dataclass(frozen=True, kw_only=True)
class DigestOptions:
    """What a caller asks of a digestor; equal options share one digestor, and with it one cache.

    Attributes:
        policy: off, auto or always.
        scorer: by name; None for the digestor's own choice.
        archive_dir: where the source's canonical text is kept; None keeps none.
        cloud: whether a model outside this machine may see the text (CNV-15).
        others: settings of the digestor's own.
    """

    policy: DigestPolicy = DigestPolicy.ALWAYS
    scorer: str | None = None
    archive_dir: Path | None = None
    cloud: bool = False
    others: tuple[tuple[str, Any], ...] = field(default=())

    def as_settings(self) -> dict[str, Any]:
        """What a digestor's factory is given."""
        settings: dict[str, Any] = {"policy": self.policy.value, "cloud": self.cloud, **dict(self.others)}
        if self.scorer is not None:
            settings["scorer"] = self.scorer
        if self.archive_dir is not None:
            settings["archive_dir"] = str(self.archive_dir)
        return settings


def choose_scorer(services: Services, name: str) -> Scorer:
    """A scorer by its name, for example 'bm25/v1': the core's, else a plugin's.

    Raises:
        UsageError: there is none of this name.
        ToolUnavailable: a plugin's scorer lacks what it needs.
    """
    if name in SCORERS:
        return scorer_named(name)
    for service in services.of_kind("scorer"):
        scorer = cast(Scorer, service.make())
        if scorer.name == name:
            return scorer
    return scorer_named(name)


def choose_digestor(services: Services, options: DigestOptions, *, name: str | None = None) -> Digestor:
    """The digestor of a plugin, else the core's.

    Args:
        services: what is installed.
        options: what is asked of it.
        name: the plugin; 'core' for the core's own; by default the best that is installed.

    Raises:
        UsageError: no such plugin or scorer; the core's is asked for a setting it does not have.
        ToolUnavailable: the plugin cannot be used.
    """
    service = None if name == CORE else services.find("digestor", name)
    if service is not None:
        return cast(Digestor, service.make(options.as_settings()))
    if options.others:
        raise UsageError(
            f"the core's digestor has no setting {options.others[0][0]!r}", remedy="Run: pip install octavo-digest"
        )
    plain = PlainDigestor(scorer=choose_scorer(services, options.scorer or DEFAULT_SCORER), policy=options.policy)
    return plain if options.archive_dir is None else ArchivingDigestor(plain, options.archive_dir)
