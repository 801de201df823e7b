"""Which recognisers are asked, in which order."""

from __future__ import annotations

from octavo_contracts import UsageError

from ...plugins import Catalogue, PluginInfo
from ...settings.ocr import OcrOptions, OcrSettings
from .remote import is_remote


def engines_for(catalogue: Catalogue, settings: OcrSettings, options: OcrOptions) -> list[PluginInfo]:
    """The installed recognisers, first choice first.

    Args:
        catalogue: the installed plugins.
        settings: the order; one that is not installed is passed over, and those that it does not name are not asked.
            Without an order, one across the network is not among them: whoever wants it names it (OCR-1).
        options: an engine that was asked for is the only one, and has to be there.

    Raises:
        UsageError: the engine asked for is not installed, or recognises nothing.
        ToolUnavailable: it lacks its program or library.
    """
    if options.engine is not None:
        plugin = catalogue.get(options.engine)
        if not _recognises(plugin):
            known = ", ".join(found.name for found in catalogue if _recognises(found)) or "none"
            raise UsageError(f"plugin {plugin.name!r} does not recognise pages", remedy=f"Installed are: {known}")
        if not is_remote(plugin):
            plugin.require("ocr")
        return [plugin]
    if settings.engines is None:
        return [plugin for plugin in catalogue.having("ocr") if plugin.missing() is None]
    by_name = {plugin.name: plugin for plugin in catalogue if _recognises(plugin) and plugin.missing() is None}
    return [by_name[name] for name in settings.engines if name in by_name]


def _recognises(plugin: PluginInfo) -> bool:
    return "ocr" in plugin.manifest.hooks or is_remote(plugin)
