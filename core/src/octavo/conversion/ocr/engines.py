"""Selects the OCR engines and their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from octavo_contracts import Capability, UsageError
from pydantic import JsonValue

from ...plugins import Catalogue, PluginInfo
from ...settings.ocr import OcrOptions, OcrSettings
from .remote import is_remote, needs_network

if TYPE_CHECKING:
    from ...runtime import Runtime


def engines_for(
    catalogue: Catalogue, settings: OcrSettings, options: OcrOptions, *, first: Sequence[PluginInfo] = ()
) -> list[PluginInfo]:
    """Return the installed OCR engines in order of preference.

    Args:
        catalogue: the installed plugins.
        settings: the order; engines that are not installed are skipped, and engines that it does not name are not used.
            Without an order, engines across the network are excluded: using one requires naming it (OCR-1).
        first: engines that a profile prefers to all others, where the settings have no order; see `preferred`.
        options: if an engine is requested, it is the only one and must be installed.

    Raises:
        UsageError: the requested engine is not installed, or has no OCR.
        ToolUnavailable: the requested engine lacks its program or library.
    """
    if options.engine is not None:
        plugin = catalogue.get(options.engine)
        if not _recognises(plugin):
            known = ", ".join(found.name for found in catalogue if _recognises(found)) or "none"
            raise UsageError(
                f"plugin {plugin.name!r} does not recognise pages", remedy=f"Installed OCR engines: {known}"
            )
        if not is_remote(plugin):
            plugin.require("ocr")
        return [plugin]
    if settings.engines is None:
        local = [plugin for plugin in catalogue.having("ocr") if plugin.missing() is None and not needs_network(plugin)]
        return [*first, *(plugin for plugin in local if plugin not in first)]
    by_name = {plugin.name: plugin for plugin in catalogue if _recognises(plugin) and plugin.missing() is None}
    return [by_name[name] for name in settings.engines if name in by_name]


def options_given(runtime: Runtime, plugin: PluginInfo, *, profile: str | None) -> Mapping[str, JsonValue]:
    """Return the options of a plugin in the settings and in a profile; without the defaults of its manifest."""
    selection = runtime.settings.plugins
    given = selection.options.get(plugin.name, {}) if selection is not None else {}
    return {**given, **runtime.profile(profile).options.get(plugin.name, {})}


def is_configured(runtime: Runtime, plugin: PluginInfo, *, profile: str | None) -> bool:
    """Return whether every option that has no default is given: a plugin without its server's address is not called."""
    given = options_given(runtime, plugin, profile=profile)
    declared = plugin.manifest.options.items()
    return all(name in given or (isinstance(rule, dict) and "default" in rule) for name, rule in declared)


def preferred(runtime: Runtime, *, profile: str | None) -> list[PluginInfo]:
    """Return the engines that a profile prefers to all others, without those that are missing or not configured (OCR-8)."""
    catalogue = runtime.catalogue
    named = [plugin for name in runtime.profile(profile).recognisers for plugin in catalogue if plugin.name == name]
    return [
        plugin
        for plugin in named
        if _recognises(plugin) and plugin.missing() is None and is_configured(runtime, plugin, profile=profile)
    ]


def describer(runtime: Runtime, *, profile: str | None) -> PluginInfo | None:
    """Return the best plugin that describes pictures, if one is installed and configured (CNV-10)."""
    for plugin in runtime.catalogue.having("ocr"):
        if (
            Capability.DESCRIPTIONS in plugin.manifest.capabilities
            and plugin.missing() is None
            and is_configured(runtime, plugin, profile=profile)
        ):
            return plugin
    return None


def _recognises(plugin: PluginInfo) -> bool:
    return "ocr" in plugin.manifest.hooks or is_remote(plugin)
