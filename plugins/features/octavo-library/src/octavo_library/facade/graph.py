"""`library.graph`: documents, corpora and observed entities as nodes and edges (ENG-26)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import DocumentGraph, UsageError

from .context import LibraryContext

if TYPE_CHECKING:
    from ..graph.graph_feed import GraphSync


class Graph:
    """The graph of an open library.

    Args:
        context: the library's parts.
    """

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def of(self, document: str, *, corpus: str | None = None) -> tuple[DocumentGraph, ...]:
        """The graphs of a document, read from the index: one for each policy context that knows it (STO-5).

        The first node of a graph is the document's. Observed entities have an edge `appears_in` to it; the document has
        edges to its corpora (`member_of`), its parents (`attached_to`) and linked documents (`revises`, `related_to`).

        Args:
            document: as `Library.document` takes it.
            corpus: only the graph that this corpus may see, under its policy; None: every one, as the library's owner.

        Raises:
            UsageError: no such document or corpus, or the document is not visible under the corpus's policy.
        """
        from ..graph.index_graph import IndexGraph

        index = self._context.index
        policy = index.corpora.get(corpus).policy if corpus is not None else None
        document_id = index.documents.resolve(document, policy=policy)
        graphs = IndexGraph(index, self._context.runtime.settings.entities).of(document_id)
        return tuple(one for one in graphs if policy is None or one.context == policy.canonical())

    def sync(self) -> GraphSync:
        """Compare the plugin that takes the graphs with the index, and give it what differs.

        Needed once for a library that was filled before the setting `graph_intake` named the plugin, and after a backup was restored; later
        changes reach the plugin by themselves.

        Raises:
            UsageError: the setting `graph_intake` names no plugin.
            StorageError: the library is read-only.
            OctavoError: the plugin failed.
        """
        feed = self._context.graph_feed
        if feed is None:
            if self._context.read_only is not None:
                raise self._context.read_only
            raise UsageError(
                "no plugin takes the graph of this library",
                remedy="Name one by the setting graph_intake, for example --set graph_intake=NAME",
            )
        return feed.sync()
