"""Finds installed plugins by their manifests alone.

An entry point `NAME = package.plugin` of the group `octavo` names a plugin; its manifest `octavo-plugin.toml` is in
the top-level package and is found without importing that package. A plugin that cannot be used becomes a
`PluginLoadFailure` and does not affect the others. Octavo's own hooks are a plugin too, `builtin_plugin`: it always
exists, without an entry point.
"""

from __future__ import annotations

import difflib
import hashlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import metadata, resources
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from octavo_contracts import (
    CONTRACT_VERSION,
    MANIFEST_NAME,
    PROJECT_NAME,
    HookName,
    ManifestError,
    PluginManifest,
    ToolUnavailable,
    UsageError,
    declared_contract,
    host_accepts,
)
from octavo_contracts.plugin_options import OptionError, options_of
from pydantic import JsonValue

from .. import builtins as shipped
from .._version import __version__
from ..builtins import BUILTIN
from ..formats.plugin_claim import PluginClaim
from ..formats.table import UNKNOWN, format_of
from .entry_points import is_well_formed
from .ownership import Impostor, declared, find_impostor, genuine, owner_of
from .plugin_code import code_hash
from .plugin_names import OWN_PLUGINS, check_known
from .requirements import is_installed, is_on_path
from .selection import PluginSelection, check_selection

LoadStage = Literal["blocked", "manifest", "contract", "name", "import", "signature"]


@dataclass(frozen=True, kw_only=True)
class PluginLoadFailure:
    """An installed plugin that cannot be used.

    Attributes:
        name: the entry point's name.
        distribution: the distribution that registers it, with its version.
        stage: the check that failed.
        message: the problem.
        remedy: the remedy.
    """

    name: str
    distribution: str
    stage: LoadStage
    message: str
    remedy: str


@dataclass(frozen=True)
class PluginInfo:
    """An installed plugin, described without importing it.

    Attributes:
        manifest: its static manifest, with the version filled in.
        module: the module with its hook implementations.
        distribution: the name of its distribution.
    """

    manifest: PluginManifest
    module: str
    distribution: str

    @property
    def name(self) -> str:
        """The distribution's name without `octavo-`."""
        return self.manifest.name

    @cached_property
    def engine_version(self) -> str | None:
        """Version of the engine's distribution, or None if there is none or it is not installed."""
        if self.manifest.engine.distribution is None:
            return None
        try:
            return metadata.version(self.manifest.engine.distribution)
        except metadata.PackageNotFoundError:
            return None

    @cached_property
    def code_hash(self) -> str | None:
        """SHA-256 of the files of its package, see `plugin_code.code_hash`; None for Octavo's own hooks."""
        return None if self.distribution == PROJECT_NAME else code_hash(self.module.partition(".")[0])

    @property
    def identity(self) -> dict[str, str | None]:
        """What identifies the code that ran, as the first fields of an `Attempt`."""
        return {
            "plugin": self.name,
            "plugin_version": self.manifest.version,
            "distribution": self.distribution,
            "code_hash": self.code_hash,
            "engine_version": self.engine_version,
        }

    def missing(self) -> str | None:
        """Return what the engine lacks on this machine, as a sentence, or None; nothing is imported."""
        engine = self.manifest.engine
        if engine.module is not None and not is_installed(engine.module.partition(".")[0]):
            return f"the Python module {engine.module!r} is not installed; run: pip install {self.distribution}"
        for program in self.manifest.system:
            if not is_on_path(program.command):
                return f"the program {program.command!r} is not installed; run: {program.install}"
        return None

    def require(self, hook: HookName) -> None:
        """Raise unless the plugin implements a hook and its engine is installed.

        Raises:
            UsageError: the plugin does not implement the hook.
            ToolUnavailable: its engine is missing.
        """
        if hook not in self.manifest.hooks:
            raise UsageError(
                f"plugin {self.name!r} does not implement the hook {hook!r}; it has {', '.join(self.manifest.hooks)}"
            )
        if lacking := self.missing():
            raise ToolUnavailable(lacking, plugin=self.name)


