"""The request and the outcome of an ingest command."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from octavo_contracts import ExitCode
from octavo_sandbox.filesystem.file_walk import Walk

from .summary import IngestSummary

if TYPE_CHECKING:
    from ...facade.ingest_options import IngestOptions
    from ...storage import DeclaredMetadata, MetadataDecision


@dataclass(frozen=True, kw_only=True)
class Request:
    """The arguments of the command; see `octavo ingest --help`."""

    paths: tuple[str, ...]
    library: str
    corpus: str | None = None
    plugin: str | None = None
    profile: str | None = None
    password: str | None = None
    timeout: float | None = None
    workers: int | None = None
    retry: bool = False
    reingest: bool = False
    activate: bool | None = None
    confirm_cost: bool = False
    entities: bool | None = None
    entity_types: tuple[str, ...] | None = None
    briefs: bool | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    fail_on_degraded: bool = False
    surface: str = "direct_upload"
    declared: DeclaredMetadata | None = None
    known_metadata: MetadataDecision = "ask"
    location: str | None = None

    @property
    def ingest_options(self) -> IngestOptions:
        """The options for the library."""
        from ...facade.ingest_options import IngestOptions

        return IngestOptions(**{one.name: getattr(self, one.name) for one in fields(IngestOptions)})


@dataclass(frozen=True, kw_only=True)
class FileOutcome:
    """The outcome of a run.

    Attributes:
        request: the request.
        tally: counts, rows and failures.
        walk: found and skipped paths.
        seconds: duration.
        exit_code: the process's exit code.
    """

    request: Request
    tally: IngestSummary
    walk: Walk
    seconds: float
    exit_code: ExitCode
