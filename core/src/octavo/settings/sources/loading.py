"""Combines files, variables and flags into one `Settings`, with the origin of each value."""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from octavo_contracts import UsageError
from octavo_text.chunking import ChunkingConfig, chunking_named
from pydantic import SecretStr, TypeAdapter, ValidationError, create_model

from ..settings import Settings
from .files import beside, project_file, user_file
from .keys import OPEN, PREFIX, SEPARATOR, Key, keys, mappings, parts

if TYPE_CHECKING:
    from pydantic_settings import BaseSettings

Layer = Literal["flag", "environment", "project file", "user file", "default"]


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a value comes from.

    Attributes:
        layer: the layer that sets the value.
        name: the flag, the variable or the file; empty for a default.
    """

    layer: Layer
    name: str = ""

    def __str__(self) -> str:
        return f"{self.layer} {self.name}".strip()


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """Settings, with the origin of each value.

    Attributes:
        settings: the settings.
        values: dotted key → value.
        origins: dotted key → origin.
        files: the files that were read, highest precedence first.
        unknown: variables with the prefix of settings that match no setting.
    """

    settings: Settings
    values: Mapping[str, Any]
    origins: Mapping[str, Origin]
    files: tuple[Path, ...]
    unknown: tuple[str, ...]

    def to_flags(self) -> dict[str, Any]:
        """The values that a layer sets, as JSON values that `load_settings` takes as flags, on this machine or another.

        Secrets are revealed: send them only where the documents may go too.
        """
        return {name: _plain(self.values[name]) for name, origin in self.origins.items() if origin != _DEFAULT}


_OTHERS = frozenset({"OCTAVO_DEBUG", "OCTAVO_CORPUS", "OCTAVO_UPDATE"})
"""Variables with the prefix that are not settings: one of the command line, two of this project's tests."""

_NAMED_OTHERWISE = "plugins"
"""The table whose variables have other names: OCTAVO_PLUGINS is a list of names, not the table."""

_DEFAULT = Origin(layer="default")


def load_settings(*, flags: Mapping[str, Any] | None = None, folder: Path | None = None) -> Loaded:
    """Read every layer. Precedence applies to single values, not to whole tables.

    Args:
        flags: dotted key → value, from command-line options; None values are ignored.
        folder: where the search for the project's file starts; by default the working directory.

    Raises:
        UsageError: a file cannot be read, or a key or value is not allowed; the message names the file or variable,
            the key, and the allowed values.
    """
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    files = [(layer, path) for layer, path in _files(folder) if path is not None and path.is_file()]
    values: dict[str, Any] = {key.name: key.default for key in keys()}
    origins: dict[str, Origin] = dict.fromkeys(values, _DEFAULT)
    for layer, path in reversed(files):
        _take(values, origins, _from_file(path, Origin(layer=layer, name=str(path))))
    _take(values, origins, _from_environment())
    flagged = {name: Origin(layer="flag", name="--" + name.rpartition(".")[2].replace("_", "-")) for name in given}
    _take(values, origins, ((name, _checked(_key(name), given[name], flagged[name]), flagged[name]) for name in given))
    settings: Settings = _build("", values, origins)
    _follow(values, origins, settings)
    return Loaded(
        settings=settings,
        values=values,
        origins=origins,
        files=tuple(path for _, path in files),
        unknown=_unknown_variables(),
    )


Value = tuple[str, Any, Origin]


def _follow(values: dict[str, Any], origins: dict[str, Origin], settings: Settings) -> None:
    """Complete the chunking values that follow from those that were set, with the same origin."""
    names = [f"chunking.{name}" for name in vars(settings.chunking)]
    by = next((origins[name] for name in names if origins[name] != _DEFAULT), _DEFAULT)
    for name, value in zip(names, vars(settings.chunking).values(), strict=True):
        if values[name] != value:
            values[name], origins[name] = value, by


def _files(folder: Path | None) -> Iterator[tuple[Layer, Path | None]]:
    yield "project file", project_file(folder)
    yield "user file", user_file()


def _take(values: dict[str, Any], origins: dict[str, Origin], layer: Iterator[Value]) -> None:
    for name, value, origin in layer:
        values[name], origins[name] = value, origin


