"""What a run asks of the world outside of it: searches, the texts of documents, and the time (RES-5, RES-19).

A run asks through `Sources` alone, so that a recording can stand in for the library.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from octavo_contracts import OctavoError
from octavo_library.ingestion.cloud_owners import owners_of_document, recorded
from octavo_library.storage.version_files import version_refs
from octavo_retrieval import Scope
from octavo_sandbox.egress.gate import RecordedOwners
from octavo_sandbox.egress.policy import CloudRequest
from octavo_text.canonical import CanonicalText

from .corpus_provider import Passage, search_corpus
from .source_reader import SourceReading, read_source
from .web_gathering import WebGathering

NAME_CHARS = 300
"""Code points of a document's beginning that count as its name: a title page says whose document it is."""


@dataclass(frozen=True, kw_only=True)
class SearchResult:
    """Passages for a sub-query.

    Attributes:
        hits: the passages, best first.
        pending: number of documents that could not be searched.
        failures: reason code and message of what failed.
        fetched: ids of the documents that were fetched for it.
        requests: search provider → requests sent to it.
    """

    hits: tuple[Passage, ...]
    pending: int = 0
    failures: tuple[tuple[str, str], ...] = ()
    fetched: tuple[str, ...] = ()
    requests: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SourceText:
    """A document as a run reads it.

    Attributes:
        document_id: the document.
        version: the conversion version.
        title: what it is called.
        path: a path of it that the asker may see, or the empty text.
        text: its canonical text.
    """

    document_id: str
    version: int
    title: str
    path: str
    text: CanonicalText

    @property
    def name(self) -> str:
        """Title, path and beginning."""
        return f"{self.title} {self.path} {self.text.text[:NAME_CHARS]}"

    @property
    def text_hash(self) -> str:
        """`sha256:` and the hash of the text."""
        return f"sha256:{self.text.sha256}"


class Sources(Protocol):
    """The world of a run. `step` is the step of the journal that asks."""

    def search(
        self, step: str, query: str, *, behind: Sequence[str] = (), limits: Mapping[str, int] = MappingProxyType({})
    ) -> SearchResult:
        """Passages for a sub-query.

        Args:
            step: the step that asks.
            query: the sub-query.
            behind: the documents whose words the query may have.
            limits: search provider → requests that it may be sent; one with none is not asked.

        Raises:
            OctavoError: the search failed.
        """

    def open(self, step: str, document_id: str) -> SourceText:
        """A document in its active version.

        Raises:
            OctavoError: it was purged, left the corpus, or cannot be read.
        """

    def read(self, step: str, document_id: str, question: str, found: Sequence[tuple[str, int]]) -> SourceReading:
        """The evidence of a document for a question; `found` has locator and rank of the passages that searches found.

        Raises:
            OctavoError: as `open`.
        """

    def text(self, document_id: str, version: int) -> tuple[str, str]:
        """Title and canonical text of a version, for the report.

        Raises:
            OctavoError: as `open`.
        """

    def is_readable(self, document_id: str) -> bool:
        """Whether the asker may read the document now."""

    def owners(self, document_id: str) -> RecordedOwners | None:
        """Who decides whether a service elsewhere may read the document; None where nothing is sent."""

    def asker(self) -> RecordedOwners | None:
        """Who decides whether a service elsewhere may read the question; None where nothing is sent."""

    def is_late(self, step: str) -> bool:
        """Whether the time of the run is up."""


class LibrarySources:
    """The documents of a library.

    Args:
        scope: who asks: the documents that the run may see.
        web: the web of the run; None: the library alone.
        with_corpus: whether documents that the run did not fetch are searched.
        fetched: ids of the documents that earlier executions of the run fetched.
        max_minutes: minutes from now after which the run is late; None: never.
        clock: a monotonic clock, seconds.
    """

    def __init__(
        self,
        scope: Scope,
        *,
        web: WebGathering | None = None,
        with_corpus: bool = True,
        fetched: Iterable[str] = (),
        max_minutes: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._scope = scope
        self._web = web
        self._with_corpus = with_corpus
        self._fetched = set(fetched)
        self._clock = clock
        self._until = clock() + max_minutes * 60 if max_minutes is not None else None

    def search(
        self, step: str, query: str, *, behind: Sequence[str] = (), limits: Mapping[str, int] = MappingProxyType({})
    ) -> SearchResult:
        """Pages of the web are taken into the library first; then its passages are searched."""
        gathered = self._web.gather(query, behind=behind, limits=limits) if self._web is not None else None
        fetched = gathered.documents if gathered is not None else ()
        self._fetched.update(fetched)
        hits, pending = search_corpus(self._scope, query)
        if not self._with_corpus:
            hits = [hit for hit in hits if hit.document_id in self._fetched]
        failures = gathered.failures if gathered is not None else ()
        requests = dict(gathered.requests) if gathered is not None else {}
        return SearchResult(hits=tuple(hits), pending=pending, failures=failures, fetched=fetched, requests=requests)

    def open(self, step: str, document_id: str) -> SourceText:
        """A document in its active version."""
        document = self._scope.readable(document_id)
        assert document.active_version is not None  # a readable document has one
        return SourceText(
            document_id=document_id,
            version=document.active_version,
            title=self._scope.name_of(document),
            path=next(iter(document.paths), ""),
            text=document.structured_text,
        )

    def read(self, step: str, document_id: str, question: str, found: Sequence[tuple[str, int]]) -> SourceReading:
        """Digest a document."""
        name = self.open(step, document_id).name
        return read_source(self._scope.library, self._scope.readable(document_id), question, found, name=name)

    def text(self, document_id: str, version: int) -> tuple[str, str]:
        """Title and canonical text of a version."""
        document = self._scope.readable(document_id)
        ref = version_refs(document.raw_hash, version, original="").canonical
        data = self._scope.library.context.artifacts.read(ref)
        return self._scope.name_of(document), data.decode("utf-8", "replace")

    def is_readable(self, document_id: str) -> bool:
        """Whether the document is in the scope, with content."""
        with suppress(OctavoError):
            self._scope.readable(document_id)
            return True
        return False

    def owners(self, document_id: str) -> RecordedOwners | None:
        """The corpora of the document."""
        context = self._scope.library.context
        return owners_of_document(context.index, context.events, document_id, surface="research")

    def asker(self) -> RecordedOwners | None:
        """The corpus that asks; without one the library's owner, who named the service."""
        context = self._scope.library.context
        request = CloudRequest(user_enabled=True, visibility="cloud_allowed", source_outbound=True)
        if self._scope.corpus is not None:
            request = context.index.corpora.get(self._scope.corpus).cloud_request
        return recorded(lambda: (request,), context.events, surface="research", document_id=None)

    def is_late(self, step: str) -> bool:
        """Whether the time is up."""
        return self._until is not None and self._clock() >= self._until