@dataclass(frozen=True)
class Catalogue:
    """The installed plugins, best first: by priority, then by name, never by order of installation."""

    plugins: tuple[PluginInfo, ...]
    failures: tuple[PluginLoadFailure, ...] = ()
    owners: Mapping[str, str] = field(default_factory=dict)
    _by_name: dict[str, PluginInfo] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {plugin.name: plugin for plugin in self.plugins})

    def __iter__(self) -> Iterator[PluginInfo]:
        return iter(self.plugins)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def get(self, name: str) -> PluginInfo:
        """Return the plugin of a name.

        Raises:
            UsageError: there is no such plugin; the message says why it failed to load, or suggests similar names.
        """
        if name in self._by_name:
            return self._by_name[name]
        for failure in self.failures:
            if failure.name == name:
                raise UsageError(f"plugin {name!r} cannot be used: {failure.message}", remedy=failure.remedy)
        if name in OWN_PLUGINS:
            raise UsageError(f"plugin {name!r} is not installed", remedy=f"Run: pip install octavo-{name}")
        close = difflib.get_close_matches(name, self._by_name, n=3)
        others = f"installed: {', '.join(sorted(self._by_name)) or 'none'}"
        hint = f"did you mean {' or '.join(close)}?" if close else others
        remedy = "Run `octavo plugins` to list the installed plugins and their formats"
        raise UsageError(f"no plugin named {name!r}; {hint}", remedy=remedy)

    def owner_of(self, name: str) -> str:
        """Return the distribution that a plugin's name belongs to, whether or not it is installed."""
        return owner_of(name, self.owners)

    def check_names(self, names: Iterable[str], *, where: str) -> None:
        """Raise for the name of a plugin that is neither installed nor one of Octavo's own.

        Raises:
            UsageError: see `plugin_names.check_known`.
        """
        check_known(names, {*self._by_name, *(failure.name for failure in self.failures)}, where=where)

    def check_options(self, options: Mapping[str, Mapping[str, JsonValue]], *, where: str) -> None:
        """Raise for options that the manifest of an installed plugin does not allow; others are left alone.

        Raises:
            UsageError: see `octavo_contracts.plugin_options.options_of`.
        """
        for name, given in options.items():
            if name not in self:
                continue
            try:
                options_of(self.get(name).manifest.options, given)
            except OptionError as error:
                raise UsageError(
                    f"the options of plugin {name!r} in {where} are invalid: {error}",
                    remedy=f"Correct the table [plugins.{name}]",
                ) from None

    def having(self, hook: HookName, *, media_type: str | None = None) -> list[PluginInfo]:
        """Return the plugins that have a hook and read a media type, best first."""
        return [
            plugin
            for plugin in self.plugins
            if hook in plugin.manifest.hooks and (media_type is None or media_type in plugin.manifest.media_types)
        ]

    def verdict_givers(
        self, hook: HookName, *, media_type: str, order: Sequence[str] | None = None
    ) -> list[PluginInfo]:
        """Return the plugins to call for a verdict until one has an opinion, best first; the built-in one is last.

        A plugin whose manifest names no media types judges documents of every type.

        Args:
            hook: `classify` or `score_quality`.
            media_type: of the document.
            order: names, first choice first; plugins that are not installed are skipped, `builtin` ends the list. None:
                all of them, by priority and name.
        """
        asked = {
            plugin.name: plugin
            for plugin in self.plugins
            if hook in plugin.manifest.hooks and media_type in (plugin.manifest.media_types or (media_type,))
        }
        if order is not None:
            chosen = itertools.takewhile(lambda name: name != BUILTIN, order)
            asked = {name: asked[name] for name in chosen if name in asked}
        return [*asked.values(), builtin_plugin()]

    def type_for_extension(self, extension: str) -> tuple[str, str] | None:
        """Return the media type that the best converter gives a file extension, and its name; None if none claims it.

        This is for formats that detection does not know: a plugin for a new format names its extension and its type. If
        it names several new types, the extension is ambiguous and not used.

        Args:
            extension: with the dot, lower case.
        """
        for plugin in self.having("convert"):
            if extension in plugin.manifest.extensions:
                types = plugin.manifest.media_types
                new = [media_type for media_type in types if format_of(media_type) is UNKNOWN] or types
                if len(new) == 1:
                    return new[0], plugin.name
        return None

    def claims(self, *, reader: str | None = None) -> tuple[PluginClaim, ...]:
        """Return the formats of usable converters' own, those of the preferred converters first.

        Args:
            reader: the plugin that the caller chose: a claim of a type that it does not read has no effect. Nor has, ever, a
                claim of a format that Octavo recognises by itself.
        """
        read = self.get(reader).manifest.media_types if reader is not None and reader in self else None
        return tuple(
            PluginClaim(plugin=plugin.name, format=claim)
            for plugin in self.having("convert")
            if plugin.manifest.formats and plugin.missing() is None
            for claim in plugin.manifest.formats
            if format_of(claim.media_type) is UNKNOWN and (read is None or claim.media_type in read)
        )

    def fingerprint(self) -> str:
        """Return a short hash of the plugins and engines with their versions; it changes if any of them changes."""
        parts = sorted(" ".join([*map(str, p.identity.values()), str(p.missing() is None)]) for p in self.plugins)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


@cache
def builtin_plugin() -> PluginInfo:
    """Return the plugin of Octavo's own hooks `classify` and `score_quality`, with the lowest priority."""
    text = resources.files(shipped).joinpath(MANIFEST_NAME).read_text(encoding="utf-8")
    manifest = PluginManifest.from_toml(text, version=__version__)
    return PluginInfo(manifest, f"{shipped.__name__}.plugin", PROJECT_NAME)


