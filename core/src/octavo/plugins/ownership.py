"""Decides which distribution a plugin's name belongs to: `octavo-NAME`, or the one that the settings name.

Any installed distribution can register an entry point under any name, and one wheel can bring the metadata or the
package of another. A name is used only for the distribution that owns it, whatever the order of installation.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import metadata
from importlib.machinery import ModuleSpec
from pathlib import Path
from urllib.parse import unquote, urlsplit

from octavo_contracts import PROJECT_NAME

_INFOS = (".dist-info", ".egg-info")
"""Endings of the folders that Python reads the metadata of a distribution from."""


@dataclass(frozen=True, kw_only=True)
class Impostor:
    """A distribution that claims a plugin's name, or brings the files of another distribution.

    Attributes:
        distribution: what is to blame, with its version where it is known.
        message: what it claims.
        remedy: what the operator can do.
    """

    distribution: str
    message: str
    remedy: str


def owner_of(name: str, owners: Mapping[str, str]) -> str:
    """Return the name of the distribution that a plugin's name belongs to.

    Args:
        name: the plugin's name.
        owners: plugin → distribution, for names that the settings give to another distribution.
    """
    return owners.get(name, f"{PROJECT_NAME}-{name}")


def is_same(distribution: str, other: str) -> bool:
    """Return whether two names of distributions are equal, as package indexes compare them."""
    return _canonical(distribution) == _canonical(other)


def find_impostor(point: metadata.EntryPoint, owners: Mapping[str, str]) -> Impostor | None:
    """Return what is wrong with the owner of an entry point; None if its distribution owns the name and the package."""
    dist = point.dist
    if dist is None:
        return None
    owner = owner_of(point.name, owners)
    name, version = declared(dist)
    if not is_same(name, owner):
        by = "the settings give it to" if point.name in owners else "it belongs to"
        return Impostor(
            distribution=f"{name} {version}",
            message=f"{name} claims the name {point.name!r}; {by} {owner}",
            remedy=f"Uninstall {name}, or let it have the name: plugins.owners.{point.name} = {name!r}",
        )
    return _foreign_package(point, dist)


@lru_cache(maxsize=256)
def declared(dist: metadata.Distribution) -> tuple[str, str]:
    """Return the name and version in a distribution's metadata, which `name` and `version` parse at each access."""
    fields = dist.metadata
    return fields["Name"], fields["Version"]


def genuine(point: metadata.EntryPoint) -> tuple[list[metadata.EntryPoint], list[Impostor]]:
    """Return an entry point as its distribution registers it, and the metadata of that name that others brought.

    Python reads the first metadata of a name in a folder, which may be a folder that another wheel contains. If it cannot
    be decided which one is genuine, none is used.
    """
    if point.dist is not None and (misnamed := _misnamed(point.dist)):
        return [], [misnamed]
    twins = _twins(point.dist) if point.dist is not None else []
    if len(twins) < 2:
        return [point], []
    brought = {twin: _bringer(twin.parent, f"{twin.name}/", but=twin) for twin in twins}
    own = [twin for twin, other in brought.items() if other is None]
    found = [
        Impostor(
            distribution=other,
            message=f"{other} brings metadata of its own for {point.dist.name}",
            remedy=f"Uninstall {other.partition(' ')[0]}, then reinstall {point.dist.name}",
        )
        for other in brought.values()
        if other is not None and point.dist is not None
    ]
    if len(own) == 1:
        points = metadata.Distribution.at(own[0]).entry_points
        return [real for real in points if (real.group, real.name) == (point.group, point.name)], found
    assert point.dist is not None  # it has twins
    several = Impostor(
        distribution=f"{point.dist.name} {point.dist.version}",
        message=f"{point.dist.name} is installed {len(twins)} times in {twins[0].parent}",
        remedy=f"Reinstall it: pip install --force-reinstall {point.dist.name}",
    )
    return [], [*found, several]


