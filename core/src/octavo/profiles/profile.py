"""Routing profiles: which plugins convert which type of document, read from TOML (CNV-1)."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from octavo_contracts import RoutingType, UsageError
from pydantic import JsonValue

from ..builtins.classification.registered_types import RegisteredType
from .document_types import nearest, parse_types
from .sampling import NO_SAMPLING, SamplingPlan, parse_plan

SHIPPED_PROFILES = ("case-file", "fast", "legal", "measured", "research", "seed", "thorough", "transcript")
NEUTRAL_PROFILES = ("fast", "measured", "seed", "thorough")
"""Shipped profiles whose names say nothing of the documents: the others are an asker's own (STO-5)."""


DEFAULT_PROFILE = "measured"


_TABLES = (
    *("name", "description", "base", "routes", "escalate", "consensus", "hooks", "sampling", "types", "metadata"),
    "plugins",
    "recognisers",
)
_VERDICTS = ("classify", "score_quality")


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Routing rules.

    Attributes:
        name: the name for `--profile`.
        description: one line.
        routes: routing type → plugins, best first.
        escalate: 'pdf' or 'other' → heavier plugins, best first (CNV-2).
        key: unique key of the profile: the name of a shipped one, the path of a file.
        consensus: 'pdf' → plugins that read a PDF besides the one that converts it, in the order in which they are asked.
            The best reading of each page and table is taken.
        sampling: how its rules are tested (CNV-4).
        types: document types that it adds to the shipped ones, in its order (CLS-2).
        hooks: `classify` or `score_quality` → plugins to call for a verdict, first choice first; for other hooks the
            settings apply.
        options: plugin → its options, stronger than those of the settings.
        metadata: fields that it adds to the metadata of documents (ENG-23).
        recognisers: plugins that recognise pages before all others, where the settings have no order; those that are not
            installed, or lack an option that has no default, are passed over (OCR-8).
    """

    name: str
    description: str
    routes: dict[str, tuple[str, ...]]
    escalate: dict[str, tuple[str, ...]]
    key: str = ""
    sampling: SamplingPlan = NO_SAMPLING
    types: tuple[RegisteredType, ...] = ()
    hooks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    consensus: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict)
    metadata: tuple[str, ...] = ()
    recognisers: tuple[str, ...] = ()

    def plugin_names(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each rule that names plugins, with the names."""
        tables = {
            "routes": self.routes,
            "escalate": self.escalate,
            "consensus": self.consensus,
            "hooks": self.hooks,
            "sampling.pairs": self.sampling.pairs,
        }
        for table, rules in tables.items():
            for rule, names in rules.items():
                yield f"{table}.{rule}", names
        yield "plugins", tuple(self.options)
        yield "recognisers", self.recognisers


@cache
def load_profile(name: str = DEFAULT_PROFILE) -> Profile:
    """Load a shipped profile by name, or a TOML file by path.

    Raises:
        UsageError: the profile does not exist, or the file is not a profile.
    """
    if name in SHIPPED_PROFILES:
        text = resources.files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
        return replace(parse_profile(text, origin=name), key=name)
    path = Path(name)
    if path.suffix == ".toml" and path.is_file():
        return replace(parse_profile(path.read_text(encoding="utf-8"), origin=name), key=os.path.abspath(path))
    raise UsageError(
        f"no profile named {name!r}; shipped are {', '.join(SHIPPED_PROFILES)}",
        remedy="Give one of these, or the path of a .toml file with [routes] and [escalate]",
    )


def parse_profile(text: str, *, origin: str) -> Profile:
    """Read a profile's TOML.

    Raises:
        UsageError: invalid TOML, an unknown table or routing type, or a value that is not a list of names.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"profile {origin} is not valid TOML: {error}") from error
    if "base" in data:
        data = {**_based_on(data["base"], origin=origin), **data}
    for key in data:
        if key not in _TABLES:
            raise UsageError(
                f"profile {origin} has the unknown key {key!r}{nearest(key, _TABLES)}",
                remedy=f"Use {', '.join(_TABLES)}",
            )
    known = {kind.value for kind in RoutingType}
    if unknown := sorted(set(data.get("routes", {})) - known):
        raise UsageError(f"profile {origin} has rules for unknown routing types: {', '.join(unknown)}")
    if unknown := sorted(set(data.get("escalate", {})) - {"pdf", "other"}):
        raise UsageError(
            f"profile {origin}: [escalate] has {', '.join(unknown)}; expected pdf and other",
            remedy="List the plugins that keep tables under pdf of [consensus]" if "tables" in unknown else None,
        )
    if unknown := sorted(set(data.get("consensus", {})) - {"pdf"}):
        raise UsageError(f"profile {origin}: [consensus] has {', '.join(unknown)}; expected pdf")
    if unknown := sorted(set(data.get("hooks", {})) - set(_VERDICTS)):
        raise UsageError(f"profile {origin}: [hooks] has {', '.join(unknown)}; expected {' and '.join(_VERDICTS)}")
    tables = {}
    for table in ("routes", "escalate", "consensus", "hooks"):
        tables[table] = {
            key: _names(value, origin=f"{origin}, {table}.{key}") for key, value in data.get(table, {}).items()
        }
    return Profile(
        name=str(data.get("name", origin)),
        description=str(data.get("description", "")),
        routes=tables["routes"],
        escalate=tables["escalate"],
        key=origin,
        sampling=parse_plan(data.get("sampling", {}), origin=origin),
        types=parse_types(data.get("types", {}), origin=origin),
        hooks=tables["hooks"],
        consensus=tables["consensus"],
        options=_options(data.get("plugins", {}), origin=origin),
        metadata=_names(data.get("metadata", []), origin=f"{origin}, metadata", of="field"),
        recognisers=_names(data.get("recognisers", []), origin=f"{origin}, recognisers"),
    )


def _based_on(base: object, *, origin: str) -> dict[str, Any]:
    """The tables of a shipped profile, for those that a profile leaves out."""
    if base not in NEUTRAL_PROFILES:
        raise UsageError(
            f"profile {origin} has the unknown base {base!r}", remedy=f"Use one of {', '.join(NEUTRAL_PROFILES)}"
        )
    text = resources.files(__package__).joinpath(f"{base}.toml").read_text(encoding="utf-8")
    return {key: value for key, value in tomllib.loads(text).items() if key not in ("name", "description")}


def _options(table: object, *, origin: str) -> dict[str, dict[str, JsonValue]]:
    if not isinstance(table, dict) or not all(isinstance(given, dict) for given in table.values()):
        raise UsageError(f"profile {origin}: [plugins] has a table of options for each plugin: [plugins.NAME]")
    return table


def _names(value: object, *, origin: str, of: str = "plugin") -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UsageError(f"profile {origin} must be a list of {of} names")
    return tuple(value)
