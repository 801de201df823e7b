"""Services: pluggable parts other than document hooks, found by kind and name.

The manifest of an engine or feature names the factory: `[plugin.services] digestor = "package.module:factory"`. Unlike
an engine's code, a service runs in the host's process: it sees texts, and pictures that workers rendered, never a
document's bytes. It is imported at first use, and one that cannot be imported does not affect the others. Every call of a
service goes through a guard, see `service_guard`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any

from octavo_contracts import (
    FEATURES_GROUP,
    SERVICE_KINDS,
    ContractViolation,
    OctavoError,
    ToolUnavailable,
    UsageError,
)

from .guarded_services import guarded
from .registry import Catalogue, PluginInfo, PluginLoadFailure, load_catalogue
from .selection import PluginSelection
from .service_guard import SERVICE_SECONDS, ServiceGuard

SETTINGS = "settings"
"""The factory parameter that receives the host's settings."""
SERVICES = "services"
"""The factory parameter that receives the other services of the host."""
ALWAYS_SET = frozenset({"digestor", "graph_intake", "vector_index"})
"""Kinds whose factories the host always passes settings."""


@dataclass(frozen=True)
class ServiceInfo:
    """A service of a plugin, described without importing it.

    Attributes:
        kind: a key of `octavo_contracts.SERVICE_KINDS`.
        plugin: the plugin that offers it.
        factory: `module:function`.
        seconds: the host's limit of a call; the manifest may have a shorter one.
    """

    kind: str
    plugin: PluginInfo
    factory: str
    seconds: float = SERVICE_SECONDS

    @property
    def name(self) -> str:
        """The plugin's name, which selects the service."""
        return self.plugin.name

    def make(self, settings: Mapping[str, Any] | None = None, *, services: Services | None = None) -> Any:
        """Import the service and create it, behind a guard; see `guarded_services`.

        Args:
            settings: passed to a factory with a parameter `settings`; an error for other factories.
            services: passed to a factory with a parameter `services`, for services that use others.

        Raises:
            ToolUnavailable: the service cannot be imported or created, or lacks a requirement.
            UsageError: the service takes no settings.
            ContractViolation: the service does not implement the protocol of its kind, or must take settings and does not.
            ConversionTimeout: the service was not created within the limit.
        """
        if lacking := self.plugin.missing():
            raise ToolUnavailable(lacking, plugin=self.name)
        guard = ServiceGuard(
            plugin=self.plugin,
            kind=self.kind,
            seconds=min(self.seconds, self.plugin.manifest.limits.timeout_seconds or self.seconds),
        )
        try:
            service = guard.run(lambda: self._create(settings, services))
        except OctavoError as error:
            raise error.located(plugin=self.name) from None
        return guarded(service, guard)

    def _create(self, settings: Mapping[str, Any] | None, services: Services | None) -> Any:
        module, _, function = self.factory.partition(":")
        try:
            factory = getattr(import_module(module), function)
            parameters = inspect.signature(factory).parameters
        except (
            Exception,
            SystemExit,
        ) as error:  # the loader: whatever a plugin's import raises is that plugin's failure
            raise ToolUnavailable(
                f"the service {self.kind!r} cannot be loaded: {type(error).__name__}: {error}",
                plugin=self.name,
                remedy=f"Reinstall it, or report it to the author of {self.plugin.distribution}",
            ) from error
        if settings and SETTINGS not in parameters:
            self._refuse_settings(settings)
        try:
            given = {SETTINGS: dict(settings or {}), SERVICES: services or Services(())}
            service = factory(**{name: value for name, value in given.items() if name in parameters})
        except OctavoError:
            raise
        except (Exception, SystemExit) as error:  # the loader: a factory that raises is its plugin's failure alone
            raise ToolUnavailable(
                f"the service {self.kind!r} cannot be created: {type(error).__name__}: {error}", plugin=self.name
            ) from error
        if not isinstance(service, SERVICE_KINDS[self.kind]):
            raise ContractViolation(
                f"the {self.kind} is a {type(service).__name__} and lacks methods of {SERVICE_KINDS[self.kind].__name__}",
                plugin=self.name,
            )
        return service

    def _refuse_settings(self, settings: Mapping[str, Any]) -> None:
        if self.kind in ALWAYS_SET:
            raise ContractViolation(
                f"the factory of the {self.kind} has no parameter {SETTINGS!r}, which hosts of this kind fill",
                plugin=self.name,
            )
        raise UsageError(
            f"the {self.kind} of plugin {self.name!r} takes no settings; it was given {', '.join(sorted(settings))}"
        )


@dataclass(frozen=True)
class Services:
    """The services of this environment.

    Attributes:
        offered: every service, best plugin first.
        failures: features that cannot be used.
    """

    offered: tuple[ServiceInfo, ...]
    failures: tuple[PluginLoadFailure, ...] = ()

    def of_kind(self, kind: str) -> list[ServiceInfo]:
        """Return the services of a kind, best plugin first.

        Raises:
            UsageError: the kind does not exist.
        """
        if kind not in SERVICE_KINDS:
            raise UsageError(f"unknown kind of service {kind!r}; known: {', '.join(SERVICE_KINDS)}")
        return [service for service in self.offered if service.kind == kind]

    def find(self, kind: str, name: str | None = None) -> ServiceInfo | None:
        """Return a service by kind and plugin, or the best of its kind; None if no plugin offers one.

        Raises:
            UsageError: the kind does not exist, or no plugin of that name offers it.
        """
        offered = self.of_kind(kind)
        if name is None:
            return offered[0] if offered else None
        for service in offered:
            if service.name == name:
                return service
        failed = next((failure for failure in self.failures if failure.name == name), None)
        if failed is not None:
            raise UsageError(f"plugin {name!r} cannot be used: {failed.message}", remedy=failed.remedy)
        known = ", ".join(service.name for service in offered) or "none"
        raise UsageError(f"no plugin named {name!r} offers a {kind}; available: {known}")


def load_services(
    selection: PluginSelection | None = None,
    *,
    features: Iterable[metadata.EntryPoint] | None = None,
    engines: Catalogue | None = None,
    seconds: float = SERVICE_SECONDS,
) -> Services:
    """Find the services that features and engines offer, by their manifests alone.

    Args:
        selection: which plugins may be used; by default read from the environment variables.
        features: for tests; by default the entry points of the group `octavo.features`.
        engines: the engines' catalogue if it is already loaded.
        seconds: the host's limit of a call.

    Raises:
        UsageError: `selection.strict` and a plugin failed.
    """
    catalogue = load_catalogue(selection, entry_points=features, group=FEATURES_GROUP)
    others = load_catalogue(selection) if engines is None else engines
    plugins = sorted([*catalogue, *others], key=lambda plugin: (-plugin.manifest.priority, plugin.name))
    offered = tuple(
        ServiceInfo(kind, plugin, factory, seconds)
        for plugin in plugins
        for kind, factory in sorted(plugin.manifest.services.items())
        if kind in SERVICE_KINDS
    )
    return Services(offered, catalogue.failures)
