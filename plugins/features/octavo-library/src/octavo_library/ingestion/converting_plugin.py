"""Checks before the reuse of a version that the plugin that converted it is still the one of its name (ENG-18)."""

from __future__ import annotations

import json
from typing import Any

from octavo.plugins import Catalogue
from octavo.plugins.ownership import is_same
from octavo_contracts import OctavoError

from ..storage import ArtifactStore, KnownDocument
from ..storage.version_files import version_refs

TOOL = "tool.json"


def is_by_its_owner(artifacts: ArtifactStore, catalogue: Catalogue, known: KnownDocument) -> bool:
    """Whether a document's active version was converted by the code that its plugin's name stands for.

    A version is not reused if another distribution converted it than the one that owns the plugin's name, or if the
    installed plugin has the same version and other files: then the one or the other was altered. A version by an older or
    newer release of the plugin is reused, as is one by a plugin that is no longer installed. Versions of earlier releases
    of Octavo do not tell what converted them and are reused too.
    """
    if known.active_version is None:
        return True
    folder = version_refs(known.raw_hash, known.active_version, original="").conversion
    try:
        tool: dict[str, Any] = json.loads(artifacts.read(f"{folder}/{TOOL}"))
        name, distribution = tool["plugin"], tool["distribution"]
    except (OctavoError, ValueError, KeyError, TypeError):
        return True  # written by an earlier release; or damaged, which another check finds
    if not is_same(distribution, catalogue.owner_of(name)):
        return False
    plugin = catalogue.get(name) if name in catalogue else None
    if plugin is None or plugin.manifest.version != tool.get("plugin_version"):
        return True
    return tool.get("code_hash") in (None, plugin.code_hash)
