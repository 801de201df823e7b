"""Every setting as one flat list: its dotted key, its type, its default and the variable that sets it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
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
}
"""Variables that are not named after their key."""

_PATHS = frozenset({"library"})
"""Keys whose relative values in a file count from the file's folder."""


@dataclass(frozen=True, kw_only=True)
class Key:
    """One setting.

    Attributes:
        name: dotted, for example `limits.wall_seconds`.
        type: what its value must be.
        default: its value where nobody sets it.
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
        """Whether a variable gives several values, parted by commas."""
        return any(getattr(one, "__origin__", one) in (frozenset, tuple) for one in (self.type, *get_args(self.type)))


@cache
def keys() -> tuple[Key, ...]:
    """Every setting, in the order of the fields of `Settings` and of its parts."""
    return tuple(_keys_of(Settings, ""))


@cache
def parts() -> dict[str, type]:
    """Dotted name of each table → its dataclass; the whole is ''."""
    return {"": Settings, **dict(_parts_of(Settings, ""))}


def part_of(hint: Any) -> type | None:
    """The dataclass that a type hint names, by itself or as an alternative to None."""
    return next((one for one in (hint, *get_args(hint)) if isinstance(one, type) and is_dataclass(one)), None)


def _parts_of(owner: type, prefix: str) -> Iterator[tuple[str, type]]:
    hints = get_type_hints(owner)
    for field in fields(owner):
        part = part_of(hints[field.name])
        if part is not None:
            yield f"{prefix}{field.name}", part
            yield from _parts_of(part, f"{prefix}{field.name}.")


def _keys_of(owner: type, prefix: str) -> Iterator[Key]:
    hints = get_type_hints(owner, include_extras=True)
    for field in fields(owner):
        name = f"{prefix}{field.name}"
        part = part_of(hints[field.name])
        if part is not None:
            yield from _keys_of(part, f"{name}.")
        else:
            variable = _VARIABLES.get(name, PREFIX + name.upper().replace(".", SEPARATOR))
            yield Key(name=name, type=hints[field.name], default=_default(field), variable=variable)


def _default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default
