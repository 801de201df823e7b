"""What the option `--vectors` and its neighbours select, in words of the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from octavo.formats import format_for_extension
from octavo_contracts import PluginManifest, UsageError

from .checks import REGISTRY
from .plugin_lookup import catalogue_with
from .runner import Selection
from .vectors import GoldenVector
from .vectors.fresh import FRESH_PATHS
from .vectors.hostile import load_hostile
from .vectors.own import FAMILY as OWN
from .vectors.own import read_own
from .vectors.stored import FAMILIES, load_golden


def select(plugin: str, *, level: int, vectors: str, checks: Sequence[str]) -> Selection:
    """Make the selection of a run.

    Args:
        plugin: name of the plugin.
        level: run checks up to this level.
        vectors: families, paths of vectors and folders of the author's own, separated by commas; empty for all.
        checks: ids of checks; empty for all.

    Raises:
        UsageError: one of the names is unknown, or a folder is not one of vectors.
    """
    names = [name.strip() for name in vectors.split(",") if name.strip()]
    families_known = {*FAMILIES, OWN, *(path.partition("/")[0] for path in FRESH_PATHS)}
    folders = [name for name in names if name.partition("/")[0] not in families_known and Path(name).is_dir()]
    names = [name for name in names if name not in folders]
    if unknown := sorted({name.partition("/")[0] for name in names} - families_known):
        known_names = ", ".join(sorted(families_known - {OWN}))
        raise UsageError(
            f"no vectors of {', '.join(unknown)}: it is neither a folder nor one of the families {known_names}"
        )
    own = [vector for folder in folders for vector in _read(plugin, folder)]
    paths = {name for name in names if "/" in name}
    known = {vector.path for vector in (*load_golden(), *own)} | FRESH_PATHS
    if paths - known:
        known |= {bad.path for family in {path.partition("/")[0] for path in paths} for bad in load_hostile(family)}
        known |= {path for path in paths if own and path.startswith((f"{OWN}/empty.", f"{OWN}/damaged-"))}
    if lost := sorted(paths - known):
        raise UsageError(f"no vector {', '.join(lost)}", remedy="Run `octavo conformance list`")
    if odd := sorted(set(checks) - {check.id for check in REGISTRY}):
        raise UsageError(f"no check {', '.join(odd)}", remedy="Run `octavo conformance list`")
    families = frozenset(names) - paths
    # Beside families the author's folder is one more; beside single vectors it only says where they are.
    return Selection(
        level=level,
        families=families | {OWN} if own and families else families,
        vectors=frozenset(paths),
        checks=frozenset(checks),
        own=tuple(own),
        own_folder=",".join(folders) or None,
    )


def _read(plugin: str, folder: str) -> tuple[GoldenVector, ...]:
    return own_vectors(catalogue_with(plugin).get(plugin).manifest, Path(folder))


def own_vectors(manifest: PluginManifest, folder: Path) -> tuple[GoldenVector, ...]:
    """Read an author's vectors for a plugin.

    Args:
        manifest: of the plugin.
        folder: folder of the vectors.

    Raises:
        UsageError: see `read_own`.
    """
    only = manifest.media_types[0] if len(manifest.media_types) == 1 else None
    types: dict[str, str] = {}
    for extension in manifest.extensions:
        known = format_for_extension(extension)
        # The host's detection knows the type of an extension; one that it does not know is that of a plugin's only type.
        of_host = {known.media_type, *known.aliases} if known else set()
        media_type = next((name for name in manifest.media_types if name in of_host), only)
        if media_type is not None:
            types[extension] = media_type
    return read_own(folder, types=types, readable=manifest.media_types)
