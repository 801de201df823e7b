"""The static manifest of a plugin: `octavo-plugin.toml` in its top-level package, read without importing it."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from ._model import Model
from .version import CONTRACT_VERSION, parse_contract_version

MANIFEST_NAME = "octavo-plugin.toml"

HookName = Literal["classify", "convert", "ocr", "extract_entities", "score_quality"]
"""The five document hooks."""

PluginName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
"""The distribution's name less `octavo-`."""


RelativePath = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$", max_length=255)
]
"""A path below a folder, that leads nowhere else."""

TopLevelModule = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
"""A module that is looked for without importing anything: one below another would import that."""


class Capability(StrEnum):
    """What a plugin can do. A declared one turns checks on; an absent one turns on the refusal check."""

    PAGES = "pages"
    """Keeps the pages of paginated formats."""
    HEADINGS = "headings"
    TABLES = "tables"
    BOXES = "boxes"
    METADATA = "metadata"
    ATTACHMENTS = "attachments"
    HIDDEN_TEXT = "hidden_text"
    """Keeps text that cannot be seen apart from the text."""
    PAGE_RANGES = "page_ranges"
    """Honours `ConvertRequest.pages`."""
    PASSWORDS = "passwords"
    """Honours `ConvertRequest.password`; without it an encrypted document is `SourceEncrypted`."""
    SCANS = "scans"
    """Reads pages without a text layer by itself."""
    WORDS = "words"
    """OCR: gives words with boxes."""
    NETWORK = "network"
    """Wants a way to the network: `context.fetch`, or the fetcher that its service is given."""
    SUBPROCESS = "subprocess"
    """Starts programs."""
    THREADS = "threads"
    """Starts threads of its own; kept for documentation, threads are always allowed."""


class Limits(Model):
    """What a plugin asks for, within the host's own limits."""

    timeout_seconds: float | None = Field(
        default=None, gt=0, description="Wall time of one call, seconds; the host's default where null."
    )
    memory_mb: int | None = Field(
        default=None, ge=64, le=4096, description="MiB above the imported engine; at most 4096."
    )
    max_bytes: int | None = Field(default=None, ge=1, description="Largest source, bytes.")


class SystemRequirement(Model):
    """A program outside Python that the engine calls."""

    command: str = Field(description="Executable looked for on PATH.")
    install: str = Field(description="The command that installs it.")


class EngineInfo(Model):
    """The library a plugin wraps."""

    distribution: str | None = Field(default=None, description="Its distribution; null for the standard library.")
    module: str | None = Field(
        default=None, description="Module looked for; its top-level package is found without importing it."
    )
    versions: str = Field(default="", description="Versions the plugin is made for, as a PEP 440 specifier.")
    licence: str = Field(description="SPDX expression of the engine's licence.")


class ModelWeights(Model):
    """The weights that an engine looks for, where its own wheel does not bring them; a host says whether they are there."""

    setting: str = Field(
        pattern=r"^[a-z_]+\.[a-z_]+$",
        description="Setting of the host that names them: `entities.model`, `layout.model` or `speech.model`.",
    )
    files: tuple[RelativePath, ...] = Field(
        default=(), description="Paths in their folder that must be there; empty where they are one file."
    )
    module: TopLevelModule | None = Field(
        default=None,
        description="Module that brings some, for where the setting names none; found without importing it.",
    )
    folder: RelativePath | None = Field(default=None, description="Their folder in that module's; null: that itself.")
    runtime: tuple[TopLevelModule, ...] = Field(
        default=(), description="Modules that run them, where the engine works for other documents without."
    )


class PluginManifest(Model):
    """Everything that can be known of a plugin without running it."""

    name: PluginName = Field(description="The distribution's name less `octavo-`.")
    version: str = Field(default="0", description="The distribution's version; filled in by the loader.")
    contract: str = Field(default=CONTRACT_VERSION, description="Contract version the plugin was written for.")
    description: str = Field(description="One line.")
    hooks: tuple[HookName, ...] = Field(default=(), description="The hooks it implements.")
    media_types: tuple[str, ...] = Field(default=(), description="Media types it reads.")
    extensions: tuple[str, ...] = Field(
        default=(), description="File extensions with the dot, for messages and for types without magic."
    )
    priority: int = Field(
        default=50, ge=0, le=100, description="Among plugins that routing does not rank: higher first."
    )
    capabilities: tuple[Capability, ...] = Field(default=(), description="What it can do.")
    determinism: Literal["deterministic", "nondeterministic"] = Field(
        default="deterministic", description="Whether equal bytes give equal results."
    )
    concurrency: Literal["parallel", "serial"] = Field(
        default="parallel", description="Whether several processes may run it at once."
    )
    limits: Limits = Field(default_factory=Limits, description="What it asks for.")
    engine: EngineInfo = Field(description="The library it wraps.")
    system: tuple[SystemRequirement, ...] = Field(default=(), description="Programs it calls.")
    weights: ModelWeights | None = Field(
        default=None, description="The weights that it looks for; null where it needs none, or brings them."
    )
    services: dict[str, str] = Field(default_factory=dict, description="Service kind → 'module:factory'.")

    @field_validator("contract")
    @classmethod
    def _contract_parses(cls, value: str) -> str:
        parse_contract_version(value)
        return value

    @model_validator(mode="after")
    def _offers_something(self) -> Self:
        if not self.hooks and not self.services:
            raise ValueError("a plugin names at least one hook or one service")
        if "convert" in self.hooks and not self.media_types:
            raise ValueError("a plugin with the hook `convert` names the media types it reads")
        return self

    @classmethod
    def from_toml(cls, text: str, *, version: str | None = None) -> Self:
        """Read a manifest's text.

        Args:
            text: the file's content; the keys of `[plugin]` are the fields, `[plugin.engine]`,
                `[plugin.limits]`, `[[plugin.system]]`, `[plugin.weights]` and `[plugin.services]` the tables.
            version: the distribution's version.

        Raises:
            ManifestError: no TOML, no `[plugin]` table, or a field that does not fit; the message names it.
        """
        try:
            table = tomllib.loads(text).get("plugin")
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
            raise ManifestError(f"{MANIFEST_NAME} holds a date or time, which no field takes: {error}") from error
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or "plugin"
            raise ManifestError(f"{MANIFEST_NAME}, {field}: {first['msg']}") from error


def declared_contract(text: str) -> str | None:
    """The contract version that a manifest's text names, or None; nothing else of it is looked at.

    A host asks this first: what else a newer contract's manifest holds may be unknown to it.
    """
    try:
        table = tomllib.loads(text).get("plugin")
    except tomllib.TOMLDecodeError:
        return None
    found = table.get("contract") if isinstance(table, dict) else None
    return found if isinstance(found, str) else None


class ManifestError(ValueError):
    """A manifest that cannot be read."""