def _from_file(path: Path, origin: Origin) -> Iterator[Value]:
    from pydantic_settings import TomlConfigSettingsSource

    try:
        table = TomlConfigSettingsSource(_sourced(), toml_file=path)()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: invalid TOML: {error}") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    known = {key.name: key for key in keys()}
    for name, value in _leaves(_with_options(table), "", origin):
        key = known.get(name)
        if key is None:
            raise UsageError(f"{origin.name}: unknown setting {name!r}", remedy=_nearest(name, known))
        checked = _checked(key, value, origin, strict=True)
        yield name, beside(path, checked) if _is_path(key, checked) else checked, origin


def _with_options(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's table with the tables `[plugins.NAME]` as the setting `plugins.options`."""
    given = table.get("plugins")
    if not isinstance(given, Mapping):
        return dict(table)
    own = {field.name for field in fields(parts()["plugins"])}
    options = {name: value for name, value in given.items() if name not in own and isinstance(value, Mapping)}
    rest = {name: value for name, value in given.items() if name not in options}
    if options:
        rest["options"] = {**rest.get("options", {}), **options}
    return {**table, "plugins": rest}


def _from_environment() -> Iterator[Value]:
    for name, value in _leaves(_environment_tables(), "", None):
        key = _key(name)
        origin = Origin(layer="environment", name=key.variable)
        if isinstance(value, str) and key.is_list:
            value = [part.strip() for part in value.split(",") if part.strip()]
        if isinstance(value, str) and key.name in OPEN:
            value = _object(value, origin)
        yield name, _checked(key, value, origin), origin


def _object(text: str, origin: Origin) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise UsageError(f"{origin.name} must be a JSON object: {error}") from error


def _environment_tables() -> dict[str, Any]:
    """Return the values of the environment variables as nested tables. Those of the plugins have other names."""
    if not any(name.upper().startswith(PREFIX) for name in os.environ):
        return {}  # most users set none, and pydantic-settings takes a good part of a small command's time
    from pydantic_settings import EnvSettingsSource, SettingsError

    model = _sourced(without=_NAMED_OTHERWISE)
    source = EnvSettingsSource(model, env_prefix=PREFIX, env_nested_delimiter=SEPARATOR, env_ignore_empty=True)
    known = {key.name for key in keys()}
    tables: dict[str, Any] = {}
    try:
        found = source()
    except SettingsError as error:
        raise UsageError(f"a variable for a table must be a JSON object: {error}") from error
    for name, value in _leaves(found, "", None):
        if name in known:
            tables[name] = value
    for key in keys():
        own = os.environ.get(key.variable)
        if own and key.variable != PREFIX + key.name.upper().replace(".", SEPARATOR):
            tables[key.name] = own
    return tables


def _sourced(*, without: str | None = None) -> type[BaseSettings]:
    """Build a model with the fields of `Settings` for pydantic-settings, whose sources read these names."""
    from pydantic_settings import BaseSettings

    named = [field.name for field in fields(Settings) if field.name != without]
    model: type[BaseSettings] = create_model(
        "SourcedSettings",
        __base__=BaseSettings,
        **{name: (parts().get(name, Any), None) for name in named},  # type: ignore[call-overload]  # the names are known at run time only
    )
    return model


def _leaves(table: Mapping[str, Any], prefix: str, origin: Origin | None) -> Iterator[tuple[str, Any]]:
    """Yield dotted names and values of nested tables.

    Raises:
        UsageError: a table instead of a value, or the reverse; checked only if an origin is given.
    """
    for name, value in table.items():
        dotted = f"{prefix}{name}"
        is_table = dotted in parts() or dotted in mappings()
        if is_table and isinstance(value, Mapping):
            yield from _leaves(value, f"{dotted}.", origin)
        elif origin is not None and is_table:
            raise UsageError(
                f"{origin.name}: {dotted!r} is a table of settings", remedy=f"Write its settings below [{dotted}]"
            )
        else:
            yield dotted, value


def _checked(key: Key, value: Any, origin: Origin, *, strict: bool = False) -> Any:
    """Validate a value. Values from files must have the exact type; text from variables is converted."""
    adapter: TypeAdapter[Any] = TypeAdapter(key.type)
    try:
        return adapter.validate_json(json.dumps(value), strict=True) if strict else adapter.validate_python(value)
    except ValidationError as error:
        wanted = "; ".join(dict.fromkeys(problem["msg"] for problem in error.errors(include_input=False)))
        raise _not_allowed(key, value, origin, wanted) from error
    except TypeError as error:  # a TOML date
        raise _not_allowed(key, value, origin, "no setting has a date or time as its value") from error


def _not_allowed(key: Key, value: Any, origin: Origin, wanted: str) -> UsageError:
    shown = "its value" if key.is_secret else repr(value)
    where = f"{origin.name}: `{key.name}`" if origin.layer != "flag" else f"`{key.name}` ({origin.name})"
    is_number = "valid number" in wanted or "valid integer" in wanted
    remedy = "Give a number without a unit: a time in seconds, a size in bytes" if is_number else None
    return UsageError(f"{where} cannot be {shown}: {wanted[:1].lower()}{wanted[1:]}", remedy=remedy)


def _build(name: str, values: Mapping[str, Any], origins: Mapping[str, Origin]) -> Any:
    """Build the dataclass of a table from its values and tables."""
    prefix = f"{name}." if name else ""
    made: dict[str, Any] = {}
    for field in fields(parts()[name]):
        dotted = f"{prefix}{field.name}"
        if dotted in mappings():
            made[field.name] = {entry: values[f"{dotted}.{entry}"] for entry in mappings()[dotted]}
        elif dotted not in parts():
            made[field.name] = values[dotted]
        elif dotted != _NAMED_OTHERWISE or _is_set(dotted, origins):  # None: the catalogue reads the environment
            made[field.name] = _build(dotted, values, origins)
    try:
        return _chunking(made, origins) if name == "chunking" else parts()[name](**made)
    except (ValueError, UsageError) as error:
        raise _contradiction(name, error, origins) from error


def _chunking(made: dict[str, Any], origins: Mapping[str, Origin]) -> ChunkingConfig:
    """Build the chunking config. Its name identifies stored chunks, so it is derived from the sizes or the reverse."""
    if origins["chunking.version"] != _DEFAULT and not any(
        _is_set(f"chunking.{size}", origins) for size in ("target", "maximum", "minimum")
    ):
        return chunking_named(made["version"])
    named = "fixed-{target}-{maximum}-{minimum}".format_map(made)
    if origins["chunking.version"] != _DEFAULT and made["version"] != named:
        raise ValueError(f"the sizes belong to {named}, not to {made['version']}")
    return ChunkingConfig(**{**made, "version": named})


def _contradiction(name: str, error: Exception, origins: Mapping[str, Origin]) -> UsageError:
    set_by = {str(origin) for key, origin in origins.items() if key.startswith(f"{name}.") and origin != _DEFAULT}
    message = error.message if isinstance(error, UsageError) else str(error)
    return UsageError(f"{', '.join(sorted(set_by))}: [{name}] is invalid: {message}")


def _is_set(name: str, origins: Mapping[str, Origin]) -> bool:
    return any((key == name or key.startswith(f"{name}.")) and origin != _DEFAULT for key, origin in origins.items())


def _is_path(key: Key, value: Any) -> bool:
    if not isinstance(value, str):
        return False
    return key.is_path or (key.name == "profile" and value.endswith(".toml"))


def _key(name: str) -> Key:
    return next(key for key in keys() if key.name == name)


def _nearest(name: str, known: Mapping[str, Key]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    table = name.rpartition(".")[0]
    siblings = [key for key in known if key.rpartition(".")[0] == table]
    hint = f"Did you mean {close[0]}? " if close else ""
    return f"{hint}Allowed: {', '.join(siblings or known)}"


def _unknown_variables() -> tuple[str, ...]:
    tables = {PREFIX + name.upper() for name in parts()}
    known = {key.variable for key in keys()} | tables | _OTHERS
    return tuple(sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known))


def _plain(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value


def shown(value: Any) -> Any:
    """Convert a value for printing and JSON: a secret to stars, a set to a sorted list."""
    if isinstance(value, SecretStr):
        return str(value)
    return sorted(value) if isinstance(value, frozenset) else value
