"""Options of an ingestion, as a frozen dataclass and as keyword arguments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

from ..storage import DeclaredMetadata, MetadataDecision


@dataclass(frozen=True, kw_only=True)
class IngestOptions:
    """Options of an ingestion.

    Attributes:
        corpus: the corpus that they join, by name; created if it is missing.
        surface: how they enter (ENG-1).
        plugin: the plugin for new conversions; None: routing chooses.
        profile: routing rules; None: the corpus's, else the settings'.
        password: password of encrypted documents.
        timeout: seconds that a plugin may take for one document.
        retry: convert documents again that failed before.
        entities: whether to extract entities; None: as corpus and settings say (ENT-1).
        entity_types: the entity types to extract in this run; None: as document type, corpus and settings say. Given, they
            are extracted from every document, unless `entities` is off.
        briefs: whether briefs are made in the background; None: as corpus and settings say (INT-1).
        reingest: convert known documents again, as new versions that become the active ones (STO-13).
        activate: with `reingest`: None: the new version becomes the active one unless it lost pages or text of the
            previous one; True: always; False: never.
        confirm_cost: whether a run may cost more than the limit of its corpus (ENG-24).
        declared: title, date, source and further metadata that the caller declares of the documents (ENG-21).
        location: the kind of place that they are from (STO-18), a value of `LocationType`, for example `onedrive` or
            `pacer_docket`; None: it follows from path, URL and surface.
        known_metadata: what to do if known bytes were declared with another title, date or source: `ask` pauses their
            ingestion, which then fails with the reason `duplicate_with_different_metadata`; `keep` keeps the known
            metadata, `replace` replaces it.
    """

    corpus: str | None = None
    surface: str = "direct_upload"
    plugin: str | None = None
    profile: str | None = None
    password: str | None = None
    timeout: float | None = None
    retry: bool = False
    entities: bool | None = None
    entity_types: tuple[str, ...] | None = None
    briefs: bool | None = None
    reingest: bool = False
    activate: bool | None = None
    confirm_cost: bool = False
    declared: DeclaredMetadata | None = None
    known_metadata: MetadataDecision = "ask"
    location: str | None = None


class IngestFields(TypedDict, total=False):
    """The fields of `IngestOptions` as keyword arguments."""

    corpus: str | None
    surface: str
    plugin: str | None
    profile: str | None
    password: str | None
    timeout: float | None
    retry: bool
    entities: bool | None
    entity_types: tuple[str, ...] | None
    briefs: bool | None
    reingest: bool
    activate: bool | None
    confirm_cost: bool
    declared: DeclaredMetadata | None
    known_metadata: MetadataDecision
    location: str | None


def merge_options(options: IngestOptions | None, **fields: Unpack[IngestFields]) -> IngestOptions:
    """Options with some fields replaced.

    Args:
        options: the options; None: the defaults.
        fields: the fields to replace.

    Raises:
        TypeError: no such field.
    """
    return replace(options or IngestOptions(), **fields)
