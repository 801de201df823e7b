"""Corpora: their documents by state, their policy and their retention. A corpus sees itself alone."""

from __future__ import annotations

from octavo_library.facade.corpora import Corpus
from pydantic import Field

from ..problems import public_text
from ..screen import Query, Reader, Screen, View
from .retention import free_bytes


class CorporaQuery(Query):
    """No parameters."""


class CorpusView(View):
    """A corpus."""

    name: str = Field(description="Its name.")
    created_at: str = Field(description="When it was made, UTC.")
    documents: int = Field(description="Number of its documents.")
    visibility: str = Field(description="`ambient`, `cloud_allowed` or `firewalled`.")
    sensitivity: str = Field(description="`normal`, `privileged` or `local_only`.")
    cloud: bool = Field(description="Whether cloud services may process its documents.")
    retention: str = Field(description="`everything`, `active_only`, or a number of days.")
    profile: str | None = Field(description="Its routing rules, or null for those of the library.")
    plugin: str | None = Field(description="The plugin that converts its documents, or null.")
    standing: dict[str, int] = Field(description="State → number of documents, those that are arriving included.")
    failures: dict[str, int] = Field(description="Reason → number of failed documents.")
    original_bytes: int = Field(description="Size of the originals of its documents.")
    versions: int = Field(description="Number of active versions of its documents.")
    flags: dict[str, int] = Field(description="Degraded flag → number of documents.")
    accepted: int = Field(description="Documents that a user accepted with their flags.")
    phases: dict[str, int] = Field(description="Phase → number of documents that completed it.")


class LibraryExtentView(View):
    """How much the whole library holds."""

    documents: int = Field(description="Number of its documents.")
    original_bytes: int = Field(description="Size of their originals.")
    versions: int = Field(description="Number of stored versions.")
    flags: dict[str, int] = Field(description="Degraded flag → number of documents.")
    disk_free: int = Field(description="Free bytes of the disk.")
    disk_floor: int = Field(description="Bytes that are always kept free.")


class CorporaView(View):
    """The corpora that the asker may see."""

    library: LibraryExtentView | None = Field(description="The whole library; null for a corpus.")

    corpora: list[CorpusView] = Field(description="The corpora, by name.")


def build(reader: Reader, query: CorporaQuery) -> CorporaView:
    """Describe the corpora."""
    corpora = reader.library.corpora
    found = corpora.list() if reader.corpus is None else (corpora.get(reader.corpus),)
    return CorporaView(
        library=_library(reader) if reader.corpus is None else None,
        corpora=[_corpus(reader, corpus) for corpus in found],
    )


def _library(reader: Reader) -> LibraryExtentView:
    catalogue = reader.library.catalogue
    extent = catalogue.extent()
    return LibraryExtentView(
        documents=reader.counts.counts(catalogue, None).total,
        original_bytes=extent.original_bytes,
        versions=extent.versions,
        flags=extent.flags,
        disk_free=free_bytes(reader.library),
        disk_floor=reader.library.context.runtime.settings.engine.care.disk_floor,
    )


def _corpus(reader: Reader, corpus: Corpus) -> CorpusView:
    settings = corpus.settings
    status = reader.library.corpora.status(corpus.name)
    extent = reader.library.catalogue.extent(corpus=corpus.name)
    return CorpusView(
        name=corpus.name,
        created_at=corpus.created_at,
        documents=corpus.documents,
        visibility=settings.visibility,
        sensitivity=settings.sensitivity,
        cloud=settings.cloud,
        retention=str(settings.retention),
        profile=public_text(settings.profile) if settings.profile is not None else None,
        plugin=settings.plugin,
        standing={state.value: number for state, number in status.standing.items() if number},
        failures={reason.value: number for reason, number in status.failures.items() if number},
        original_bytes=extent.original_bytes,
        versions=extent.versions,
        flags=extent.flags,
        accepted=reader.counts.counts(reader.library.catalogue, corpus.name).accepted,
        phases={phase.value: number for phase, number in status.phases.items()},
    )


SCREEN = Screen(
    path="/corpora",
    template="corpora.html",
    summary="Show corpora: documents by state, policy, retention.",
    query=CorporaQuery,
    view=CorporaView,
    build=build,
)
