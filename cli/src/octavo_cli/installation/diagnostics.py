"""Collects the facts of `octavo doctor`: versions, engines, weights, sandbox, disk. No engine is imported (ENG-10)."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import time
from dataclasses import asdict, dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from octavo._version import __version__
from octavo_contracts import CONTRACT_VERSION, OctavoError
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from .servers import URL_MARK, examine_servers
from .unread_formats import as_keys, unread_formats
from .weights import examine_weights

if TYPE_CHECKING:
    from octavo.plugins import Catalogue, PluginInfo
    from octavo.plugins.services import Services
    from octavo.settings.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Health:
    """State of a plugin and its requirements.

    Attributes:
        plugin: its name.
        version: its version.
        engine: distribution of its engine, or None for the standard library.
        installed: version of the engine, or None.
        expected: supported versions, or "" for any.
        programs: (command, its path or None) of the programs that it starts.
        problems: one sentence each; empty if there are none.
        fixes: one command for each problem.
        ms: duration of the check in milliseconds.
    """

    plugin: str
    version: str
    engine: str | None
    installed: str | None
    expected: str
    programs: tuple[tuple[str, str | None], ...]
    problems: tuple[str, ...]
    fixes: tuple[str, ...]
    ms: float


def health(plugin: PluginInfo) -> Health:
    """Check a plugin's engine and programs without importing anything; takes well under 100 ms."""
    started = time.perf_counter()
    engine = plugin.manifest.engine
    wanted = f"pip install '{engine.distribution}{engine.versions}'" if engine.distribution else ""
    problems: list[str] = []
    fixes: list[str] = []
    if engine.module is not None and find_spec(engine.module.partition(".")[0]) is None:
        problems.append(f"the Python module {engine.module!r} is not installed")
        fixes.append(wanted or f"pip install {plugin.distribution}")
    elif engine.distribution is not None and plugin.engine_version is None:
        problems.append(f"the distribution {engine.distribution!r} is not installed")
        fixes.append(wanted)
    elif (outside := _outside(plugin.engine_version, engine.versions)) is not None:
        problems.append(f"{engine.distribution} {outside}")
        fixes.append(wanted)
    programs: list[tuple[str, str | None]] = []
    for program in plugin.manifest.system:
        programs.append((program.command, shutil.which(program.command)))
        if programs[-1][1] is None:
            problems.append(f"the program {program.command!r} is not on PATH")
            fixes.append(program.install)
    return Health(
        plugin=plugin.name,
        version=plugin.manifest.version,
        engine=engine.distribution,
        installed=plugin.engine_version,
        expected=engine.versions,
        programs=tuple(programs),
        problems=tuple(problems),
        fixes=tuple(fixes),
        ms=round((time.perf_counter() - started) * 1000, 1),
    )


def examine(catalogue: Catalogue, *, library: str, settings: Settings) -> dict[str, Any]:
    """Collect everything that `octavo doctor --json` prints."""
    from octavo.plugins.services import load_services

    plugins = [health(plugin) for plugin in catalogue]
    failures = [failure for failure in catalogue.failures if failure.stage != "blocked"]
    sandbox = examine_sandbox()
    disk = {**examine_disk(library), "index": index_place(settings)}
    servers = examine_servers(library, settings)
    services = load_services(settings.plugins, engines=catalogue)
    weights = examine_weights(catalogue, services, settings)
    unusable = [one for one in servers if one.problem is not None]
    lacks = [
        *unusable,
        *failures,
        *(item for item in plugins if item.problems),
        *(one for one in weights if one.is_misled),
    ]
    well = bool(plugins) and not lacks and sandbox["error"] is None
    return {
        "ok": well,
        "versions": versions(),
        "plugins": [
            {
                "name": item.plugin,
                "version": item.version,
                "engine": item.engine,
                "installed": item.installed,
                "expected": item.expected,
                "programs": [{"command": command, "path": path} for command, path in item.programs],
                "problems": list(item.problems),
                "fixes": list(item.fixes),
                "ms": item.ms,
            }
            for item in plugins
        ],
        "failures": [
            {"name": item.name, "stage": item.stage, "message": item.message, "remedy": item.remedy}
            for item in catalogue.failures
        ],
        "sandbox": sandbox,
        "search": examine_search(services),
        "weights": [
            {"plugin": one.plugin, "setting": one.setting, "path": one.path, "found": one.found, "problem": one.problem}
            for one in weights
        ],
        "disk": disk,
        "servers": [asdict(one) for one in servers],
        "unread": as_keys(unread_formats(catalogue)),
    }


