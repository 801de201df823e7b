"""All settings as a flat list: dotted key, type, default and environment variable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

from pydantic import SecretStr

from ..settings import Settings

PREFIX = "OCTAVO_"
SEPARATOR = "__"

_VARIABLES = {
    "plugins.allow": "OCTAVO_PLUGINS",
    "plugins.block": "OCTAVO_BLOCK",
    "plugins.strict": "OCTAVO_STRICT_PLUGINS",
    "plugins.owners": "OCTAVO_PLUGIN_OWNERS",
    "plugins.memory": "OCTAVO_PLUGIN_MEMORY",
    "plugins.network": "OCTAVO_PLUGIN_NETWORK",
    "plugins.options": "OCTAVO_PLUGIN_OPTIONS",
    "plugins.prices": "OCTAVO_PLUGIN_PRICES",
}
"""Variables that do not follow the naming rule."""

OPEN = frozenset(
    {
        *("plugins.owners", "plugins.memory", "plugins.network", "plugins.options", "plugins.prices"),
        *("entities.by_document_type", "entities.labels_by_document_type", "entities.options"),
    }
)
"""Settings that are tables with keys of the user's choice: each is one value. A variable gives it as a JSON object."""

_PATHS = frozenset({"context.models", "library"})
"""Keys whose relative values in a file are relative to the file's folder."""


@dataclass(frozen=True, kw_only=True)
class Key:
    """One setting.

    Attributes:
        name: dotted, for example `limits.wall_seconds`.
        type: type of the value.
        default: value if no source sets it.
        variable: the environment variable.
    """

    name: str
    type: Any
    default: Any
    variable: str

    @property
    def is_secret(self) -> bool:
        """Whether its value is never shown."""
        return SecretStr in (self.type, *get_args(self.type))

    @property
    def is_path(self) -> bool:
        """Whether it names a file or folder."""
        return self.name in _PATHS

    @property
    def is_list(self) -> bool:
        """Whether a variable gives several values, separated by commas."""
        return any(getattr(one, "__origin__", one) in (frozenset, tuple) for one in (self.type, *get_args(self.type)))


@cache
def keys() -> tuple[Key, ...]:
    """Every setting, in the order of the fields of `Settings` and of its parts."""
    return tuple(_keys_of(Settings(), ""))


@cache
def parts() -> dict[str, type]:
    """Dotted name of each table → its dataclass; the root is ''."""
    return {"": Settings, **dict(_parts_of(Settings(), ""))}


@cache
def mappings() -> dict[str, tuple[Any, ...]]:
    """Dotted name of each setting that is a mapping → its entries, which are settings themselves."""
    return dict(_mappings_of(Settings(), ""))


def _part(owner: Any, field: Field[Any], hint: Any) -> Any:
    """Return the table of a field, or None. An optional table is created with its own defaults."""
    kind = next((one for one in (hint, *get_args(hint)) if isinstance(one, type) and is_dataclass(one)), None)
    return (getattr(owner, field.name) or kind()) if kind is not None else None


def _parts_of(owner: Any, prefix: str) -> Iterator[tuple[str, type]]:
    hints = get_type_hints(type(owner))
    for field in fields(owner):
        part = _part(owner, field, hints[field.name])
        if part is not None:
            yield f"{prefix}{field.name}", type(part)
            yield from _parts_of(part, f"{prefix}{field.name}.")


def _mappings_of(owner: Any, prefix: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    hints = get_type_hints(type(owner))
    for field in fields(owner):
        part = _part(owner, field, hints[field.name])
        value = getattr(owner, field.name)
        if part is not None:
            yield from _mappings_of(part, f"{prefix}{field.name}.")
        elif isinstance(value, Mapping) and f"{prefix}{field.name}" not in OPEN:
            yield f"{prefix}{field.name}", tuple(value)


def _keys_of(owner: Any, prefix: str) -> Iterator[Key]:
    """Yield the keys of a table with its own values as defaults: two tables of one type may have different defaults."""
    hints = get_type_hints(type(owner), include_extras=True)
    for field in fields(owner):
        name, hint, default = f"{prefix}{field.name}", hints[field.name], getattr(owner, field.name)
        part = _part(owner, field, hint)
        if part is not None:
            yield from _keys_of(part, f"{name}.")
        elif isinstance(default, Mapping) and name not in OPEN:
            for entry, value in default.items():
                yield _key(f"{name}.{entry}", get_args(hint)[1], value)
        else:
            yield _key(name, hint, default)


def _key(name: str, kind: Any, default: Any) -> Key:
    variable = _VARIABLES.get(name, PREFIX + name.upper().replace(".", SEPARATOR))
    return Key(name=name, type=kind, default=default, variable=variable)
