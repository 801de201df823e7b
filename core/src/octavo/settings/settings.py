"""What a host may set, with the specification's defaults."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated

from octavo_contracts import UsageError
from octavo_sandbox import SandboxLimits
from pydantic import Field, SecretStr

from ..builtins.quality import QualityThresholds
from ..plugins import PluginSelection
from ..plugins.budget import TimeBudget
from ..profiles.profile import DEFAULT_PROFILE
from ..text.chunking import ChunkingConfig
from .attachments import AttachmentSettings
from .audio import SpeechSettings
from .context import ContextSettings
from .engine import EngineSettings
from .entities import EntitySettings
from .hooks import HookSettings
from .layout import LayoutSettings
from .ocr import OcrSettings
from .repair import RepairSettings
from .web import WebSettings

MIB = 1 << 20


@dataclass(frozen=True, kw_only=True)
class LogSettings:
    """What a library writes down of its work, in its folder `logs`; never what documents say.

    Attributes:
        events: whether `events.jsonl` is written: how documents and runs got on.
        audit: whether `audit.jsonl` is written: what was exported, removed, allowed or refused.
        max_bytes: a file that would grow above this is put aside as `NAME.1.jsonl`, and a new one begins.
        keep: how many files that were put aside are kept of each log.
    """

    events: bool = True
    audit: bool = True
    max_bytes: Annotated[int, Field(ge=4096)] = 10 * MIB
    keep: Annotated[int, Field(ge=0)] = 5


@dataclass(frozen=True, kw_only=True)
class WatchSettings:
    """How `octavo watch` decides that a file is whole.

    Attributes:
        debounce_seconds: changes that come sooner after each other than this are taken together.
        settle_seconds: a file is taken once its size and time have been the same for so long.
        rescan_seconds: how often the folder is read whole, for what the system gave no notice of.
    """

    debounce_seconds: Annotated[float, Field(gt=0)] = 1.0
    settle_seconds: Annotated[float, Field(ge=0)] = 2.0
    rescan_seconds: Annotated[float, Field(gt=0)] = 60.0


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """How a library is searched.

    Attributes:
        vectors: whether meanings are compared as well as words, where plugins that make and keep vectors are installed.
    """

    vectors: bool = True


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a runtime. Every number of the specification that Octavo uses is a field here or in a part of it.

    Attributes:
        profile: routing rules: a shipped name, or the path of a TOML file.
        workers: documents converted at once; None for one a core.
        limits: what a worker may use for one document.
        document_seconds: wall time of all plugins tried on one document together, after its inspection, and of the host's work
            on their texts; None for twice that of one call.
        thresholds: when a quality flag is raised.
        chunking: how canonical text is cut.
        plugins: which installed plugins may be used; None reads the environment variables.
        require_sandbox: refuse to convert where the full sandbox cannot be had.
        max_pages: give up above this many pages.
        engine: how a library's ingestion works: pools, commits, retries, reserves.
        library: the folder that the command line works on; a library that is opened by its path does not look here.
        index: the URL of a PostgreSQL database that holds the index of the library; never shown. None: it is in the
            library's folder.
        password: tried on encrypted documents where the caller gives none; never shown.
        log: what is written down of the work.
        watch: how watched folders are read.
        search: how the library is searched.
        ocr: recognition of pages without a trustworthy text layer.
        hooks: which plugins classify documents and score conversions.
        entities: what is looked for in texts, by which plugin, and when it counts as confirmed.
        repair: when single pages are converted again by another plugin.
        layout: the model that finds the layout of PDF pages.
        speech: the model that listens to recordings, and their language.
        attachments: which documents inside documents a library takes in, as documents of their own.
        web: what may be fetched from the web, and how; by default nothing.
        context: how documents are given to language models.
        sampling: whether the first documents of a library are converted by a second plugin as well, as the profile says.
    """

    profile: str = DEFAULT_PROFILE
    workers: Annotated[int, Field(ge=1)] | None = None
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    document_seconds: float | None = None
    thresholds: QualityThresholds = field(default_factory=QualityThresholds)
    chunking: ChunkingConfig = field(default_factory=ChunkingConfig)
    plugins: PluginSelection | None = None
    require_sandbox: bool = False
    max_pages: Annotated[int, Field(ge=1)] = 10_000
    engine: EngineSettings = field(default_factory=EngineSettings)
    library: str = "octavo-library"
    index: SecretStr | None = None
    password: SecretStr | None = None
    log: LogSettings = field(default_factory=LogSettings)
    watch: WatchSettings = field(default_factory=WatchSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    ocr: OcrSettings = field(default_factory=OcrSettings)
    hooks: HookSettings = field(default_factory=HookSettings)
    entities: EntitySettings = field(default_factory=EntitySettings)
    repair: RepairSettings = field(default_factory=RepairSettings)
    layout: LayoutSettings = field(default_factory=LayoutSettings)
    speech: SpeechSettings = field(default_factory=SpeechSettings)
    attachments: AttachmentSettings = field(default_factory=AttachmentSettings)
    web: WebSettings = field(default_factory=WebSettings)
    context: ContextSettings = field(default_factory=ContextSettings)
    sampling: bool = True

    def __post_init__(self) -> None:
        """Refuse a time that no document could meet.

        A secret that is given as a plain text is wrapped, so that it is shown nowhere.

        Raises:
            UsageError: `document_seconds` is not positive and finite, or a secret is no text.
        """
        for name in ("password", "index"):
            object.__setattr__(self, name, _secret(name, getattr(self, name)))
        if self.document_seconds is not None and not 0 < self.document_seconds < math.inf:
            raise UsageError(f"document_seconds is {self.document_seconds}; it must be positive and finite")

    def password_for(self, given: str | None) -> str | None:
        """The password that a document is opened with: the caller's, else that of the settings, else none."""
        if given is None and self.password is not None:
            return self.password.get_secret_value()
        return given

    def budget(self, timeout: float | None) -> TimeBudget:
        """The time that the plugins tried on one document share.

        Args:
            timeout: seconds that a caller gave to one plugin, or None for those of `limits`.
        """
        return TimeBudget(self.document_seconds or 2 * (timeout or self.limits.wall_seconds))


def _secret(name: str, value: object) -> SecretStr | None:
    if value is None or isinstance(value, SecretStr):
        return value
    if isinstance(value, str):
        return SecretStr(value)
    raise UsageError(f"{name} is a {type(value).__name__}; it must be a text")
