"""What a library offers for searching. `Library` is built on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import UsageError

from ..search.chunk_index import CATCH_UP_SECONDS, ChunkIndex
from ..search.chunk_sets import Wanted
from ..search.indexer import Task
from ..search.records import IndexingReport, SearchResults
from ..search.scope import Scope
from ..storage import ArtifactStore, Index, PolicyContext
from ..text.chunking import chunking_named
from .maintenance.chunk_sets import derive

if TYPE_CHECKING:
    from ..runtime import Runtime


class SearchesDocuments:
    """The part of `Library` that finds chunks."""

    artifacts: ArtifactStore
    index: Index
    runtime: Runtime
    chunk_index: ChunkIndex

    def search(
        self,
        query: str,
        *,
        corpus: str | None = None,
        policy: PolicyContext | None = None,
        limit: int = 10,
        seconds: float | None = CATCH_UP_SECONDS,
        vectors: bool | None = None,
    ) -> SearchResults:
        """The chunks of active versions that answer a query best.

        Where plugins make and keep vectors, chunks are found by meaning as well as by words, and the two rankings are fused
        (`SearchResults.method` says which it was, `reason` why not).

        Documents that came in since the last search are indexed first. Where that takes longer than `seconds`, the
        answer comes without the rest and says so (`SearchResults.pending`); the next search goes on.

        Args:
            query: words, of which a chunk needs one; "phrases in quotation marks"; -words it must not have.
            corpus: only documents of this corpus that came in under its policy (STO-5), by its own chunk sets where it
                has some (STO-7).
            policy: without a corpus, only documents that came in under this policy context. With neither: all but
                those that are known under a firewalled policy only.
            limit: at most so many hits, from 1.
            seconds: see above; None for no limit. At most one of them is spent on vectors.
            vectors: whether meanings are compared: False not, True demands plugins that can; by default the settings decide.

        Raises:
            UsageError: no such corpus, a limit below 1, or both a corpus and a policy.
            StorageError: the chunk index can not be written.
            ToolUnavailable: `vectors` is True and no plugin makes or keeps them.
        """
        if limit < 1:
            raise UsageError(f"a search gives at least 1 hit, not {limit}")
        if corpus is not None and policy is not None:
            raise UsageError("a search in a corpus has the corpus's policy: give one of corpus and policy")
        default = self.runtime.settings.chunking.version
        scope = Scope(None, policy.canonical() if policy else None, (default,))
        if corpus is not None:
            record = self.index.get_corpus(corpus)
            configs = dict.fromkeys((record.chunking_config_version or default, default))
            scope = Scope(record.corpus_id, record.policy.canonical(), tuple(configs))
        return self.chunk_index.search(
            query, scope, limit=limit, seconds=seconds, vectors=self._vectors_wanted(vectors)
        )

    def index_chunks(
        self, *, corpus: str | None = None, seconds: float | None = None, vectors: bool | None = None
    ) -> IndexingReport:
        """Bring the chunk index up to date now, rather than at the next search: words first, then vectors.

        Versions that have no chunk set under the library's config, or under their corpus's own, are chunked (STO-7).

        Args:
            corpus: only documents of this corpus.
            seconds: stop after so many, between two batches; None for no limit.
            vectors: as `search`.

        Raises:
            UsageError: no such corpus.
            StorageError: the chunk index can not be written.
            ToolUnavailable: `vectors` is True and no plugin makes or keeps them.
        """
        make_vectors = self._vectors_wanted(vectors)
        records = [self.index.get_corpus(corpus)] if corpus is not None else list(self.index.list_corpora())
        default = self.runtime.settings.chunking
        wanted = [(default.version, records[0].corpus_id if corpus is not None else None)]
        wanted += [
            (record.chunking_config_version, record.corpus_id)
            for record in records
            if record.chunking_config_version not in (None, default.version)
        ]

        def make(missing: Wanted) -> None:
            config = default if missing.config == default.version else chunking_named(missing.config)
            data = derive(self.artifacts, missing.raw_hash, missing.version, config)
            self.artifacts.put_chunks(missing.raw_hash, missing.version, config_version=config.version, data=data)

        return self.chunk_index.update(Task(wanted=tuple(wanted), make=make), seconds=seconds, vectors=make_vectors)

    def embedding_ids(self, document_id: str) -> dict[str, str]:
        """Ids of a document's chunks that have vectors → their entries in the vector index (STO-15).

        Raises:
            StorageError: the chunk index can not be written.
        """
        return self.chunk_index.embedding_ids(document_id)

    def _vectors_wanted(self, asked: bool | None) -> bool:
        if asked:
            self.chunk_index.check_vectors()
        return self.runtime.settings.search.vectors if asked is None else asked