def _misnamed(dist: metadata.Distribution) -> Impostor | None:
    """Return who brought metadata whose folder has another name than the distribution that it names; None if none did.

    Installers name the folder after the distribution. Python reads the name from the metadata in it.
    """
    folder = getattr(dist, "_path", None)
    if (
        not isinstance(folder, Path)
        or not folder.name.endswith(_INFOS)
        or _canonical(declared(dist)[0]) in _names(folder)
    ):
        return None
    other = _bringer(folder.parent, f"{folder.name}/", but=folder) or f"the folder {folder.name}"
    return Impostor(
        distribution=other,
        message=f"{other} brings metadata of its own for {dist.name}, in {folder}",
        remedy=f"Uninstall {other.partition(' ')[0]}, then reinstall {dist.name}",
    )


@cache
def _names(info: Path) -> frozenset[str]:
    """Return the names of distributions that a metadata folder can have, of which one may contain hyphens."""
    stem = info.name.rpartition(".")[0]
    return frozenset((_canonical(stem.rpartition("-")[0]), _canonical(stem.partition("-")[0])))


def _foreign_package(point: metadata.EntryPoint, dist: metadata.Distribution) -> Impostor | None:
    """Return who brought the package of an entry point if it is not the one of its distribution.

    Installers record a distribution's files, or the folder of an editable one; metadata without either decides nothing.
    """
    package = point.module.partition(".")[0]
    spec = _found(package)
    folder = Path(next(iter(spec.submodule_search_locations or ()), "")) if spec is not None else Path()
    home = _recorded(dist, package)
    if home is None or folder.resolve().is_relative_to(home.resolve()):
        return None
    other = _bringer(folder.parent, f"{package}/", but=None) or "an unknown distribution"
    return Impostor(
        distribution=other,
        message=f"the package {package!r} comes from {other}, not from {dist.name}: it is in {folder.parent}",
        remedy=f"Uninstall {other.partition(' ')[0]}, then reinstall {dist.name}",
    )


def _found(package: str) -> ModuleSpec | None:
    """Return the specification of a package as a new process finds it: `importlib.util.find_spec` returns the loaded one's."""
    found = (finder.find_spec(package, None) for finder in sys.meta_path)
    return next((spec for spec in found if spec is not None), None)


def _recorded(dist: metadata.Distribution, package: str) -> Path | None:
    """Return the folder that the installer recorded for a package, or of the project if it is editable; else None."""
    if any(line.startswith(f"{package}/") for line in (dist.read_text("RECORD") or "").splitlines()):
        return Path(str(dist.locate_file(package)))
    try:
        origin = json.loads(dist.read_text("direct_url.json") or "{}")
        url = urlsplit(origin["url"]) if origin.get("dir_info", {}).get("editable") else None
    except (ValueError, KeyError, AttributeError, TypeError):
        return None
    return Path(unquote(url.path)) if url is not None else None


def _twins(dist: metadata.Distribution) -> list[Path]:
    """Return the metadata folders of a distribution's name in the folder of its own."""
    home = Path(str(dist.locate_file("")))
    wanted = _canonical(declared(dist)[0])
    return [path for path in _infos(home) if wanted in _names(path)]


def _bringer(home: Path, start: str, *, but: Path | None) -> str | None:
    """Return the distribution in a folder whose installer recorded files that start with a text, except one."""
    for info in _infos(home):
        record = info / "RECORD"
        if info == but or not record.is_file():
            continue
        if any(line.startswith(start) for line in record.read_text(encoding="utf-8").splitlines()):
            name, _, version = info.name.rpartition(".")[0].rpartition("-")
            return f"{name.replace('_', '-')} {version}"
    return None


def _infos(home: Path) -> Iterator[Path]:
    try:
        stamp = home.stat().st_mtime_ns
    except OSError:
        return iter(())
    return iter(_listed(home, stamp))


@cache
def _listed(home: Path, stamp: int) -> tuple[Path, ...]:
    """Return the metadata folders in a folder, sorted; `stamp` is the folder's time of change."""
    return tuple(sorted(path for path in home.iterdir() if path.name.endswith(_INFOS)))


def _canonical(name: str) -> str:
    told = re.sub(r"[-_.]+", "-", name)
    # Names of distributions are ASCII. In lower case other letters become ASCII too: the Kelvin sign is a k.
    return told.lower() if told.isascii() else told
