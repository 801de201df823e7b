"""Selects the scorer and the digestor: the core's own, or a service of a plugin."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from octavo.plugins.services import Services
from octavo_contracts import Digestor, DigestOutcome, Scorer, UsageError
from octavo_text.canonical import CanonicalText

from .archiving import ArchivingDigestor
from .plain import PlainDigestor
from .policy import DigestPolicy, SourceQuality
from .scoring import DEFAULT_SCORER, SCORERS, scorer_named

CORE = "core"
"""Name of the built-in digestor."""


@runtime_checkable
class StructuredDigestor(Protocol):
    """A digestor that also uses the structure of the source, and so cuts at paragraphs (R-4)."""

    async def digest_canonical(
        self, text: CanonicalText, query: str, *, source_id: str, quality: SourceQuality = SourceQuality.UNKNOWN
    ) -> DigestOutcome:
        """Digest a canonical text with its structure."""


@dataclass(frozen=True, kw_only=True)
class DigestOptions:
    """Options for a digestor; callers with equal options share a digestor and its cache.

    Attributes:
        policy: off, auto or always.
        scorer: name of the scorer; None for the digestor's default.
        archive_dir: folder in which canonical texts are archived; None: no archive.
        cloud: whether a model outside this machine may see the text (CNV-15).
        others: the digestor's own settings.
    """

    policy: DigestPolicy = DigestPolicy.ALWAYS
    scorer: str | None = None
    archive_dir: Path | None = None
    cloud: bool = False
    others: tuple[tuple[str, Any], ...] = field(default=())

    def as_settings(self) -> dict[str, Any]:
        """Return the settings for a digestor's factory."""
        settings: dict[str, Any] = {"policy": self.policy.value, "cloud": self.cloud, **dict(self.others)}
        if self.scorer is not None:
            settings["scorer"] = self.scorer
        if self.archive_dir is not None:
            settings["archive_dir"] = str(self.archive_dir)
        return settings


def choose_scorer(services: Services, name: str) -> Scorer:
    """Return a scorer by name, for example 'bm25/v1': the core's, else a plugin's.

    Raises:
        UsageError: there is no scorer of this name.
        ToolUnavailable: a requirement of a plugin's scorer is missing.
    """
    if name in SCORERS:
        return scorer_named(name)
    for service in services.of_kind("scorer"):
        scorer = cast(Scorer, service.make(services=services))
        if scorer.name == name:
            return scorer
    return scorer_named(name)


def choose_digestor(services: Services, options: DigestOptions, *, name: str | None = None) -> Digestor:
    """Return a plugin's digestor, else the core's.

    Args:
        services: the installed services.
        options: options for the digestor.
        name: the plugin; 'core' for the core's own; default: the best installed one.

    Raises:
        UsageError: unknown plugin or scorer, or a setting that the core's digestor does not have.
        ToolUnavailable: the plugin cannot be used.
    """
    service = None if name == CORE else services.find("digestor", name)
    if service is not None:
        return cast(Digestor, service.make(options.as_settings(), services=services))
    if options.others:
        raise UsageError(
            f"the core's digestor has no setting {options.others[0][0]!r}", remedy="Run: pip install octavo-digest"
        )
    plain = PlainDigestor(scorer=choose_scorer(services, options.scorer or DEFAULT_SCORER), policy=options.policy)
    return plain if options.archive_dir is None else ArchivingDigestor(plain, options.archive_dir)
