"""Reconversions that are suggested after an upgrade of a plugin or a change of type; none is made by itself (ENG-18)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..storage import ActiveVersion, PolicyContext
from .context import LibraryContext

if TYPE_CHECKING:
    from octavo.plugins import Catalogue

SuggestionCause = Literal["newer_plugin", "changed_type"]
"""A newer version of the plugin is installed; a user set another type since the conversion."""


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """A reconversion that may give a better version of a document.

    Attributes:
        document_id: the document.
        version: its active version.
        plugin: the plugin that made it.
        cause: see `SuggestionCause`.
        message: the reason, as a sentence without a full stop.
    """

    document_id: str
    version: int
    plugin: str
    cause: SuggestionCause
    message: str


def suggestions(
    context: LibraryContext,
    document_ids: Sequence[str] | None = None,
    *,
    corpus_id: str | None = None,
    policy: PolicyContext | None = None,
) -> dict[str, Suggestion]:
    """Suggested reconversions by document id. Reads the index alone.

    Args:
        context: the library's parts.
        document_ids: only these documents; None: all.
        corpus_id: only documents of this corpus.
        policy: the asking policy context; None: the library's owner.
    """
    active = context.index.versions.in_force(document_ids, corpus_id=corpus_id, policy=policy)
    installed = _installed(context.runtime.catalogue)
    found = (_suggestion(one, installed) for one in active)
    return {one.document_id: one for one in found if one is not None}


def _suggestion(active: ActiveVersion, installed: dict[str, str]) -> Suggestion | None:
    now = installed.get(active.tool)
    if now and active.tool_version is not None and _is_older(active.tool_version, now):
        message = f"version {active.version} was made by {active.tool} {active.tool_version}, and {now} is installed"
        return Suggestion(
            document_id=active.document_id,
            version=active.version,
            plugin=active.tool,
            cause="newer_plugin",
            message=message,
        )
    mine = active.by_hand
    if mine is not None and mine.at > active.created_at and mine.document_type != active.classified_as:
        message = f"its type was set to {mine.document_type} after version {active.version} was made"
        return Suggestion(
            document_id=active.document_id,
            version=active.version,
            plugin=active.tool,
            cause="changed_type",
            message=message,
        )
    return None


def _installed(catalogue: Catalogue) -> dict[str, str]:
    """Plugin → its installed version."""
    return {plugin.name: plugin.manifest.version or "" for plugin in catalogue}


def _is_older(made_by: str, installed: str) -> bool:
    return _numbers(made_by) < _numbers(installed)


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a release: (1, 10, 2) for 1.10.2; what follows a letter or a plus sign is ignored."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, release.group().split("."))) if release is not None else ()
