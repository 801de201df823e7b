"""The static manifest of a plugin, `octavo-plugin.toml` in its top-level package, read without importing it."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, Literal, Self

from pydantic import Field, JsonValue, ValidationError, field_validator, model_validator

from ._model import Model
from .format_claims import FormatClaim
from .plugin_options import check_declared
from .version import CONTRACT_VERSION, parse_contract_version

MANIFEST_NAME = "octavo-plugin.toml"

HookName = Literal["classify", "convert", "ocr", "extract_entities", "score_quality"]
"""The five document hooks."""

PluginName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
"""Distribution name without the prefix `octavo-`."""


RelativePath = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$", max_length=255)
]
"""A relative path that stays inside its folder."""

TopLevelModule = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
"""A top-level module, so that it can be found without importing anything: looking up a submodule imports its parent."""

_SERVICE_KINDS = (
    "crawler",
    "digestor",
    "embedder",
    "fetcher",
    "graph_intake",
    "literal_extractor",
    "remote_recogniser",
    "scorer",
    "search_provider",
    "summariser",
    "vector_index",
)
"""As `services.SERVICE_KINDS`, whose protocols reading a manifest does not import; a test compares."""


class Capability(StrEnum):
    """A capability of a plugin. If declared, its checks run; if not, the check that it is refused runs."""

    PAGES = "pages"
    """Preserves the pages of paginated formats."""
    HEADINGS = "headings"
    TABLES = "tables"
    BOXES = "boxes"
    METADATA = "metadata"
    ATTACHMENTS = "attachments"
    HIDDEN_TEXT = "hidden_text"
    """Returns invisible text separately from the visible text."""
    PAGE_RANGES = "page_ranges"
    """Honours `ConvertRequest.pages`."""
    PASSWORDS = "passwords"
    """Honours `ConvertRequest.password`; without it an encrypted document is `SourceEncrypted`."""
    SCANS = "scans"
    """Reads pages without a text layer without help from an OCR plugin."""
    WORDS = "words"
    """OCR: returns words with boxes."""
    DESCRIPTIONS = "descriptions"
    """OCR: describes a picture without text, where `OCRRequest.purpose` is `description`."""
    NETWORK = "network"
    """Needs the network: `context.fetch`, or the fetcher passed to its service."""
    SUBPROCESS = "subprocess"
    """Starts programs."""
    THREADS = "threads"
    """Starts its own threads. Only informative: threads are always allowed."""


class Limits(Model):
    """Limits that a plugin requests, within the host's own limits."""

    timeout_seconds: float | None = Field(
        default=None, gt=0, description="Wall time of one call, seconds; null: the host's default."
    )
    memory_mb: int | None = Field(
        default=None,
        ge=64,
        le=4096,
        description="MiB above the imported engine; at most 4096. More than the host's limit needs its operator's leave.",
    )
    max_bytes: int | None = Field(
        default=None, ge=1, description="Largest source, bytes: the host does not call the plugin for a larger one."
    )


class SystemRequirement(Model):
    """A program outside Python that the engine calls."""

    command: str = Field(description="Executable to be found on PATH.")
    install: str = Field(description="The command that installs it.")


class EngineInfo(Model):
    """The library that a plugin wraps."""

    distribution: str | None = Field(default=None, description="Its distribution; null for the standard library.")
    module: str | None = Field(
        default=None, description="Module to be found; its top-level package is looked up without importing it."
    )
    versions: str = Field(default="", description="Supported versions, as a PEP 440 specifier.")
    licence: str = Field(description="SPDX expression of the engine's licence.")


class ModelWeights(Model):
    """Model weights that an engine needs and its wheel does not include; a host reports whether they are available."""

    setting: str = Field(
        pattern=r"^[a-z_]+\.[a-z_]+$",
        description="Setting of the host that holds their path: `entities.model`, `layout.model` or `speech.model`.",
    )
    files: tuple[RelativePath, ...] = Field(
        default=(), description="Paths in their folder that must exist; empty if the weights are a single file."
    )
    module: TopLevelModule | None = Field(
        default=None,
        description="Module that includes weights, used if the setting is empty; found without importing it.",
    )
    folder: RelativePath | None = Field(
        default=None, description="Their folder inside the module's folder; null: the module's folder itself."
    )
    runtime: tuple[TopLevelModule, ...] = Field(
        default=(), description="Modules that run the model, if the engine handles other documents without them."
    )


