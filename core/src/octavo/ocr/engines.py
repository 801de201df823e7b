"""Which recognisers are asked, in which order."""

from __future__ import annotations

from octavo_contracts import UsageError

from ..plugins import Catalogue, PluginInfo
from .options import OcrOptions, OcrSettings


def engines_for(catalogue: Catalogue, settings: OcrSettings, options: OcrOptions) -> list[PluginInfo]:
    """The installed recognisers, first choice first.

    Args:
        catalogue: the installed plugins.
        settings: the order; one that is not installed is passed over, and those that it does not name are not asked.
        options: an engine that was asked for is the only one, and has to be there.

    Raises:
        UsageError: the engine asked for is not installed, or recognises nothing.
        ToolUnavailable: it lacks its program or library.
    """
    if options.engine is not None:
        plugin = catalogue.get(options.engine)
        if "ocr" not in plugin.manifest.hooks:
            known = ", ".join(found.name for found in catalogue.having("ocr")) or "none"
            raise UsageError(f"plugin {plugin.name!r} does not recognise pages", remedy=f"Installed are: {known}")
        plugin.require("ocr")
        return [plugin]
    usable = [plugin for plugin in catalogue.having("ocr") if plugin.missing() is None]
    if settings.engines is None:
        return usable
    by_name = {plugin.name: plugin for plugin in usable}
    return [by_name[name] for name in settings.engines if name in by_name]
