"""Evidence for checks: an observed call, or a document of any host."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Self

from octavo_contracts import Conversion, DigestPayload, IngestionResult, OctavoError, PageAnchor
from octavo_text.version_texts import join_pages
from pydantic import ValidationError

from .checks import Broken


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Side effects of a call (see `probe.call`).

    Attributes:
        writes: files that it wrote or tried to write outside its folder.
        network: sockets that it tried to open and names that it tried to resolve.
        programs: programs that it started or tried to start.
        changed_arguments: names of the arguments that it changed.
        changed_state: parts of the process state that it left changed.
        round_trip: what the answer loses in its JSON form, or None.
        kept_files: files in its folder, and the document itself, if it left them open.
        process: process id of the worker.
        threads: threads alive after the call.
        native_sockets: network sockets that code other than Python's asked for; counted outside the sandbox only.
        descriptors: descriptors open after the call.
        idle_seconds: time of the call in which the process neither ran nor waited for a processor.
        resident_mb: resident size after the call, MiB.
        kept_mb: resident size after free memory went back to the system, MiB; growth is measured by it.
    """

    writes: list[str] = field(default_factory=list)
    network: list[str] = field(default_factory=list)
    programs: list[str] = field(default_factory=list)
    changed_arguments: list[str] = field(default_factory=list)
    changed_state: list[str] = field(default_factory=list)
    round_trip: str | None = None
    kept_files: list[str] = field(default_factory=list)
    process: int = 0
    threads: int = 0
    native_sockets: int = 0
    descriptors: int = 0
    idle_seconds: float = 0.0
    resident_mb: float = 0.0
    kept_mb: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Observed:
    """One call of a hook.

    Attributes:
        answer: the answer's JSON text, or None if it raised.
        error: the error that it raised, or None.
        facts: its side effects; None if the worker could not report them.
        seconds: wall time in the worker.
        peak_rss_mb: largest resident size during the call, MiB.
    """

    answer: str | None
    error: OctavoError | None
    facts: Facts | None
    seconds: float
    peak_rss_mb: float

    @classmethod
    def failed(cls, error: OctavoError) -> Self:
        """Build the record of a call of which only the error is known."""
        return cls(answer=None, error=error, facts=None, seconds=0.0, peak_rss_mb=0.0)

    def conversion(self) -> Conversion:
        """Return the answer of `convert`.

        Raises:
            Broken: the hook raised, or its answer is malformed.
        """
        return self._conversion

    @cached_property
    def _conversion(self) -> Conversion:
        # Many checks look at one answer.
        conversion: Conversion = self.read(Conversion)
        return conversion

    def read(self, model: Any) -> Any:
        """Parse the answer as a model, as the host does.

        Raises:
            Broken: the hook raised, or its answer is malformed.
        """
        if self.answer is None:
            raise Broken("the hook raised an error", expected=f"a {model.__name__}", actual=describe(self.error))
        try:
            return model.model_validate_json(self.answer)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or model.__name__
            raise Broken(
                "the answer is malformed", expected=f"a valid {model.__name__}", actual=f"{where}: {first['msg']}"
            ) from error


def growth_mb(calls: Sequence[Facts]) -> float:
    """Return the growth of the memory in use in the second half of calls, MiB: the first half may fill caches of a limited size."""
    # A host replaces a worker that cannot be reused; growth cannot be measured across a replacement.
    sizes = [facts.kept_mb for facts in calls if facts.process == calls[-1].process]
    return sizes[-1] - sizes[len(sizes) // 2] if len(sizes) > 2 else 0.0


@dataclass(frozen=True, kw_only=True)
class Watched:
    """A call whose side effects are known.

    Attributes:
        what: the hook, and the path of the document if it has one.
        facts: the side effects.
    """

    what: str
    facts: Facts


def describe(error: OctavoError | None) -> str:
    """Return an error with its class."""
    return "no error" if error is None else f"{type(error).__name__}: {error.message}"


@dataclass(frozen=True, kw_only=True)
class ResultEvidence:
    """An `IngestionResult` as JSON, with its archived texts if available.

    Attributes:
        data: the parsed JSON.
        canonical: canonical.txt, or None.
        markdown: converted.md, or None.
        original: the document's file, or None.
        searched: True if an archive was searched for the canonical text; None if there was nothing to search.
    """

    data: dict[str, Any]
    canonical: str | None = None
    markdown: str | None = None
    original: Path | None = None
    searched: bool | None = None

    @cached_property
    def result(self) -> IngestionResult:
        """The result, parsed as a consumer parses it.

        Raises:
            Broken: the data is malformed.
        """
        try:
            return IngestionResult.read(self.data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the result"
            raise Broken(
                "the result cannot be read", expected="an IngestionResult", actual=f"{where}: {first['msg']}"
            ) from error

    @property
    def anchors(self) -> list[PageAnchor]:
        """The anchors, page 1 first."""
        return list(self.result.page_anchor_map.anchors())


@dataclass(frozen=True, kw_only=True)
class DigestEvidence:
    """A `DigestPayload` as JSON, with the archived text that it was made from if available.

    Attributes:
        data: the parsed JSON.
        archive: the canonical text, or None.
        searched: True if an archive was searched for the text; None if there was none to search.
        method: how the texts were made, as the digest's outcome says: `extractive` for sentences of the source; or None.
        query: the question that the digest answers, or None.
    """

    data: dict[str, Any]
    archive: str | None = None
    searched: bool | None = None
    method: str | None = None
    query: str | None = None

    @cached_property
    def payload(self) -> DigestPayload:
        """The payload, parsed as a consumer parses it.

        Raises:
            Broken: the data is malformed.
        """
        try:
            return DigestPayload.read(self.data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the payload"
            raise Broken(
                "the digest cannot be read", expected="a DigestPayload", actual=f"{where}: {first['msg']}"
            ) from error


def page_texts(conversion: Conversion) -> list[str]:
    """Return the canonical text of each page: the plugin's own text, or the one that the core derives from its markdown."""
    return list(_page_texts(_Identical(conversion)))


class _Identical:
    """A conversion as the key of a cache: equal to itself alone, as comparing or hashing all of its pages takes long."""

    def __init__(self, conversion: Conversion) -> None:
        self.conversion = conversion

    def __hash__(self) -> int:
        return id(self.conversion)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identical) and self.conversion is other.conversion


@lru_cache(maxsize=256)
def _page_texts(key: _Identical) -> tuple[str, ...]:
    canonical = join_pages(key.conversion).canonical
    return tuple(span.of(canonical.text) for span in canonical.pages)


def sha256_of(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, hex."""
    return hashlib.sha256(text.encode()).hexdigest()
