"""Registry of model capabilities and prices, as data (CTX-5)."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal, Self

from octavo_contracts import Model, UsageError
from pydantic import Field, TypeAdapter, ValidationError

Caching = Literal["none", "breakpoints", "automatic"]
Provider = Literal["anthropic", "openai", "google"]

FORMAT: Final = 1
"""Format version of the model file."""


class Price(Model):
    """Prices of a model, in USD per million tokens."""

    input: float = Field(ge=0, description="Uncached input tokens.")
    output: float | None = Field(default=None, ge=0, description="Output tokens.")
    cache_write: float | None = Field(default=None, ge=0, description="Input tokens written to the prompt cache.")
    cache_read: float | None = Field(default=None, ge=0, description="Input tokens read from the prompt cache.")


class ModelCapabilities(Model):
    """Capabilities of one model. A model without a registry entry is sent text, and its price is unknown."""

    pattern: str = Field(description="Shell pattern for model names, in lower case.")
    provider: Provider | None = Field(
        default=None, description="Provider whose content block shape is used; null: neutral blocks."
    )
    native_pdf: bool = Field(default=False, description="Whether the model reads PDF files.")
    vision: bool = Field(default=False, description="Whether the model reads images.")
    caching: Caching = Field(default="none", description="Prompt caching mode of the provider.")
    min_cache_tokens: int = Field(
        default=1024, ge=0, description="Shortest prefix, in tokens, that the provider caches."
    )
    max_pdf_pages: int = Field(default=0, ge=0, description="Longest PDF that the model reads, in pages.")
    max_pdf_bytes: int = Field(default=0, ge=0, description="Largest PDF that the model reads; 0: no known limit.")
    window: int = Field(default=32_000, ge=1, description="Context window, in tokens.")
    page_image_tokens: int = Field(default=1600, ge=0, description="Tokens of one page image.")
    page_text: bool = Field(
        default=True, description="Whether a PDF page counts its text tokens in addition to its image."
    )
    token_factor: float = Field(default=1.0, gt=0, description="Tokens of this model per token of o200k_base.")
    price: Price | None = Field(default=None, description="Prices, or null if unknown.")

    @property
    def caches(self) -> bool:
        """Whether the provider has a reliable prompt cache."""
        return self.caching != "none"

    def cost(self, tokens: int, *, cache: Literal["none", "write", "read"] = "none") -> float | None:
        """Cost of input tokens in USD; None if the price is unknown."""
        if self.price is None:
            return None
        special = {"write": self.price.cache_write, "read": self.price.cache_read}.get(cache)
        return tokens * (self.price.input if special is None else special) / 1e6

    @property
    def read_share(self) -> float:
        """Price of a cached input token as a share of an uncached one."""
        if self.price is None or not self.price.input or self.price.cache_read is None:
            return 1.0
        return self.price.cache_read / self.price.input


UNKNOWN: Final = ModelCapabilities(pattern="*")
"""Capabilities of an unknown model: text only, a small window, no price."""

_ENTRIES: Final = TypeAdapter(list[ModelCapabilities])


class ModelRegistry:
    """Model capabilities by model name.

    Args:
        user_file: TOML or JSON file whose entries add to the shipped ones and replace those with an equal pattern.

    Raises:
        UsageError: the file cannot be read, or an entry is invalid.
    """

    def __init__(self, user_file: str | os.PathLike[str] | None = None) -> None:
        self._file = Path(user_file).expanduser() if user_file is not None else None
        self._models: Mapping[str, ModelCapabilities] = {}
        self.refresh()

    @classmethod
    def of(cls, entries: Sequence[ModelCapabilities]) -> Self:
        """Create a registry with only these entries."""
        made = cls()
        made._models = {entry.pattern: entry for entry in entries}
        return made

    def refresh(self) -> None:
        """Read the user's file again.

        Raises:
            UsageError: as the class; the entries then stay unchanged.
        """
        entries = list(_shipped())
        if self._file is not None:
            entries += _read_user_file(self._file)
        self._models = {entry.pattern: entry for entry in entries}

    @property
    def models(self) -> tuple[ModelCapabilities, ...]:
        """All entries, sorted by pattern."""
        return tuple(self._models[pattern] for pattern in sorted(self._models))

    def knows(self, model: str) -> bool:
        """Whether an entry matches the model name."""
        return self.get(model) is not UNKNOWN

    def get(self, model: str) -> ModelCapabilities:
        """The capabilities of a model; `UNKNOWN` if no entry matches.

        Args:
            model: name of the model, optionally prefixed with a provider and a slash.
        """
        name = model.strip().lower().rpartition("/")[2]
        fits = [entry for entry in self._models.values() if fnmatchcase(name, entry.pattern)]
        return max(fits, key=lambda entry: len(entry.pattern), default=UNKNOWN)


class _Shipped:
    @cached_property
    def entries(self) -> tuple[ModelCapabilities, ...]:
        text = files(__package__).joinpath("models.toml").read_text(encoding="utf-8")
        return tuple(_entries(tomllib.loads(text), where="models.toml"))


_SHIPPED: Final = _Shipped()


def _shipped() -> tuple[ModelCapabilities, ...]:
    return _SHIPPED.entries


def _read_user_file(path: Path) -> list[ModelCapabilities]:
    try:
        data = path.read_bytes()
        parsed = json.loads(data) if path.suffix == ".json" else tomllib.loads(data.decode())
    except OSError as error:
        raise UsageError(
            f"the model file {path} cannot be read: {error.strerror}", remedy="Check the setting context.models"
        ) from error
    except ValueError as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise UsageError(f"the model file {path} is not valid {kind}: {error}") from error
    return _entries(parsed, where=str(path))


def _entries(parsed: Any, *, where: str) -> list[ModelCapabilities]:
    if not isinstance(parsed, dict) or parsed.get("format") != FORMAT or not isinstance(parsed.get("models"), list):
        raise UsageError(f"{where} is not a model file", remedy=f"It needs format = {FORMAT} and [[models]] entries")
    try:
        found = _ENTRIES.validate_json(json.dumps(parsed["models"]))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{where}: models.{place}: {first['msg']}") from error
    return [entry.model_copy(update={"pattern": entry.pattern.lower()}) for entry in found]