class PluginManifest(Model):
    """Everything that a host can know about a plugin without running it."""

    name: PluginName = Field(description="Distribution name without the prefix `octavo-`.")
    version: str = Field(default="0", description="The distribution's version; set by the loader.")
    contract: str = Field(default=CONTRACT_VERSION, description="Contract version that the plugin was written for.")
    description: str = Field(description="One line.")
    hooks: tuple[HookName, ...] = Field(default=(), description="Implemented hooks.")
    media_types: tuple[str, ...] = Field(default=(), description="Supported media types.")
    extensions: tuple[str, ...] = Field(
        default=(), description="File extensions with the dot, for messages and for types without a signature."
    )
    formats: tuple[FormatClaim, ...] = Field(
        default=(), description="Formats of its own among its media types, and how a host recognises their files."
    )
    priority: int = Field(
        default=50, ge=0, le=100, description="Order among plugins that routing does not rank: higher first."
    )
    capabilities: tuple[Capability, ...] = Field(default=(), description="Declared capabilities.")
    determinism: Literal["deterministic", "nondeterministic"] = Field(
        default="deterministic", description="Whether equal bytes give equal results."
    )
    concurrency: Literal["parallel", "serial"] = Field(
        default="parallel",
        description="Whether a host may call it several times at once; it never calls a serial one twice at a time.",
    )
    limits: Limits = Field(default_factory=Limits, description="Requested limits.")
    engine: EngineInfo = Field(description="The wrapped library.")
    system: tuple[SystemRequirement, ...] = Field(default=(), description="Programs that it calls.")
    weights: ModelWeights | None = Field(
        default=None, description="Model weights that it needs; null if it needs none or includes them."
    )
    services: dict[str, str] = Field(default_factory=dict, description="Service kind → 'module:factory'.")
    options: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="Options: name → its rule, with the keywords of JSON Schema in `plugin_options.KEYWORDS`.",
    )

    @field_validator("contract")
    @classmethod
    def _contract_parses(cls, value: str) -> str:
        parse_contract_version(value)
        return value

    @field_validator("options")
    @classmethod
    def _options_are_rules(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        check_declared(value)
        return value

    @field_validator("services")
    @classmethod
    def _kinds_exist(cls, value: dict[str, str]) -> dict[str, str]:
        if unknown := sorted(set(value) - set(_SERVICE_KINDS)):
            raise ValueError(f"unknown kinds of service {', '.join(unknown)}; known: {', '.join(_SERVICE_KINDS)}")
        return value

    @model_validator(mode="after")
    def _offers_something(self) -> Self:
        if not self.hooks and not self.services:
            raise ValueError("a plugin must declare at least one hook or service")
        if "convert" in self.hooks and not self.media_types:
            raise ValueError("a plugin with the hook `convert` must declare the media types that it reads")
        if odd := sorted({one.media_type for one in self.formats} - set(self.media_types)):
            raise ValueError(f"`formats` names {', '.join(odd)}, which `media_types` does not")
        return self

    @classmethod
    def from_toml(cls, text: str, *, version: str | None = None) -> Self:
        """Parse a manifest.

        Args:
            text: the file's content. The keys of `[plugin]` are the fields; the tables are `[plugin.engine]`,
                `[plugin.limits]`, `[[plugin.formats]]`, `[[plugin.system]]`, `[plugin.weights]`, `[plugin.services]` and
                `[plugin.options.NAME]`.
            version: the distribution's version.

        Raises:
            ManifestError: invalid TOML, no `[plugin]` table, or an invalid field; the message names it.
        """
        try:
            table = _parsed(text).get("plugin")
        except tomllib.TOMLDecodeError as error:
            raise ManifestError(f"{MANIFEST_NAME} is not TOML: {error}") from error
        if not isinstance(table, dict):
            raise ManifestError(f"{MANIFEST_NAME} has no [plugin] table")
        data: dict[str, Any] = dict(table)
        if version is not None:
            data["version"] = version
        try:
            return cls.read(data)
        except TypeError as error:
            raise ManifestError(f"{MANIFEST_NAME} contains a date or time, which no field accepts: {error}") from error
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or "plugin"
            raise ManifestError(f"{MANIFEST_NAME}, {field}: {first['msg']}") from error


def declared_contract(text: str) -> str | None:
    """Return the contract version in a manifest's text, or None; read nothing else.

    A host calls this first: the rest of a manifest for a newer contract may have unknown content.
    """
    try:
        table = _parsed(text).get("plugin")
    except tomllib.TOMLDecodeError:
        return None
    found = table.get("contract") if isinstance(table, dict) else None
    return found if isinstance(found, str) else None


@lru_cache(maxsize=1)
def _parsed(text: str) -> dict[str, Any]:
    """Parse a manifest's text, of which a host needs the contract version first and then the rest. Not to be changed."""
    return tomllib.loads(text)


class ManifestError(ValueError):
    """A manifest that cannot be read."""
