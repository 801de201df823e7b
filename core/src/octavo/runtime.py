"""The shared resources of conversions: plugins, workers and settings. One runtime may serve many threads."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from functools import cached_property
from typing import TYPE_CHECKING, Self

from .plugins.availability import UnavailableEngines
from .plugins.prestart import CALL_MODULES, WORKER_MODULES
from .plugins.selection import EVERY_PLUGIN
from .profiles.profile import SHIPPED_PROFILES, Profile, load_profile
from .settings.settings import Settings, plugin_names

# Workers and the registry are imported at their first use: a host that only reads a library calls no plugin.
if TYPE_CHECKING:
    from octavo_sandbox import WorkerPool

    from .plugins.dispatcher import Dispatcher
    from .plugins.registry import Catalogue
    from .plugins.services import Services

# A library logs nothing unless its host configures logging; without a handler Python would print warnings to stderr.
logging.getLogger("octavo").addHandler(logging.NullHandler())


class Runtime:
    """Plugins, workers and settings.

    Workers start when first needed and end with `close`. Safe to share between threads. After a fork, the child's copy
    starts workers of its own when it first needs them.

    Args:
        settings: defaults to the settings of the specification.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.unable = UnavailableEngines()
        self._lock = threading.Lock()
        self._pool: WorkerPool | None = None
        self._closing = threading.Event()
        self._checked_profiles: set[str] = set(SHIPPED_PROFILES)
        _all.add(self)

    def __repr__(self) -> str:
        return "<Runtime: its workers have started>" if self._pool is not None else "<Runtime: no worker has started>"

    @property
    def closing(self) -> threading.Event:
        """Event that the next `close` sets, for calls in the host process that must end together with the workers."""
        with self._lock:
            return self._closing

    @property
    def pool(self) -> WorkerPool:
        """The worker pool."""
        with self._lock:
            if self._pool is None:
                from octavo_sandbox import WorkerPool

                self._pool = WorkerPool(
                    size=self.settings.workers,
                    level="require" if self.settings.require_sandbox else "best",
                    preload=WORKER_MODULES,
                    preload_when_idle=CALL_MODULES,
                )
                # Workers start while the host reads manifests and hashes.
                self._pool.prepare()
            return self._pool

    @cached_property
    def catalogue(self) -> Catalogue:
        """The installed plugins, as found at first use.

        Raises:
            UsageError: a setting names an unknown plugin.
        """
        from .plugins.registry import load_catalogue

        catalogue = load_catalogue(self.settings.plugins)
        for where, names in plugin_names(self.settings):
            catalogue.check_names(names, where=where)
        catalogue.check_options(self.settings.plugins.options if self.settings.plugins else {}, where="the settings")
        return catalogue

    @cached_property
    def services(self) -> Services:
        """The services of the installed plugins, as found at first use.

        Raises:
            UsageError: a setting names an unknown plugin.
        """
        from .plugins.services import load_services

        return load_services(self.settings.plugins, engines=self.catalogue, seconds=self.settings.limits.wall_seconds)

    @property
    def dispatcher(self) -> Dispatcher:
        """Calls hooks in the workers."""
        from .plugins.dispatcher import Dispatcher

        plugins = self.settings.plugins or EVERY_PLUGIN
        return Dispatcher(self.pool, memory=plugins.memory, options=plugins.options, network=plugins.network)

    def profile(self, name: str | None = None) -> Profile:
        """Load a profile by name, or the one that the settings name.

        Raises:
            UsageError: there is no such profile, it is malformed, or it names an unknown plugin.
        """
        profile = load_profile(name or self.settings.profile)
        if profile.key not in self._checked_profiles:
            for rule, names in profile.plugin_names():
                self.catalogue.check_names(names, where=f"{rule} of profile {profile.name}")
            self.catalogue.check_options(profile.options, where=f"profile {profile.name}")
            self._checked_profiles.add(profile.key)
        return profile

    def close(self) -> None:
        """End the workers. The runtime can be used again: it starts new workers."""
        with self._lock:
            pool, self._pool = self._pool, None
            self._closing.set()
            self._closing = threading.Event()
        if pool is not None:
            pool.close()

    def _forget_workers(self) -> None:
        """Give up the workers without ending them: they are those of the process that this one was forked from."""
        self._lock = threading.Lock()  # another thread of the parent may have held it
        self._pool = None
        self._closing = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


_all: weakref.WeakSet[Runtime] = weakref.WeakSet()
_default: Runtime | None = None
_default_lock = threading.Lock()


def _after_fork() -> None:
    """In a forked child: every runtime starts workers of its own."""
    global _default_lock
    _default_lock = threading.Lock()
    for runtime in list(_all):
        runtime._forget_workers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def default_runtime() -> Runtime:
    """Return the runtime that `octavo.convert` uses by default; one is created per process."""
    global _default
    with _default_lock:
        if _default is None:
            _default = Runtime()
        return _default
