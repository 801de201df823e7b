"""What a host may set, with the specification's defaults."""

from __future__ import annotations

from dataclasses import dataclass, field

from .entities.settings import EntitySettings
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
        thresholds: when a quality flag is raised.
        chunking: how canonical text is cut.
        plugins: which installed plugins may be used; None reads the environment variables.
        require_sandbox: refuse to convert where the full sandbox can not be had.
        max_pages: give up above this many pages.
        entities: what is looked for in texts, by which plugin, and when it counts as confirmed.
    """

    profile: str = DEFAULT_PROFILE
    workers: int | None = None
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    thresholds: QualityThresholds = field(default_factory=QualityThresholds)
    chunking: ChunkingConfig = field(default_factory=ChunkingConfig)
    plugins: PluginSelection | None = None
    require_sandbox: bool = False
    max_pages: int = 10_000
    entities: EntitySettings = field(default_factory=EntitySettings)
