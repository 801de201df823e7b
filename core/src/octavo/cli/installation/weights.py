"""What `octavo doctor` says of weights: which engines need them, whether they are there, which setting names them.

An engine finds its weights itself, and loads them when it first works. Here it is only looked whether the files are there
that its manifest names: nothing is imported, nothing is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from octavo_contracts import ModelWeights, ToolUnavailable

from ...settings.layout import LAYOUT_SETTING

if TYPE_CHECKING:
    from ...plugins import Catalogue
    from ...plugins.services import Services
    from ...settings.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Weights:
    """How it stands with the weights of one installed plugin.

    Attributes:
        plugin: its name.
        setting: the setting that names them; None: they come with packages alone.
        path: where they are or should be; None where nothing says so.
        found: whether they are there.
        problem: what is wrong, a sentence; empty where they are there.
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
        """Whether the setting names what is not there at all: somebody wanted it."""
        return self.is_named and self.path is not None and not os.path.exists(self.path)


_SETTINGS: Final[Mapping[str, Callable[[Settings], Path | None]]] = {
    "entities.model": lambda settings: settings.entities.model,
    LAYOUT_SETTING: lambda settings: settings.layout.model,
    "speech.model": lambda settings: settings.speech.model,
}
"""Setting that a manifest may name → what it says."""


def examine_weights(catalogue: Catalogue, services: Services, settings: Settings) -> list[Weights]:
    """The weights of each installed plugin that needs some, by the plugins' names."""
    found = [
        _weights(plugin.name, plugin.manifest.weights, settings)
        for plugin in catalogue
        if plugin.manifest.weights is not None
    ]
    for service in services.of_kind("embedder"):
        try:
            service.make()
            found.append(Weights(plugin=service.name, setting=None, found=True))
        except ToolUnavailable as error:
            problem = f"{error.message}. {error.remedy}".rstrip()
            found.append(Weights(plugin=service.name, setting=None, found=False, problem=problem))
    return sorted(found, key=lambda one: one.plugin)


def _weights(plugin: str, asked: ModelWeights, settings: Settings) -> Weights:
    if asked.setting not in _SETTINGS:
        problem = f"this version of Octavo has no setting {asked.setting}"
        return Weights(plugin=plugin, setting=asked.setting, found=False, problem=problem)
    named = _SETTINGS[asked.setting](settings)
    path = Path(os.path.abspath(named)) if named is not None else _packaged(asked)
    return Weights(
        plugin=plugin,
        setting=asked.setting,
        path=str(path) if path is not None else None,
        found=not (problem := _problem(asked, path, is_named=named is not None)),
        problem=problem,
        is_named=named is not None,
    )


def _problem(asked: ModelWeights, path: Path | None, *, is_named: bool) -> str:
    try:
        return _lack(asked, path, is_named=is_named)
    except (OSError, ValueError) as error:  # a folder that one may not enter, a module that is no package's
        return f"it cannot be seen whether they are there: {type(error).__name__}"


def _lack(asked: ModelWeights, path: Path | None, *, is_named: bool) -> str:
    if path is None:
        brings = f", and the module {asked.module} is not installed" if asked.module else ""
        return f"the setting {asked.setting} names none{brings}"
    which = f"{path}, which the setting {asked.setting} names," if is_named else str(path)
    if not path.exists():
        return f"{which} is not there"
    if not asked.files:
        return "" if path.is_file() else f"{which} is no file"
    if not path.is_dir():
        return f"{which} is no folder"
    if lacking := [name for name in asked.files if not any(path.glob(name if is_named else f"**/{name}"))]:
        return f"{which} lacks {', '.join(lacking)}"
    if absent := [name for name in asked.runtime if find_spec(name) is None]:
        return f"what runs them is not installed: {', '.join(absent)}"
    return ""


def _packaged(asked: ModelWeights) -> Path | None:
    try:
        spec = find_spec(asked.module) if asked.module else None
    except (ImportError, ValueError):
        return None  # a name that stands for a module of another kind
    places = (spec.submodule_search_locations if spec else None) or ()
    return next((Path(place) / (asked.folder or "") for place in places), None)
