"""`library.corpora`: named sets of documents, each with its own policy and settings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from octavo.conversion.options import check_limits
from octavo_contracts import Capability, UsageError
from octavo_text.chunking import chunking_named

from ..entities.opt_in import LABELS, check_labels
from ..ingestion.model_cost import prices_of
from ..observability.audit import AuditAction
from ..storage import CorpusRecord, PolicyContext, Status
from ..summaries import installed_makers
from ..summaries.opt_in import BRIEFS, NO_MAKER
from .context import LibraryContext
from .document import Document
from .maintenance.retention import SETTING, Retention
from .runs.cost_guard import COST_LIMIT

VISIBILITIES = ("ambient", "cloud_allowed", "firewalled")
"""Visibility of a corpus's documents: in every search; also to cloud services; only in searches in the corpus."""

SENSITIVITIES = ("normal", "privileged", "local_only")
"""Sensitivity of a corpus's documents."""


@dataclass(frozen=True, kw_only=True)
class CorpusSettings:
    """The settings of a corpus.

    Attributes:
        visibility: one of `VISIBILITIES`; part of the policy context (STO-5).
        sensitivity: one of `SENSITIVITIES`; part of the policy context.
        profile: routing rules: a shipped name or the path of a TOML file; None: the library's.
        chunking: chunk sets for searches in the corpus, as `fixed-TARGET-MAXIMUM-MINIMUM`; None: the library's.
        retention: "everything", "active_only", or a number of days (STO-6).
        entities: whether to extract entities; None: as its profile and document types say (ENT-1).
        entity_types: the entity types to extract from its documents, in lower case; empty: those of the settings (ENT-1).
        briefs: whether briefs are made in the background; None: as the settings say (INT-1).
        cloud: whether cloud services may process its documents; never firewalled, privileged or local-only ones.
        plugin: the plugin that converts its documents; None: routing chooses.
        limits: limits on the size of its documents that differ from the defaults (`octavo_sandbox.preflight.RAISABLE`);
            the higher one applies to a document of two corpora (ENG-20).
        cost_limit: US dollars that the paid calls of one run into the corpus may cost; a run above it stops until it is
            confirmed (ENG-24). None: no limit.
    """

    visibility: str = "ambient"
    sensitivity: str = "normal"
    profile: str | None = None
    chunking: str | None = None
    retention: str | int = "everything"
    entities: bool | None = None
    entity_types: tuple[str, ...] = ()
    briefs: bool | None = None
    cloud: bool = False
    plugin: str | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    cost_limit: float | None = None

    def check(self) -> None:
        """Check that the settings are valid and compatible; the library checks profile and plugin.

        Raises:
            UsageError: a setting is unknown, or two settings are incompatible.
        """
        for name, value, known in (
            ("visibility", self.visibility, VISIBILITIES),
            ("sensitivity", self.sensitivity, SENSITIVITIES),
        ):
            if value not in known:
                raise UsageError(f"unknown {name} {value!r}", remedy=f"Give one of {', '.join(known)}")
        if self.chunking is not None:
            chunking_named(self.chunking)
        Retention.parse(self.retention)
        check_limits(self.limits)
        if self.entity_types:
            check_labels(self.entity_types)
        if self.cost_limit is not None and not 0 <= self.cost_limit < math.inf:
            raise UsageError(f"cost_limit must be a number of US dollars, got {self.cost_limit}")
        if self.cloud and (self.visibility == "firewalled" or self.sensitivity != "normal"):
            raise UsageError(
                f"cloud services are not allowed for a corpus that is {self.visibility} and {self.sensitivity}",
                remedy="Turn cloud off, or change visibility and sensitivity",
            )

    @property
    def policy(self) -> PolicyContext:
        """The policy context of its documents."""
        return PolicyContext(visibility=self.visibility, sensitivity=self.sensitivity, scope_basis="corpus")


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """A snapshot of a corpus.

    Attributes:
        id: its id.
        name: its name, unique in the library.
        created_at: ISO 8601, UTC.
        documents: number of its documents.
        settings: its settings.
    """

    id: str
    name: str
    created_at: str
    documents: int
    settings: CorpusSettings


