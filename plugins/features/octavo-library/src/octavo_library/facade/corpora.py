"""`library.corpora`: named sets of documents with a policy and settings of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from octavo.text.chunking import chunking_named
from octavo_contracts import Capability, UsageError

from ..observability.audit import AuditAction
from ..storage import CorpusRecord, PolicyContext, Status
from .context import LibraryContext
from .document import Document
from .maintenance import Retention
from .maintenance.retention import SETTING

VISIBILITIES = ("ambient", "cloud_allowed", "firewalled")
"""Where a corpus's documents may go: into every search; to cloud services too; or only into searches in the corpus."""

SENSITIVITIES = ("normal", "privileged", "local_only")
"""How they must be handled."""


@dataclass(frozen=True, kw_only=True)
class CorpusSettings:
    """What applies to the documents of a corpus.

    Attributes:
        visibility: one of `VISIBILITIES`; part of the policy context (STO-5).
        sensitivity: one of `SENSITIVITIES`; the other part.
        profile: routing rules: a shipped name or the path of a TOML file; None for the library's.
        chunking: the chunk sets that searches in it read, as `fixed-TARGET-MAXIMUM-MINIMUM`; None for the library's.
        retention: "everything", "active_only", or a number of days (STO-6).
        entities: whether entities are looked for; None: as its profile and document types say (ENT-1).
        cloud: whether cloud services may be used for it; never for firewalled, privileged or local-only documents.
        plugin: the plugin that converts its documents; None: routing chooses.
    """

    visibility: str = "ambient"
    sensitivity: str = "normal"
    profile: str | None = None
    chunking: str | None = None
    retention: str | int = "everything"
    entities: bool | None = None
    cloud: bool = False
    plugin: str | None = None

    def check(self) -> None:
        """Raise unless the settings are known and go together; profile and plugin are the library's to check.

        Raises:
            UsageError: they do not.
        """
        for name, value, known in (
            ("visibility", self.visibility, VISIBILITIES),
            ("sensitivity", self.sensitivity, SENSITIVITIES),
        ):
            if value not in known:
                raise UsageError(f"there is no {name} {value!r}", remedy=f"Give one of {', '.join(known)}")
        if self.chunking is not None:
            chunking_named(self.chunking)
        Retention.parse(self.retention)
        if self.cloud and (self.visibility == "firewalled" or self.sensitivity != "normal"):
            raise UsageError(
                f"a corpus that is {self.visibility} and {self.sensitivity} cannot use cloud services",
                remedy="Leave cloud off, or change visibility and sensitivity",
            )

    @property
    def policy(self) -> PolicyContext:
        """The policy context in which its documents come in."""
        return PolicyContext(visibility=self.visibility, sensitivity=self.sensitivity, scope_basis="corpus")


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """A corpus as it was when it was asked for.

    Attributes:
        id: its id.
        name: what users call it; unique in the library.
        created_at: ISO 8601, UTC.
        documents: how many documents it has.
        settings: what applies to them.
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

    def get(self, name: str) -> Corpus:
        """A corpus by its name or id.

        Raises:
            UsageError: there is none.
        """
        return self._corpus_of(self._context.index.corpora.get(name))

    def create(self, name: str, settings: CorpusSettings | None = None) -> Corpus:
        """Create a corpus. Ingesting into one that is not there creates it with the default settings.

        Raises:
            UsageError: there is one of that name; or a setting is unknown, see `CorpusSettings.check`.
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
        """Give a corpus other settings: `dataclasses.replace(library.corpora.get(name).settings, …)`.

        Its documents follow its policy: where visibility or sensitivity change, their ways in get the new policy
        context and so new ids; the log of events keeps the old ones. Nothing is converted or chunked again.

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
        """Settings that nothing installed here supports, a sentence each. They are kept, and apply once something does.

        Args:
            settings: of a corpus.
        """
        plugins = tuple(self._context.runtime.catalogue)
        missing = []
        if settings.entities and not any("extract_entities" in plugin.manifest.hooks for plugin in plugins):
            missing.append("no installed plugin finds entities, so none are looked for")
        if settings.cloud and not any(Capability.NETWORK in plugin.manifest.capabilities for plugin in plugins):
            missing.append("no installed plugin uses a cloud service, so none is used")
        return tuple(missing)

    def remove_document(self, document: str | Document, corpus: str) -> bool:
        """Take a document out of a corpus; it stays in the library with all that was made of it (STO-12).

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
        # A document that the corpus may not see is as unknown to it as one that is not there.
        ref = document if isinstance(document, str) else document.id
        document_id, corpus_id = index.documents.resolve(ref, policy=record.policy), record.corpus_id
        was_in = index.paths.remove_membership(document_id, corpus_id)
        if was_in:
            self._context.audit.record(AuditAction.REMOVED, document_id=document_id, corpus_id=corpus_id)
        return was_in

    def set_retention(self, corpus: str, rule: Literal["everything", "active_only"] | int) -> None:
        """Say how long versions of a corpus's documents stay once another took their place (STO-6).

        Args:
            corpus: the corpus.
            rule: "everything" (the default), "active_only", or a number of days.

        Raises:
            UsageError: no such corpus, or no such rule.
        """
        Retention.parse(rule)
        index = self._context.index
        index.corpora.set_setting(index.corpora.get(corpus).corpus_id, SETTING, rule)

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
                cloud=others.get("cloud", False),
                plugin=self._context.index.corpora.get_override(corpus_id=record.corpus_id),
            ),
        )


def _audited(settings: CorpusSettings) -> dict[str, Any]:
    """What decides over who may see and keep a corpus's documents; not what they are converted with."""
    names = ("visibility", "sensitivity", "cloud", "entities", "retention")
    return {name: getattr(settings, name) for name in names}


_KEYS = ("retention", "entities", "cloud")
"""The settings that stand in the corpus's `overrides_json`."""


def _overrides(settings: CorpusSettings) -> dict[str, Any]:
    """The settings without a column, as far as they differ from the defaults."""
    defaults = CorpusSettings()
    return {key: getattr(settings, key) for key in _KEYS if getattr(settings, key) != getattr(defaults, key)}
