"""What to do about an encrypted document, by whether a plugin takes its password."""

from __future__ import annotations

from collections.abc import Iterable

from octavo_contracts import Capability, PluginManifest, SourceEncrypted

_NONE_TAKES_ONE = "Save a copy without encryption: no installed plugin takes a password for this format"


def encrypted_remedy(readers: Iterable[PluginManifest]) -> str:
    """Return the remedy of `SourceEncrypted`, which names a password only where a plugin takes it.

    Args:
        readers: manifests of the installed plugins that read the document's type.
    """
    takes_one = any(Capability.PASSWORDS in manifest.capabilities for manifest in readers)
    return SourceEncrypted.default_remedy if takes_one else _NONE_TAKES_ONE
