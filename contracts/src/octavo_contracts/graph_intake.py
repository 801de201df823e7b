"""The service that takes the graphs of documents into a graph of the host application (ENG-26)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from .graph import DocumentGraph


@runtime_checkable
class GraphIntake(Protocol):
    """Keeps the graphs of a library's documents, one for each policy context that knows the document (ENG-26).

    The host calls it after a change was committed, in the background. A call is repeated after a failure or a crash.
    """

    def put(self, document_id: str, graphs: Sequence[DocumentGraph], *, fingerprint: str) -> None:
        """Replace everything that is held of a document.

        Args:
            document_id: the document.
            graphs: its graphs, one for each policy context; contexts that are missing here no longer know the document.
            fingerprint: identifies the content of `graphs`; `held` returns it.
        """

    def remove(self, document_ids: Sequence[str]) -> None:
        """Remove everything that is held of documents; unknown ids are ignored."""

    def held(self) -> Mapping[str, str]:
        """Return the held documents: id → fingerprint of the last `put`."""

    def read(self, document_id: str, *, context: str) -> DocumentGraph | None:
        """Return the graph that a policy context has of a document, and nothing of any other context; None if it has none."""
