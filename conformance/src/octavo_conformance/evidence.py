"""What checks look at: what a call gave, and a document that some host made."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

from octavo.text.version_texts import join_pages
from octavo_contracts import Conversion, DigestPayload, IngestionResult, OctavoError, PageAnchor
from pydantic import ValidationError

from .checks import Broken


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a call did, beside answering (see `probe.call`).

    Attributes:
        writes: files it wrote or tried to write outside its folder.
        network: sockets and look-ups it asked for.
        programs: programs it started or tried to start.
        changed_arguments: names of the arguments it changed.
        changed_state: what of the process it left changed.
        round_trip: what the answer's JSON form loses, or None.
        kept_files: files of its own folder, and the document itself, that it left open.
        process: number of the worker's process.
        threads: threads alive after the call.
        resident_mb: resident size after the call, MiB.
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
    resident_mb: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Observed:
    """One call of a hook.

    Attributes:
        answer: the answer's JSON text, or None where it raised.
        error: what it raised.
        facts: what it did; None where the worker could not tell.
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
        """A call of which nothing is known but how it ended."""
        return cls(answer=None, error=error, facts=None, seconds=0.0, peak_rss_mb=0.0)

    def conversion(self) -> Conversion:
        """The answer of `convert`.

        Raises:
            Broken: it raised, or answered something malformed.
        """
        conversion: Conversion = self.read(Conversion)
        return conversion

    def read(self, model: Any) -> Any:
        """The answer as a model, as the host reads it.

        Raises:
            Broken: it raised, or answered something malformed.
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


def describe(error: OctavoError | None) -> str:
    """An error with its class."""
    return "no error" if error is None else f"{type(error).__name__}: {error.message}"


@dataclass(frozen=True, kw_only=True)
class ResultEvidence:
    """An `IngestionResult` as JSON, and its archived texts where there are any.

    Attributes:
        data: the parsed JSON.
        canonical: canonical.txt, or None.
        markdown: converted.md, or None.
    """

    data: dict[str, Any]
    canonical: str | None = None
    markdown: str | None = None

    @cached_property
    def result(self) -> IngestionResult:
        """The result, read as a consumer reads it.

        Raises:
            Broken: it is none.
        """
        try:
            return IngestionResult.read(self.data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the result"
            raise Broken(
                "it cannot be read", expected="an IngestionResult", actual=f"{where}: {first['msg']}"
            ) from error

    @property
    def anchors(self) -> list[PageAnchor]:
        """The anchors, page 1 first."""
        return list(self.result.page_anchor_map.anchors())


@dataclass(frozen=True, kw_only=True)
class DigestEvidence:
    """A `DigestPayload` as JSON, and the archived text it was made from where there is one.

    Attributes:
        data: the parsed JSON.
        archive: the canonical text, or None.
    """

    data: dict[str, Any]
    archive: str | None = None

    @cached_property
    def payload(self) -> DigestPayload:
        """The payload, read as a consumer reads it.

        Raises:
            Broken: it is none.
        """
        try:
            return DigestPayload.read(self.data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the payload"
            raise Broken("it cannot be read", expected="a DigestPayload", actual=f"{where}: {first['msg']}") from error


def page_texts(conversion: Conversion) -> list[str]:
    """The canonical text of each page: the plugin's own, or what the core derives from its markdown."""
    canonical = join_pages(conversion).canonical
    return [span.of(canonical.text) for span in canonical.pages]


def sha256_of(text: str) -> str:
    """SHA-256 of a text in UTF-8, hex."""
    return hashlib.sha256(text.encode()).hexdigest()
