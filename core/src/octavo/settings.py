"""What a host may set, with the specification's defaults."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from octavo_contracts import UsageError

from .budget import TimeBudget
from .plugins import PluginSelection
from .quality import QualityThresholds
from .routing import DEFAULT_PROFILE
from .sandbox import SandboxLimits
from .text.chunking import ChunkingConfig


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a runtime. Every number of the specification that Octavo uses is a field here or in a part of it.

    Attributes:
        profile: routing rules: a shipped name, or the path of a TOML file.
        workers: documents converted at once; None for one a core.
        limits: what a worker may use for one document.
        document_seconds: wall time of all plugins tried on one document together, after its inspection; None for
            twice that of one call.
        thresholds: when a quality flag is raised.
        chunking: how canonical text is cut.
        plugins: which installed plugins may be used; None reads the environment variables.
        require_sandbox: refuse to convert where the full sandbox can not be had.
        max_pages: give up above this many pages.
    """

    profile: str = DEFAULT_PROFILE
    workers: int | None = None
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    document_seconds: float | None = None
    thresholds: QualityThresholds = field(default_factory=QualityThresholds)
    chunking: ChunkingConfig = field(default_factory=ChunkingConfig)
    plugins: PluginSelection | None = None
    require_sandbox: bool = False
    max_pages: int = 10_000

    def __post_init__(self) -> None:
        """Refuse a time that no document could meet.

        Raises:
            UsageError: `document_seconds` is not positive and finite.
        """
        if self.document_seconds is not None and not 0 < self.document_seconds < math.inf:
            raise UsageError(f"document_seconds is {self.document_seconds}; it must be positive and finite")

    def budget(self, timeout: float | None) -> TimeBudget:
        """The time that the plugins tried on one document share.

        Args:
            timeout: seconds that a caller gave to one plugin, or None for those of `limits`.
        """
        return TimeBudget(self.document_seconds or 2 * (timeout or self.limits.wall_seconds))
