"""The settings of a corpus, which the library's owner changes here as by `octavo corpus set` (UI-3)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Literal

from octavo.profiles.profile import SHIPPED_PROFILES
from octavo.settings.settings import Settings
from octavo_library.facade.corpora import SENSITIVITIES, VISIBILITIES, Corpus, CorpusSettings
from octavo_sandbox.preflight import RAISABLE, PreflightLimits
from pydantic import Field

from ..problems import public_text
from ..screen import Query, Reader, Screen, View

LIBRARYS = "default"
"""The choice of a setting that the corpus does not set."""

OWN_FILE = "own file"
"""The choice of a profile that is a file: it was set by the command line, and another file cannot be chosen here."""


class CorpusSettingsQuery(Query):
    """A corpus."""

    corpus: str = Field(min_length=1, max_length=200, description="Name of the corpus.")


class CorpusSettingView(View):
    """A setting of a corpus."""

    name: str = Field(description="Its name, which is also its field of the form.")
    value: str = Field(description="Its value, as text of the form.")
    origin: Literal["default", "corpus"] = Field(description="`corpus` if the corpus sets it, else `default`.")
    fallback: str = Field(description="The value without a setting of the corpus, or what decides about it.")
    description: str = Field(description="What it does.")
    choices: list[str] = Field(description="The values to choose from; empty: any text or number.")


class CorpusSettingsView(View):
    """The settings of a corpus."""

    corpus: str = Field(description="The corpus.")
    settings: list[CorpusSettingView] = Field(description="Every setting.")
    notes: list[str] = Field(description="A sentence for each setting that has no effect yet.")
    seen: str = Field(description="To send with a change: it is refused if the settings are others by then.")


def build(reader: Reader, query: CorpusSettingsQuery) -> CorpusSettingsView:
    """Show the settings of a corpus.

    Raises:
        Refused: the asker is not the library's owner.
        UsageError: no such corpus.
    """
    library = reader.owned
    corpus = library.corpora.get(query.corpus)
    runtime = library.context.runtime
    plugins = sorted(one.name for one in runtime.catalogue if "convert" in one.manifest.hooks)
    return CorpusSettingsView(
        corpus=corpus.name,
        settings=_settings(corpus, runtime.settings, plugins),
        notes=[public_text(note) for note in library.corpora.unsupported(corpus.settings)],
        seen=fingerprint(corpus),
    )


def fingerprint(corpus: Corpus) -> str:
    """32 hex digits that identify the settings of a corpus."""
    text = json.dumps([corpus.id, asdict(corpus.settings)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


_DOCS: dict[str, str] = {
    "visibility": "Who finds its documents: every search, cloud services too, or only searches in this corpus.",
    "sensitivity": "How its documents must be handled.",
    "cloud": "Whether cloud services may process its documents.",
    "retention": "How long superseded versions are kept: everything, active_only, or a number of days.",
    "profile": "The routing rules of its documents.",
    "plugin": "The plugin that converts its documents.",
    "entities": "Whether entities are extracted from its documents.",
    "entity_types": "The entity types to extract, with commas: person, place, organisation.",
    "briefs": "Whether briefs of its documents are made in the background.",
    "chunking": "Chunk sets for searches in it: fixed-TARGET-MAXIMUM-MINIMUM, in characters.",
    "cost_limit": "US dollars that the paid calls of one run into it may cost.",
    "max_bytes": "Size of a document, in bytes.",
    "max_ratio": "How often as large as its packed form one entry of a container may unpack.",
}


def _settings(corpus: Corpus, own: Settings, plugins: list[str]) -> list[CorpusSettingView]:
    given, defaults = corpus.settings, CorpusSettings()
    switch = [LIBRARYS, "on", "off"]
    profile = _named(given.profile) if given.profile is not None else None
    profiles = [LIBRARYS, *SHIPPED_PROFILES, *([OWN_FILE] if profile == OWN_FILE else [])]
    rows: list[tuple[str, Any, str, list[str]]] = [
        ("visibility", given.visibility, defaults.visibility, list(VISIBILITIES)),
        ("sensitivity", given.sensitivity, defaults.sensitivity, list(SENSITIVITIES)),
        ("cloud", given.cloud, "off", ["off", "on"]),
        ("retention", given.retention, str(defaults.retention), []),
        ("profile", profile, f"the library's: {_named(own.profile)}", profiles),
        ("plugin", given.plugin, "routing chooses", [LIBRARYS, *plugins]),
        ("entities", given.entities, "as profile and document type say", switch),
        ("entity_types", ", ".join(given.entity_types) or None, "those of the library", []),
        ("briefs", given.briefs, "as the settings of the library say", switch),
        ("chunking", given.chunking, "the library's", []),
        ("cost_limit", given.cost_limit, "no limit", []),
    ]
    settings = [
        CorpusSettingView(
            name=name,
            value=_text(value, is_choice=bool(choices)),
            origin="default" if getattr(given, name) == getattr(defaults, name) else "corpus",
            fallback=fallback,
            choices=choices,
            description=_DOCS[name],
        )
        for name, value, fallback, choices in rows
    ]
    return settings + [_limit(name, given.limits) for name in RAISABLE]


def _limit(name: str, given: Mapping[str, int]) -> CorpusSettingView:
    """A limit on the size of documents; empty where the corpus has the default."""
    described = {one.name: one.metadata for one in fields(PreflightLimits)}.get(name)
    return CorpusSettingView(
        name=name,
        value=str(given.get(name, "")),
        origin="corpus" if name in given else "default",
        fallback=f"{getattr(PreflightLimits(), name):,}" if described else "no limit of its own",
        choices=[],
        description=_DOCS.get(name) or str(described and described["doc"]),
    )


def _named(profile: str) -> str:
    """A profile without the folder of its file."""
    return profile if profile in SHIPPED_PROFILES else OWN_FILE


def _text(value: Any, *, is_choice: bool) -> str:
    if value is None:
        return LIBRARYS if is_choice else ""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


SCREEN = Screen(
    path="/corpora/settings",
    template="corpus_settings.html",
    summary="Show the settings of a corpus, with what applies where the corpus sets none.",
    query=CorpusSettingsQuery,
    view=CorpusSettingsView,
    build=build,
    is_owners=True,
)
