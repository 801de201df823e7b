"""The settings of a runtime, with the specification's defaults."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, dataclass, field, fields
from dataclasses import Field as DataclassField
from typing import Annotated, Any

from octavo_contracts import UsageError
from octavo_sandbox import SandboxLimits
from octavo_text.chunking import ChunkingConfig
from pydantic import Field, SecretStr

from ..builtins.classification.thresholds import ClassificationThresholds
from ..builtins.quality.thresholds import QualityThresholds
from ..plugins import PluginSelection
from ..plugins.budget import TimeBudget
from ..profiles.profile import DEFAULT_PROFILE
from .attachments import AttachmentSettings
from .audio import SpeechSettings
from .briefs import BriefSettings
from .context import ContextSettings
from .duplicates import DuplicateSettings
from .engine import EngineSettings
from .entities import EntitySettings
from .furniture import FurnitureSettings
from .hooks import HookSettings
from .layout import LayoutSettings
from .object_store import ObjectStoreSettings
from .ocr import OcrSettings
from .repair import RepairSettings
from .web import WebSettings

MIB = 1 << 20


@dataclass(frozen=True, kw_only=True)
class LogSettings:
    """Logs of a library, in its folder `logs`; they never contain text of documents.

    Attributes:
        events: whether `events.jsonl` is written: the progress of documents and runs.
        audit: whether `audit.jsonl` is written: what was exported, removed, allowed or refused.
        max_bytes: a file that would grow larger is rotated to `NAME.1.jsonl`, and a new one is started.
        keep: number of rotated files kept of each log.
    """

    events: bool = True
    audit: bool = True
    max_bytes: Annotated[int, Field(ge=4096)] = 10 * MIB
    keep: Annotated[int, Field(ge=0)] = 5


@dataclass(frozen=True, kw_only=True)
class WatchSettings:
    """How `octavo watch` decides that a file is complete.

    Attributes:
        debounce_seconds: changes in quicker succession than this are handled together.
        settle_seconds: a file is ingested when its size and time have been unchanged for this long.
        rescan_seconds: interval of scanning the whole folder, for changes without a notification.
    """

    debounce_seconds: Annotated[float, Field(gt=0)] = 1.0
    settle_seconds: Annotated[float, Field(ge=0)] = 2.0
    rescan_seconds: Annotated[float, Field(gt=0)] = 60.0


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """How a library is searched.

    Attributes:
        vectors: whether to compare meaning as well as words, if plugins that create and store vectors are installed.
        shared: whether the chunk index is in the PostgreSQL database of the index instead of a file on each machine.
    """

    vectors: bool = True
    shared: bool = False


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a runtime. Every number in the specification that Octavo uses is a field here or in one of its parts.

    Attributes:
        profile: routing profile: a shipped name, or the path of a TOML file.
        workers: documents converted in parallel; None: one per core.
        limits: resource limits of a worker for one document.
        document_seconds: time budget of all plugins tried on one document, after its inspection, and of the host's
            processing of their texts; None: twice the limit of one call.
        classification: when a page counts as scanned, and a PDF as full of tables.
        thresholds: when quality flags are raised.
        chunking: how canonical text is cut into chunks.
        plugins: which installed plugins may be used; None: read from the environment variables.
        require_sandbox: refuse to convert if the full sandbox is unavailable.
        max_pages: documents with more pages are refused.
        engine: ingestion of a library: pools, commits, retries, reserves.
        library: the folder or URL that the command line works on; a library that is opened by its path ignores it.
        index: the URL of a PostgreSQL database for the library's index; never shown. None: the index is in the
            library's folder.
        objects: a library whose files are in an object store.
        password: tried on encrypted documents if the caller gives none; never shown.
        log: which logs are written.
        watch: how watched folders are read.
        search: how the library is searched.
        ocr: OCR of pages without a trustworthy text layer.
        hooks: which plugins classify documents and score conversions.
        entities: which entities are extracted, by which plugin, and when they count as confirmed.
        repair: when another plugin converts single pages again.
        furniture: whether running heads, feet and page numbers are kept apart from the texts.
        layout: the model that detects the layout of PDF pages.
        speech: the model that transcribes recordings, and their language.
        attachments: which documents inside documents a library ingests as documents of their own.
        web: what may be fetched from the web, and how; by default nothing.
        context: how documents are given to language models.
        briefs: whether briefs are made in the background, and how long a stored one is valid.
        graph_intake: the plugin whose service takes the graphs of a library's documents; None: they are read from the
            library's index alone.
        duplicates: when the ingestion of known bytes with other metadata pauses for the user.
        sampling: whether a second plugin converts the first documents of a library as well, as the profile defines.
    """

    profile: str = DEFAULT_PROFILE
    workers: Annotated[int, Field(ge=1)] | None = None
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    document_seconds: float | None = None
    classification: ClassificationThresholds = field(default_factory=ClassificationThresholds)
    thresholds: QualityThresholds = field(default_factory=QualityThresholds)
    chunking: ChunkingConfig = field(default_factory=ChunkingConfig)
    plugins: PluginSelection | None = None
    require_sandbox: bool = False
    max_pages: Annotated[int, Field(ge=1)] = 10_000
    engine: EngineSettings = field(default_factory=EngineSettings)
    library: str = "octavo-library"
    index: SecretStr | None = None
    objects: ObjectStoreSettings = field(default_factory=ObjectStoreSettings)
    password: SecretStr | None = None
    log: LogSettings = field(default_factory=LogSettings)
    watch: WatchSettings = field(default_factory=WatchSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    ocr: OcrSettings = field(default_factory=OcrSettings)
    hooks: HookSettings = field(default_factory=HookSettings)
    entities: EntitySettings = field(default_factory=EntitySettings)
    repair: RepairSettings = field(default_factory=RepairSettings)
    furniture: FurnitureSettings = field(default_factory=FurnitureSettings)
    layout: LayoutSettings = field(default_factory=LayoutSettings)
    speech: SpeechSettings = field(default_factory=SpeechSettings)
    attachments: AttachmentSettings = field(default_factory=AttachmentSettings)
    web: WebSettings = field(default_factory=WebSettings)
    context: ContextSettings = field(default_factory=ContextSettings)
    briefs: BriefSettings = field(default_factory=BriefSettings)
    graph_intake: str | None = None
    duplicates: DuplicateSettings = field(default_factory=DuplicateSettings)
    sampling: bool = True

    def __post_init__(self) -> None:
        """Validate `document_seconds`, and wrap secrets given as plain text, so that they are never shown.

        Raises:
            UsageError: `document_seconds` is not positive and finite, or a secret is not a string.
        """
        for name in ("password", "index"):
            object.__setattr__(self, name, _secret(name, getattr(self, name)))
        if self.document_seconds is not None and not 0 < self.document_seconds < math.inf:
            raise UsageError(f"document_seconds must be a positive number of seconds, got {self.document_seconds}")

    def __repr__(self) -> str:
        """Only what differs from the defaults."""
        changed = [
            f"{one.name}={getattr(self, one.name)!r}"
            for one in fields(self)
            if getattr(self, one.name) != _default(one)
        ]
        return f"Settings({', '.join(changed)})"

    def password_for(self, given: str | None) -> str | None:
        """Return the password that opens a document: the caller's, else that of the settings, else None."""
        if given is None and self.password is not None:
            return self.password.get_secret_value()
        return given

    def budget(self, timeout: float | None) -> TimeBudget:
        """Return the time budget shared by the plugins that are tried on one document.

        Args:
            timeout: the caller's time limit of one plugin in seconds, or None for that of `limits`.
        """
        return TimeBudget(self.document_seconds or 2 * (timeout or self.limits.wall_seconds))


def plugin_names(settings: Settings) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield each setting that names plugins, besides `plugins`, with the names."""
    yield "ocr.engines", settings.ocr.engines or ()
    yield "hooks.classify", settings.hooks.classify or ()
    yield "hooks.score_quality", settings.hooks.score_quality or ()
    yield "entities.engine", [settings.entities.engine] if settings.entities.engine is not None else ()
    yield "engine.heavy_plugins", settings.engine.heavy_plugins


def _default(one: DataclassField[Any]) -> object:
    return one.default if one.default_factory is MISSING else one.default_factory()


def _secret(name: str, value: object) -> SecretStr | None:
    if value is None or isinstance(value, SecretStr):
        return value
    if isinstance(value, str):
        return SecretStr(value)
    raise UsageError(f"{name} must be a string, got {type(value).__name__}")