def examine_search(services: Services) -> dict[str, Any]:
    """Return how libraries are searched, and why meanings are not compared; opens no model and no database."""
    from octavo.plugins.vector_tools import VectorTools

    tools = VectorTools(lambda: services)
    problems = tools.problems()
    return {"method": "fts" if problems else "hybrid", "problems": [str(problem) for problem in problems]}


def versions() -> dict[str, str]:
    """Return the versions of Octavo, the contract and the platform."""
    return {
        "octavo": __version__,
        "octavo_contracts": metadata.version("octavo-contracts"),
        "contract": CONTRACT_VERSION,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
        "encoding": sys.getfilesystemencoding(),
    }


def examine_sandbox() -> dict[str, Any]:
    """Return the sandbox level of a worker on this machine, and why it is not higher; starts one worker."""
    from octavo_sandbox import probe_level

    try:
        level = probe_level()
    except OctavoError as error:
        return {"level": "none", "missing": [], "error": str(error)}
    return {"level": level.name, "missing": list(level.missing), "error": None}


def examine_disk(library: str) -> dict[str, Any]:
    """Return the free space of the library's disk, and the library's size; bytes. Of a library at a URL, the space here."""
    if URL_MARK in library:
        free = shutil.disk_usage(Path.home() if Path.home().is_dir() else Path.cwd()).free
        return {"library": library, "exists": None, "free_bytes": free, "library_bytes": None}
    folder = Path(os.path.abspath(library))
    existing = next(parent for parent in (folder, *folder.parents) if parent.is_dir())
    return {
        "library": str(folder),
        "exists": folder.is_dir(),
        "free_bytes": shutil.disk_usage(existing).free,
        "library_bytes": _folder_bytes(folder) if folder.is_dir() else 0,
    }


def index_place(settings: Settings) -> str | None:
    """Return host and database of an index on a server, without user and password; None for the library's own file."""
    if settings.index is None:
        return None
    parts = urlsplit(settings.index.get_secret_value())
    host = parts.netloc.rpartition("@")[2]
    return f"{host}{parts.path}" if parts.path.strip("/") else host


def bug_report(facts: dict[str, Any]) -> dict[str, Any]:
    """Remove everything that could name a document, a folder or a person."""
    return {
        "versions": facts["versions"],
        "plugins": [
            {key: item[key] for key in ("name", "version", "engine", "installed", "expected")}
            | {"problems": len(item["problems"])}
            for item in facts["plugins"]
        ],
        "failures": [{"name": item["name"], "stage": item["stage"]} for item in facts["failures"]],
        "sandbox": {"level": facts["sandbox"]["level"]},
        "search": {"method": facts["search"]["method"]},
        "weights": [{"plugin": item["plugin"], "found": item["found"]} for item in facts["weights"]],
        "servers": [{"name": one["name"], "ok": one["problem"] is None} for one in facts["servers"]],
        "disk": {"free_gib": round(facts["disk"]["free_bytes"] / 2**30)},
    }


def _outside(installed: str | None, expected: str) -> str | None:
    """Return why an engine's version is not supported, or None."""
    if installed is None or not expected:
        return None
    try:
        if SpecifierSet(expected).contains(Version(installed), prereleases=True):
            return None
    except (InvalidSpecifier, InvalidVersion):
        return f"{installed} cannot be compared with the expected {expected}"
    return f"{installed} is outside {expected}"


def _folder_bytes(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size
            except OSError:  # removed meanwhile by another process
                continue
    return total
