"""Checks the model weights for `octavo doctor`: which engines need them, whether they exist, which setting names them.

An engine finds and loads its weights itself when it first runs. This module only checks whether the files named in its
manifest exist: nothing is imported or loaded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from octavo.settings.layout import LAYOUT_SETTING
from octavo_contracts import ModelWeights, OctavoError

from ..toolkit.install_command import fitting

if TYPE_CHECKING:
    from octavo.plugins import Catalogue
    from octavo.plugins.services import Services
    from octavo.settings.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Weights:
    """State of the weights of one installed plugin.

    Attributes:
        plugin: its name.
        setting: the setting that names them; None: they come from packages only.
        path: where they are or should be; None if unknown.
        found: whether they exist.
        problem: the problem, as a sentence; empty if they exist.
        is_named: whether the setting names them.
    """

    plugin: str
    setting: str | None
    path: str | None = None
    found: bool
    problem: str = ""
    is_named: bool = False

    @property
    def is_misled(self) -> bool:
        """Whether the setting names a path that does not exist."""
        return self.is_named and self.path is not None and not os.path.exists(self.path)


_SETTINGS: Final[Mapping[str, Callable[[Settings], Path | None]]] = {
    "entities.model": lambda settings: settings.entities.model,
    LAYOUT_SETTING: lambda settings: settings.layout.model,
    "speech.model": lambda settings: settings.speech.model,
}
"""Setting that a manifest may name → its value."""


def examine_weights(catalogue: Catalogue, services: Services, settings: Settings) -> list[Weights]:
    """Check the weights of each installed plugin that needs some, sorted by plugin name."""
    found = [
        _weights(plugin.name, plugin.manifest.weights, settings)
        for plugin in catalogue
        if plugin.manifest.weights is not None
    ]
    for service in services.of_kind("embedder"):
        try:
            service.make()
            found.append(Weights(plugin=service.name, setting=None, found=True))
        except OctavoError as error:
            problem = fitting(f"{error.message}. {error.remedy}".rstrip())
            found.append(Weights(plugin=service.name, setting=None, found=False, problem=problem))
    return sorted(found, key=lambda one: one.plugin)


def _weights(plugin: str, required: ModelWeights, settings: Settings) -> Weights:
    if required.setting not in _SETTINGS:
        problem = f"this version of Octavo has no setting {required.setting}"
        return Weights(plugin=plugin, setting=required.setting, found=False, problem=problem)
    named = _SETTINGS[required.setting](settings)
    path = Path(os.path.abspath(named)) if named is not None else _packaged(required)
    return Weights(
        plugin=plugin,
        setting=required.setting,
        path=str(path) if path is not None else None,
        found=not (problem := _problem(required, path, is_named=named is not None)),
        problem=problem,
        is_named=named is not None,
    )


def _problem(required: ModelWeights, path: Path | None, *, is_named: bool) -> str:
    try:
        return _lack(required, path, is_named=is_named)
    except (OSError, ValueError) as error:  # an inaccessible folder, or a module outside a package
        return f"they cannot be checked: {type(error).__name__}"


def _lack(required: ModelWeights, path: Path | None, *, is_named: bool) -> str:
    if path is None:
        brings = f", and the module {required.module} is not installed" if required.module else ""
        return f"the setting {required.setting} is not set{brings}"
    which = f"{path}, named by the setting {required.setting}," if is_named else str(path)
    if not path.exists():
        return f"{which} does not exist"
    if not required.files:
        return "" if path.is_file() else f"{which} is not a file"
    if not path.is_dir():
        return f"{which} is not a folder"
    if lacking := [name for name in required.files if not any(path.glob(name if is_named else f"**/{name}"))]:
        return f"{which} lacks {', '.join(lacking)}"
    if absent := [name for name in required.runtime if find_spec(name) is None]:
        return f"the packages that run them are not installed: {', '.join(absent)}"
    return ""


def _packaged(required: ModelWeights) -> Path | None:
    try:
        spec = find_spec(required.module) if required.module else None
    except (ImportError, ValueError):
        return None  # the name of a module that is not a package
    places = (spec.submodule_search_locations if spec else None) or ()
    return next((Path(place) / (required.folder or "") for place in places), None)