def load_catalogue(
    selection: PluginSelection | None = None,
    *,
    entry_points: Iterable[metadata.EntryPoint] | None = None,
    group: str = PROJECT_NAME,
) -> Catalogue:
    """Find the installed plugins and check their manifests; no plugin is imported.

    Args:
        selection: which plugins may be used; by default read from the environment variables.
        entry_points: for tests; by default those of the group.
        group: the entry-point group: `octavo`, or that of features.

    Raises:
        UsageError: `selection.strict` and at least one plugin failed; or the selection names an unknown plugin.
    """
    chosen = PluginSelection.from_environment() if selection is None else selection
    plugins: dict[str, PluginInfo] = {}
    failures: list[PluginLoadFailure] = []
    if entry_points is None:
        check_selection(chosen)
        points = []
        for point in metadata.entry_points(group=group):
            real, impostors = genuine(point)
            points += real
            failures += [_refused(point.name, impostor) for impostor in impostors]
    else:
        points = list(entry_points)
    for point in sorted(points, key=lambda p: (p.name, p.value)):
        loaded = _load_one(point, chosen)
        if isinstance(loaded, PluginInfo) and loaded.name in plugins:
            message = f"{loaded.distribution} registers the name {loaded.name!r} twice"
            loaded = _failure(point, "name", message, "Report it to the author of the distribution")
        if isinstance(loaded, PluginInfo):
            plugins[loaded.name] = loaded
        else:
            failures.append(loaded)
    if chosen.strict and (real_ones := [failure for failure in failures if failure.stage != "blocked"]):
        raise UsageError(
            "; ".join(f"plugin {failure.name}: {failure.message}" for failure in real_ones),
            remedy="Repair or uninstall it, or unset OCTAVO_STRICT_PLUGINS",
        )
    ordered = sorted(plugins.values(), key=lambda plugin: (-plugin.manifest.priority, plugin.name))
    return Catalogue(tuple(ordered), tuple(failures), chosen.owners)


def _load_one(point: metadata.EntryPoint, selection: PluginSelection) -> PluginInfo | PluginLoadFailure:
    if not selection.permits(point.name):
        return _failure(point, "blocked", "blocked by configuration", "See OCTAVO_PLUGINS and OCTAVO_BLOCK")
    if not is_well_formed(point):
        message = f"the entry point names no module: {point.value!r}"
        return _failure(point, "manifest", message, f"Report it to the author of {_distribution(point)}")
    package = point.module.partition(".")[0]
    try:
        text = _manifest_text(package)
        if newer := _unaccepted_contract(text):
            return _failure(
                point,
                "contract",
                f"the plugin needs contract {newer}; this host supports {CONTRACT_VERSION}",
                "Upgrade octavo, or install a version of the plugin for this contract",
            )
        manifest = PluginManifest.from_toml(text, version=declared(point.dist)[1] if point.dist else None)
    except (ManifestError, OSError, ImportError, ValueError) as error:
        return _failure(point, "manifest", str(error), f"Report it to the author of {_distribution(point)}")
    if manifest.name == BUILTIN:
        return _failure(point, "name", f"the name {BUILTIN!r} is reserved", "Give the plugin another name")
    if manifest.name != point.name:
        message = f"the manifest has the name {manifest.name!r}, the entry point {point.name!r}"
        return _failure(point, "name", message, "The two names must agree")
    if impostor := find_impostor(point, selection.owners):
        return _refused(point.name, impostor)
    return PluginInfo(manifest, point.value, declared(point.dist)[0] if point.dist else f"octavo-{point.name}")


def _unaccepted_contract(text: str) -> str | None:
    """Return a manifest's contract version if this host does not support it; checked before the manifest is parsed."""
    declared = declared_contract(text)
    try:
        return declared if declared is not None and not host_accepts(declared) else None
    except ValueError:  # not a version: parsing the manifest reports it
        return None


def _manifest_text(package: str) -> str:
    spec = find_spec(package)
    if spec is None:
        raise ManifestError(f"the package {package!r} is not importable")
    folders = list(spec.submodule_search_locations or ())
    for folder in folders:
        path = Path(folder) / MANIFEST_NAME
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise ManifestError(f"the package {package!r} has no {MANIFEST_NAME}")


def _failure(point: metadata.EntryPoint, stage: LoadStage, message: str, remedy: str) -> PluginLoadFailure:
    return PluginLoadFailure(
        name=point.name, distribution=_distribution(point), stage=stage, message=message, remedy=remedy
    )


def _refused(name: str, impostor: Impostor) -> PluginLoadFailure:
    return PluginLoadFailure(
        name=name,
        distribution=impostor.distribution,
        stage="name",
        message=impostor.message,
        remedy=impostor.remedy,
    )


def _distribution(point: metadata.EntryPoint) -> str:
    return " ".join(declared(point.dist)) if point.dist else "an unknown distribution"
