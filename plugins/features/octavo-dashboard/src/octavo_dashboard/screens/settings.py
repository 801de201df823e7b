"""Settings in effect with their origins, and the plugins with what they lack. The library owner's alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.settings.settings import Settings
from octavo.settings.sources import Key, Loaded, keys, load_settings
from octavo.settings.sources.loading import shown
from octavo_cli.installation.diagnostics import health
from octavo_contracts import OctavoError
from pydantic import Field

from ..problems import public_text
from ..screen import Query, Reader, Screen, View


class SettingsQuery(Query):
    """No parameters."""


class SettingView(View):
    """A setting."""

    key: str = Field(description="Its dotted key.")
    value: str = Field(description="Its value, as text; a secret is stars, of a path the last part is shown.")
    is_default: bool = Field(description="Whether it has its default.")
    origin: str = Field(
        description="`default`, the layer and name that set it, or the program that embeds the library."
    )
    variable: str = Field(description="The environment variable that sets it.")


class ToolView(View):
    """A plugin."""

    name: str = Field(description="Its name.")
    version: str = Field(description="Its version.")
    engine: str | None = Field(description="The package of its engine, or null.")
    installed: str | None = Field(description="The engine's installed version, or null.")
    expected: str = Field(description="The versions that the plugin expects.")
    hooks: list[str] = Field(description="What it can do.")
    problems: list[str] = Field(description="What is missing.")
    remedies: list[str] = Field(description="What to do about it.")


class SettingsView(View):
    """Settings and plugins."""

    settings: list[SettingView] = Field(description="Every setting.")
    tools: list[ToolView] = Field(description="Every plugin, those that lack something first.")


def build(reader: Reader, query: SettingsQuery) -> SettingsView:
    """Show settings and plugins.

    Raises:
        Refused: the asker is not the library's owner.
    """
    runtime = reader.owned.context.runtime
    try:
        loaded: Loaded | None = load_settings()
    except OctavoError:
        loaded = None
    settings = []
    for key in keys():
        value = _value(runtime.settings, key)
        settings.append(
            SettingView(
                key=key.name,
                value=_text(shown(value), is_path=key.is_path),
                is_default=value == key.default,
                origin=_origin(loaded, key.name, value, is_default=value == key.default),
                variable=key.variable,
            )
        )
    tools = []
    for plugin in runtime.catalogue:
        found = health(plugin)
        tools.append(
            ToolView(
                name=found.plugin,
                version=found.version,
                engine=found.engine,
                installed=found.installed,
                expected=found.expected,
                hooks=sorted(plugin.manifest.hooks),
                problems=[public_text(problem) for problem in found.problems],
                remedies=[public_text(fix) for fix in found.fixes],
            )
        )
    tools.sort(key=lambda tool: (not tool.problems, tool.name))
    return SettingsView(settings=settings, tools=tools)


def _value(settings: Settings, key: Key) -> Any:
    """The value in effect; the default of a part that is left out as a whole."""
    value: Any = settings
    for part in key.name.split("."):
        if value is None:
            return key.default
        value = value.get(part) if isinstance(value, Mapping) else getattr(value, part, key.default)
    return value


def _text(value: Any, *, is_path: bool) -> str:
    if value is None or value in ([], {}, ()):
        return "–"
    if isinstance(value, bool):
        return "on" if value else "off"
    if is_path and isinstance(value, str):
        return value.rstrip("/").rpartition("/")[2]
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return public_text(text)


def _origin(loaded: Loaded | None, name: str, value: Any, *, is_default: bool) -> str:
    """Where a value came from; a value that no layer of this process gives was set by the embedding program."""
    if loaded is not None and loaded.values.get(name) == value:
        return public_text(str(loaded.origins[name]))
    return "default" if is_default else "set by the program"


SCREEN = Screen(
    path="/settings",
    template="settings.html",
    summary="Show settings with their origins, and plugins with what they lack.",
    query=SettingsQuery,
    view=SettingsView,
    build=build,
    is_owners=True,
)