class Corpora:
    """The corpora of an open library.

    Args:
        context: the library's parts.
    """

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def list(self) -> tuple[Corpus, ...]:
        """Every corpus, by name."""
        return tuple(self._corpus_of(record) for record in self._context.index.corpora.all())

    def names(self) -> tuple[str, ...]:
        """The name of every corpus, sorted; without a look at their documents."""
        return self._context.index.corpora.names()

    def get(self, name: str) -> Corpus:
        """A corpus by its name or id.

        Raises:
            UsageError: no such corpus.
        """
        return self._corpus_of(self._context.index.corpora.get(name))

    def create(self, name: str, settings: CorpusSettings | None = None) -> Corpus:
        """Create a corpus. Ingesting into a missing corpus also creates it, with the default settings.

        Raises:
            UsageError: the name is taken, or a setting is invalid (`CorpusSettings.check`).
            StorageError: the library cannot be written.
        """
        wanted = settings or CorpusSettings()
        self._check_settings(wanted)
        record = self._context.index.corpora.create(
            name,
            profile=wanted.profile,
            visibility=wanted.visibility,
            sensitivity=wanted.sensitivity,
            overrides=_overrides(wanted),
            chunking_config_version=wanted.chunking,
        )
        if wanted.plugin is not None:
            self._context.index.corpora.set_override(wanted.plugin, corpus_id=record.corpus_id, by="user")
        made = self._corpus_of(record)
        self._context.audit.record(AuditAction.CORPUS_CREATED, corpus_id=made.id, **_audited(wanted))
        return made

    def update(self, name: str, settings: CorpusSettings) -> Corpus:
        """Change the settings of a corpus: `dataclasses.replace(library.corpora.get(name).settings, …)`.

        Its documents follow its policy: if visibility or sensitivity change, their provenances get the new policy
        context and so new ids; the log of events keeps the old ids. Nothing is converted or chunked again.

        Raises:
            UsageError: no such corpus, or as `create`.
            StorageError: the library cannot be written.
        """
        record = self._context.index.corpora.get(name)
        self._check_settings(settings)
        self._context.index.corpora.update(
            record.corpus_id,
            policy=settings.policy,
            profile=settings.profile,
            chunking_config_version=settings.chunking,
            overrides=dict.fromkeys(_KEYS) | _overrides(settings),
            plugin=settings.plugin,
        )
        self._context.audit.record(AuditAction.CORPUS_CHANGED, corpus_id=record.corpus_id, **_audited(settings))
        return self.get(record.corpus_id)

    def unsupported(self, settings: CorpusSettings) -> tuple[str, ...]:
        """One sentence for each setting that has no effect yet: no installed plugin supports it, or another one is missing.

        Args:
            settings: settings of a corpus.
        """
        plugins = tuple(self._context.runtime.catalogue)
        missing = []
        if settings.entities and not any("extract_entities" in plugin.manifest.hooks for plugin in plugins):
            missing.append("no installed plugin extracts entities")
        if settings.briefs and not installed_makers():
            missing.append(NO_MAKER)
        if settings.cloud and not any(Capability.NETWORK in plugin.manifest.capabilities for plugin in plugins):
            missing.append("no installed plugin uses a cloud service")
        if settings.cost_limit is not None and not prices_of(self._context.runtime):
            missing.append("the price of a page is unknown, so the cost limit has no effect: set ocr.service_price")
        return tuple(missing)

    def remove_document(self, document: str | Document, corpus: str) -> bool:
        """Remove a document from a corpus; it stays in the library with all its versions (STO-12).

        Args:
            document: the document, or what `Library.document` takes.
            corpus: the corpus.

        Returns:
            Whether it was in the corpus.

        Raises:
            UsageError: no such document or corpus.
        """
        index = self._context.index
        record = index.corpora.get(corpus)
        # A document that the corpus may not see is reported like one that does not exist.
        ref = document if isinstance(document, str) else document.id
        document_id, corpus_id = index.documents.resolve(ref, policy=record.policy), record.corpus_id
        was_in = index.paths.remove_membership(document_id, corpus_id)
        if was_in:
            self._context.audit.record(AuditAction.REMOVED, document_id=document_id, corpus_id=corpus_id)
        return was_in

    def set_retention(self, corpus: str, rule: Literal["everything", "active_only"] | int) -> None:
        """Set how long superseded versions of a corpus's documents are kept (STO-6).

        Args:
            corpus: the corpus.
            rule: "everything" (the default), "active_only", or a number of days.

        Raises:
            UsageError: no such corpus, or an invalid rule.
        """
        Retention.parse(rule)
        index = self._context.index
        record = index.corpora.get(corpus)
        index.corpora.set_setting(record.corpus_id, SETTING, rule)
        settings = self.get(record.corpus_id).settings
        self._context.audit.record(AuditAction.CORPUS_CHANGED, corpus_id=record.corpus_id, **_audited(settings))

    def status(self, name: str) -> Status:
        """Progress of the documents of a corpus (ENG-17).

        Raises:
            UsageError: no such corpus.
        """
        return self._context.index.status.of_corpus(self._context.index.corpora.get(name).corpus_id)

    def _check_settings(self, settings: CorpusSettings) -> None:
        settings.check()
        if settings.profile is not None:
            self._context.runtime.profile(settings.profile)
        if settings.plugin is not None:
            self._context.runtime.catalogue.get(settings.plugin)

    def _corpus_of(self, record: CorpusRecord) -> Corpus:
        others = record.overrides
        return Corpus(
            id=record.corpus_id,
            name=record.name,
            created_at=record.created_at,
            documents=sum(self._context.index.documents.status_counts(corpus_id=record.corpus_id).values()),
            settings=CorpusSettings(
                visibility=record.policy.visibility,
                sensitivity=record.policy.sensitivity,
                profile=record.profile,
                chunking=record.chunking_config_version,
                retention=others.get("retention", "everything"),
                entities=others.get("entities"),
                entity_types=tuple(others.get(LABELS) or ()),
                briefs=others.get(BRIEFS),
                cloud=others.get("cloud", False),
                limits=others.get("limits") or {},
                cost_limit=others.get(COST_LIMIT),
                plugin=self._context.index.corpora.get_override(corpus_id=record.corpus_id),
            ),
        )


def _audited(settings: CorpusSettings) -> dict[str, Any]:
    """The settings for the audit log: those for access and retention, without those for conversion."""
    names = ("visibility", "sensitivity", "cloud", "entities", "retention")
    return {name: getattr(settings, name) for name in names}


_KEYS = ("retention", "entities", LABELS, BRIEFS, "cloud", "limits", COST_LIMIT)
"""The settings that are stored in the corpus's `overrides_json`."""


def _overrides(settings: CorpusSettings) -> dict[str, Any]:
    """The settings without a column that differ from the defaults."""
    defaults = CorpusSettings()
    differing = {key: getattr(settings, key) for key in _KEYS if getattr(settings, key) != getattr(defaults, key)}
    return {key: _stored(value) for key, value in differing.items()}


def _stored(value: Any) -> Any:
    """A setting as JSON has it."""
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value
