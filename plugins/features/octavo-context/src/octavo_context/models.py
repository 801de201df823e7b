"""What models can do and what they cost, as data (CTX-5)."""

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
"""Of the file of models."""


class Price(Model):
    """Prices of a model, in USD for a million tokens."""

    input: float = Field(ge=0, description="Tokens that are read anew.")
    output: float | None = Field(default=None, ge=0, description="Tokens of the answer.")
    cache_write: float | None = Field(default=None, ge=0, description="Tokens that are put in the prompt cache.")
    cache_read: float | None = Field(default=None, ge=0, description="Tokens that are read from the prompt cache.")


class ModelCapabilities(Model):
    """What one model can do. Without a registry's entry a model is sent text, and nothing is known of its price."""

    pattern: str = Field(description="Shell pattern over the model's name, in lower case.")
    provider: Provider | None = Field(
        default=None, description="Whose shape its content blocks have; null: plain blocks."
    )
    native_pdf: bool = Field(default=False, description="Whether it reads PDF files.")
    vision: bool = Field(default=False, description="Whether it reads images.")
    caching: Caching = Field(default="none", description="How its provider keeps the beginning of a request.")
    min_cache_tokens: int = Field(default=1024, ge=0, description="A shorter beginning is not kept.")
    max_pdf_pages: int = Field(default=0, ge=0, description="Longest PDF that it reads, in pages.")
    max_pdf_bytes: int = Field(default=0, ge=0, description="Largest PDF that it reads; 0: no limit is known.")
    window: int = Field(default=32_000, ge=1, description="Context window, in tokens.")
    page_image_tokens: int = Field(default=1600, ge=0, description="Tokens of the picture of a page.")
    page_text: bool = Field(default=True, description="Whether the text of a PDF page is counted beside its picture.")
    token_factor: float = Field(default=1.0, gt=0, description="Tokens for one of o200k_base.")
    price: Price | None = Field(default=None, description="Prices, or null where they are not known.")

    @property
    def caches(self) -> bool:
        """Whether a prompt cache can be counted on."""
        return self.caching != "none"

    def cost(self, tokens: int, *, cache: Literal["none", "write", "read"] = "none") -> float | None:
        """USD for tokens that are sent; None where no price is known."""
        if self.price is None:
            return None
        special = {"write": self.price.cache_write, "read": self.price.cache_read}.get(cache)
        return tokens * (self.price.input if special is None else special) / 1e6

    @property
    def read_share(self) -> float:
        """What a token from the prompt cache costs, as a share of one that is read anew."""
        if self.price is None or not self.price.input or self.price.cache_read is None:
            return 1.0
        return self.price.cache_read / self.price.input


UNKNOWN: Final = ModelCapabilities(pattern="*")
"""A model that no entry is for: text alone, a small window, no price."""

_ENTRIES: Final = TypeAdapter(list[ModelCapabilities])


class ModelRegistry:
    """The capabilities of models by their names.

    Args:
        user_file: a TOML or JSON file whose entries replace those of the same pattern, and add others; None: there is none.

    Raises:
        UsageError: the file cannot be read, or says what no entry can.
    """

    def __init__(self, user_file: str | os.PathLike[str] | None = None) -> None:
        self._file = Path(user_file).expanduser() if user_file is not None else None
        self._models: Mapping[str, ModelCapabilities] = {}
        self.refresh()

    @classmethod
    def of(cls, entries: Sequence[ModelCapabilities]) -> Self:
        """A registry of these entries alone."""
        made = cls()
        made._models = {entry.pattern: entry for entry in entries}
        return made

    def refresh(self) -> None:
        """Read the user's file again.

        Raises:
            UsageError: as the class; the entries are as before then.
        """
        entries = list(_shipped())
        if self._file is not None:
            entries += _read_user_file(self._file)
        self._models = {entry.pattern: entry for entry in entries}

    @property
    def models(self) -> tuple[ModelCapabilities, ...]:
        """Every entry, in order of its pattern."""
        return tuple(self._models[pattern] for pattern in sorted(self._models))

    def knows(self, model: str) -> bool:
        """Whether an entry fits a model's name."""
        return self.get(model) is not UNKNOWN

    def get(self, model: str) -> ModelCapabilities:
        """The capabilities of a model; those of `UNKNOWN` where no entry fits.

        Args:
            model: its name, with or without a provider and a slash before it.
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
            f"the file of models {path} cannot be read: {error.strerror}", remedy="Check the setting context.models"
        ) from error
    except ValueError as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise UsageError(f"the file of models {path} is no {kind}: {error}") from error
    return _entries(parsed, where=str(path))


def _entries(parsed: Any, *, where: str) -> list[ModelCapabilities]:
    if not isinstance(parsed, dict) or parsed.get("format") != FORMAT or not isinstance(parsed.get("models"), list):
        raise UsageError(f"{where} is no file of models", remedy=f"It needs format = {FORMAT} and [[models]] entries")
    try:
        found = _ENTRIES.validate_json(json.dumps(parsed["models"]))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{where}: models.{place}: {first['msg']}") from error
    return [entry.model_copy(update={"pattern": entry.pattern.lower()}) for entry in found]
