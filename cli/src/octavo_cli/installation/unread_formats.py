"""Which formats cannot be read with what is installed, and what reads them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from octavo.conversion.routing import recogniser_here, suggested_plugin
from octavo.formats import FORMATS
from octavo_contracts import Capability

from ..toolkit.install_command import install_command

if TYPE_CHECKING:
    from octavo.plugins import Catalogue

_PROGRAMS = {"octavo-libreoffice": "libreoffice", "octavo-pandoc": "pandoc"}
"""Distribution -> the program that it starts."""
_SCANS = "scanned pages"


@dataclass(frozen=True, kw_only=True)
class UnreadFormat:
    """A format that nothing installed reads.

    Attributes:
        name: what people call it.
        extensions: with their dots.
        install: the distributions that read it, with extras.
    """

    name: str
    extensions: tuple[str, ...]
    install: tuple[str, ...]


def unread_formats(catalogue: Catalogue) -> list[UnreadFormat]:
    """The formats that no installed plugin can read here and a plugin of Octavo reads, in the order of the table of formats.

    An image is read where it is opened and its text is recognised.

    Args:
        catalogue: the installed plugins.
    """
    ready = [plugin for plugin in catalogue if plugin.missing() is None]
    read = {
        media_type
        for plugin in ready
        if "convert" in plugin.manifest.hooks
        for media_type in plugin.manifest.media_types
    }
    # One that asks a server reads nothing until the server is named.
    recognises = any(
        "ocr" in plugin.manifest.hooks and Capability.NETWORK not in plugin.manifest.capabilities for plugin in ready
    )
    found: dict[str, UnreadFormat] = {}
    if not recognises:
        found[_SCANS] = UnreadFormat(name=_SCANS, extensions=(".pdf",), install=(recogniser_here(),))
    for row in FORMATS:
        suggestion = suggested_plugin(row.media_type)
        is_image = row.media_type.startswith("image/")
        if suggestion is None or (row.media_type in read and (recognises or not is_image)):
            continue
        install = [f"octavo-{suggestion}"] if row.media_type not in read else []
        install += [recogniser_here()] if is_image and not recognises else []
        found[row.label] = UnreadFormat(name=row.label, extensions=row.extensions, install=tuple(install))
    return list(found.values())


def install_all(formats: Iterable[UnreadFormat]) -> tuple[str, list[str]]:
    """The one command that installs what reads the formats, and the programs that it needs and that are not there."""
    wanted = list(dict.fromkeys(name for one in formats for name in one.install))
    names = {re.sub(r"\[.*", "", name) for name in wanted}
    programs = [program for name, program in _PROGRAMS.items() if name in names and shutil.which(program) is None]
    return install_command(wanted), programs


def install_groups(formats: Iterable[UnreadFormat]) -> dict[str, list[str]]:
    """Each command that installs what reads some of the formats, with the names of those formats."""
    groups: dict[str, list[str]] = {}
    for one in formats:
        groups.setdefault(install_command(one.install), []).append(one.name)
    return groups


def as_keys(formats: Iterable[UnreadFormat]) -> list[dict[str, Any]]:
    """The formats as JSON values."""
    return [{"name": one.name, "extensions": list(one.extensions), "install": list(one.install)} for one in formats]
