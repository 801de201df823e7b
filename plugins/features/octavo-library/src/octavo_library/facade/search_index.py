"""Searches over chunks, and `library.search_index`, which updates the chunk index."""

from __future__ import annotations

from dataclasses import replace

from octavo_contracts import UsageError
from octavo_text.chunking import chunking_named

from ..search.chunk_sets import Wanted
from ..search.indexer import IndexTarget
from ..search.records import IndexingReport, SearchResults
from ..search.scope import Scope
from ..storage import PolicyContext
from .context import LibraryContext
from .maintenance.chunk_sets import derive


def search_chunks(
    context: LibraryContext,
    query: str,
    *,
    corpus: str | None,
    policy: PolicyContext | None,
    limit: int,
    seconds: float | None,
    vectors: bool | None,
) -> SearchResults:
    """See `Library.search`.

    Raises:
        UsageError: no such corpus, a limit below 1, or both a corpus and a policy.
        StorageError: the chunk index cannot be written.
        ToolUnavailable: `vectors` is True and no plugin provides vectors, or one that should cannot.
    """
    if limit < 1:
        raise UsageError(f"limit must be at least 1, got {limit}")
    if corpus is not None and policy is not None:
        raise UsageError("a corpus and a policy were given", remedy="Give only one of corpus and policy")
    default = context.runtime.settings.chunking.version
    scope, asker = Scope(None, policy.canonical() if policy else None, (default,)), policy
    if corpus is not None:
        record = context.index.corpora.get(corpus)
        configs = dict.fromkeys((record.chunking_config_version or default, default))
        scope, asker = Scope(record.corpus_id, record.policy.canonical(), tuple(configs)), record.policy
    found = context.chunk_index.search(
        query, scope, limit=limit, seconds=seconds, vectors=_vectors_wanted(context, vectors)
    )
    _take_declared_titles(context, found, asker)
    return found


def _take_declared_titles(context: LibraryContext, found: SearchResults, policy: PolicyContext | None) -> None:
    """Give hits the titles that were declared of their documents, as far as the search may tell them (STO-5)."""
    ids = list(dict.fromkeys(hit.document_id for hit in found))
    titles = context.index.declarations.titles(ids, policy=policy, is_open=policy is None)
    if titles:
        found[:] = [replace(hit, title=titles.get(hit.document_id, hit.title)) for hit in found]


class SearchIndex:
    """The chunk index of an open library.

    Args:
        context: the library's parts.
    """

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def update(
        self, *, corpus: str | None = None, seconds: float | None = None, vectors: bool | None = None
    ) -> IndexingReport:
        """Update the chunk index now instead of at the next search: words first, then vectors.

        Versions without a chunk set for the library's config, or for that of their corpus, are chunked (STO-7).

        Args:
            corpus: only documents of this corpus.
            seconds: time limit, checked between batches; None: unlimited.
            vectors: as in `Library.search`.

        Raises:
            UsageError: no such corpus.
            StorageError: the chunk index cannot be written.
            ToolUnavailable: `vectors` is True and no plugin provides vectors, or one that should cannot.
        """
        make_vectors = _vectors_wanted(self._context, vectors)
        records = (
            [self._context.index.corpora.get(corpus)] if corpus is not None else list(self._context.index.corpora.all())
        )
        default = self._context.runtime.settings.chunking
        wanted = [(default.version, records[0].corpus_id if corpus is not None else None)]
        wanted += [
            (record.chunking_config_version, record.corpus_id)
            for record in records
            if record.chunking_config_version not in (None, default.version)
        ]

        def make(missing: Wanted) -> None:
            config = default if missing.config == default.version else chunking_named(missing.config)
            data = derive(self._context.artifacts, missing.raw_hash, missing.version, config)
            self._context.artifacts.put_chunks(
                missing.raw_hash, missing.version, config_version=config.version, data=data
            )

        return self._context.chunk_index.update(
            IndexTarget(wanted=tuple(wanted), make=make), seconds=seconds, vectors=make_vectors
        )

    def embedding_ids(self, document_id: str) -> dict[str, str]:
        """Ids of a document's chunks with vectors → their entries in the vector index (STO-15).

        Raises:
            StorageError: the chunk index cannot be written.
        """
        return self._context.chunk_index.embedding_ids(document_id)


def _vectors_wanted(context: LibraryContext, asked: bool | None) -> bool:
    if asked:
        context.chunk_index.check_vectors()
    return context.runtime.settings.search.vectors if asked is None else asked
