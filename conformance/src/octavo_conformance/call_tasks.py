"""Calls of hooks as JSON for the processes that make them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from octavo.plugins import PluginInfo
from octavo_contracts import HookName, Model
from octavo_contracts.plugin_options import options_of
from pydantic import JsonValue

Options = Mapping[str, JsonValue]
"""Options of a plugin by name."""


def call_task(
    plugin: PluginInfo, hook: HookName, arguments: Mapping[str, Model | str], *, options: Options | None = None
) -> dict[str, Any]:
    """Return the call of a hook as `octavo.plugins.worker.call_hook` takes it.

    Args:
        plugin: the plugin.
        hook: its hook.
        arguments: arguments other than source and context.
        options: options of the plugin; the others have their defaults.

    Raises:
        OptionError: the manifest does not allow an option.
    """
    manifest = plugin.manifest
    return {
        "plugin": plugin.name,
        "module": plugin.module,
        "hooks": manifest.hooks,
        "capabilities": manifest.capabilities,
        "hook": hook,
        "options": options_of(manifest.options, options or {}),
        "arguments": {
            name: value if isinstance(value, str) else json.loads(value.to_json()) for name, value in arguments.items()
        },
    }
