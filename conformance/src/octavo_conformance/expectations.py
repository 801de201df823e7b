"""`octavo-conformance.toml`: the known failures of a plugin, each with its reason.

plugin = "mine"

[[expected]]
check = "OC-GOLD-004"
vectors = ["pdf/empty-page.pdf"]    # if omitted: any vector
reason = "The engine gives no headings; see its issue tracker."
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from octavo.plugins import PluginInfo
from octavo_contracts import UsageError

from .checks import REGISTRY
from .vectors import load_golden
from .vectors.fresh import FRESH_PATHS
from .vectors.hostile import HOSTILE_FAMILIES, load_hostile
from .vectors.own import FAMILY as OWN

FILE_NAME = "octavo-conformance.toml"
_KEYS = {"check", "vectors", "reason"}
MIN_REASON = 10
"""Minimum letters of a reason."""


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """A known failure.

    Attributes:
        check: the check's id.
        vectors: the vectors on which it fails; empty for any.
        reason: why it fails.
    """

    check: str
    vectors: frozenset[str]
    reason: str

    def covers(self, check: str, vector: str | None) -> bool:
        """True if the entry applies to this check on this vector."""
        return self.check == check and (not self.vectors or vector in self.vectors)


def read_expectations(path: Path, *, plugin: str) -> tuple[Expectation, ...]:
    """Read an expectations file.

    Raises:
        UsageError: the file cannot be read or is for another plugin, or an entry names an unknown check or vector or has
            no reason.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    if data.get("plugin") != plugin:
        raise UsageError(
            f"{path} is for plugin {data.get('plugin')!r}, not for {plugin!r}",
            remedy=f'Set plugin = "{plugin}", or name another file with --expectations',
        )
    entries = data.get("expected", [])
    if not isinstance(entries, list) or (odd := sorted(set(data) - {"plugin", "expected"})):
        raise UsageError(
            f"{path}: expected a `plugin` key and [[expected]] tables, found {odd if entries else 'other keys'}"
        )
    return tuple(_entry(entry, path) for entry in entries)


def _entry(entry: dict[str, Any], path: Path) -> Expectation:
    check, vectors, reason = entry.get("check"), entry.get("vectors", []), entry.get("reason")
    if not isinstance(check, str) or check not in REGISTRY:
        raise UsageError(f"{path}: no check {check!r}", remedy="Run `octavo conformance list`")
    if odd := sorted(set(entry) - _KEYS):
        raise UsageError(f"{path}, {check}: unknown keys {', '.join(odd)}")
    if not isinstance(reason, str) or len(reason.strip()) < MIN_REASON:
        raise UsageError(f"{path}, {check}: a known failure needs a reason", remedy='Add reason = "…"')
    known = {vector.path for vector in load_golden()} | FRESH_PATHS
    for family in HOSTILE_FAMILIES:
        if any(str(name).startswith(f"{family}/") and name not in known for name in vectors):
            known |= {vector.path for vector in load_hostile(family)}
    if unknown := [name for name in vectors if name not in known and not str(name).startswith(f"{OWN}/")]:
        raise UsageError(f"{path}, {check}: no vector {', '.join(map(repr, unknown))}")
    return Expectation(check=check, vectors=frozenset(vectors), reason=reason.strip())


def find_file(plugin: PluginInfo, *, near: Path | None = None) -> Path | None:
    """Find the expectations file of a plugin: in a folder or its parent, or beside the project it is installed from.

    Args:
        plugin: the plugin.
        near: folder to search first, such as the folder of its tests; default: the current folder.
    """
    from importlib.util import find_spec

    start = near or Path.cwd()
    # The current folder may be the plugin's project, or a workspace with several: plugins/engines/octavo-mine.
    places = [start, start.parent] if near else [start, *sorted(start.glob(f"*/*/{plugin.distribution}"))]
    spec = find_spec(plugin.module.partition(".")[0])
    if spec is not None and spec.origin is not None:
        # An editable install is inside its project: src/package/__init__.py or package/__init__.py.
        places += [folder for folder in Path(spec.origin).parents[:3] if (folder / "pyproject.toml").is_file()]
    for place in places:
        path = place / FILE_NAME
        if path.is_file() and _plugin_of(path) == plugin.name:
            return path
    return None


def _plugin_of(path: Path) -> str | None:
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get("plugin")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        # A file that the user named raises its error; a file that was only found and is invalid is ignored.
        return None
    return found if isinstance(found, str) else None
