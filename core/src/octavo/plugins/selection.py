"""Which of the installed plugins may be used, and which distributions own their names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from typing import Annotated

from octavo_contracts import FEATURES_GROUP, PROJECT_NAME, UsageError
from pydantic import Field, JsonValue

from .plugin_names import check_known


@dataclass(frozen=True, kw_only=True)
class PluginSelection:
    """Which of the installed plugins may be used.

    Attributes:
        allow: only these, or None for all.
        block: never these; stronger than `allow`.
        strict: raise when any plugin fails to load.
        owners: plugin → distribution, for names that do not belong to the distribution `octavo-NAME`.
        memory: plugin → MiB that it may use if it asks for them, although the host's limit is lower.
        network: plugin → hosts that `context.fetch` may send requests to: `host` for a public host and its subdomains, on
            ports 80 and 443; `host:port` for a single server, also one in your own network. By default none.
        options: plugin → its options, see `PluginManifest.options`. In a settings file: the table `[plugins.NAME]`.
        prices: plugin → price of one page or picture that it recognises or describes across the network, in US dollars; for
            plugins that use `ocr.service`, `ocr.service_price` holds where nothing is given here (ENG-24).
    """

    allow: frozenset[str] | None = None
    block: frozenset[str] = frozenset()
    strict: bool = False
    owners: Mapping[str, str] = field(default_factory=dict)
    memory: Mapping[str, Annotated[int, Field(ge=64)]] = field(default_factory=dict)
    network: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict)
    prices: Mapping[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make sets of names given as other collections.

        Raises:
            UsageError: a text was given instead of a collection of names.
        """
        for name in ("allow", "block"):
            given: object = getattr(self, name)
            if isinstance(given, str):
                raise UsageError(f"{name} must be a collection of plugin names, got the text {given!r}")
            if given is not None:
                object.__setattr__(self, name, frozenset(getattr(self, name)))

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> PluginSelection:
        """Read OCTAVO_PLUGINS and OCTAVO_BLOCK (names separated by commas) and OCTAVO_STRICT_PLUGINS (1 or 0).

        The other settings of plugins are in settings files alone.
        """
        env = os.environ if environ is None else environ
        allow = _names(env.get("OCTAVO_PLUGINS"))
        return cls(
            allow=allow or None,
            block=_names(env.get("OCTAVO_BLOCK")),
            strict=env.get("OCTAVO_STRICT_PLUGINS", "") not in ("", "0"),
        )

    def permits(self, name: str) -> bool:
        """Return whether a plugin of this name may be used."""
        return name not in self.block and (self.allow is None or name in self.allow)


EVERY_PLUGIN = PluginSelection()
"""All installed plugins, each with its defaults."""


def check_selection(selection: PluginSelection) -> None:
    """Raise for an unknown name in a selection. It holds for engines and for features.

    Raises:
        UsageError: see `check_known`.
    """
    given: dict[str, Iterable[str]] = {
        "allow": selection.allow or (),
        "block": selection.block,
        "owners": selection.owners,
        "memory": selection.memory,
        "network": selection.network,
        "options": selection.options,
        "prices": selection.prices,
    }
    if any(given.values()):
        known = {point.name for group in (PROJECT_NAME, FEATURES_GROUP) for point in metadata.entry_points(group=group)}
        for table, names in given.items():
            check_known(names, known, where=f"plugins.{table}")


def _names(text: str | None) -> frozenset[str]:
    return frozenset(name.strip() for name in (text or "").split(",") if name.strip())
