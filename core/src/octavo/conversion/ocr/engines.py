"""Selects the OCR engines and their order."""

from __future__ import annotations

from octavo_contracts import UsageError

from ...plugins import Catalogue, PluginInfo
from ...settings.ocr import OcrOptions, OcrSettings
from .remote import is_remote


def engines_for(catalogue: Catalogue, settings: OcrSettings, options: OcrOptions) -> list[PluginInfo]:
    """Return the installed OCR engines in order of preference.

    Args:
        catalogue: the installed plugins.
        settings: the order; engines that are not installed are skipped, and engines that it does not name are not used.
            Without an order, engines across the network are excluded: using one requires naming it (OCR-1).
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
        return [plugin for plugin in catalogue.having("ocr") if plugin.missing() is None]
    by_name = {plugin.name: plugin for plugin in catalogue if _recognises(plugin) and plugin.missing() is None}
    return [by_name[name] for name in settings.engines if name in by_name]


def _recognises(plugin: PluginInfo) -> bool:
    return "ocr" in plugin.manifest.hooks or is_remote(plugin)
