"""The hooks of the plugin `spacy`."""

from __future__ import annotations

from octavo_contracts import EntityObservation, EntityRequest, HookContext, hookimpl


@hookimpl
def extract_entities(text: str, request: EntityRequest, context: HookContext) -> tuple[EntityObservation, ...]:
    """Find mentions; see `octavo_spacy.extract`."""
    from .extract import find_entities

    return find_entities(text, request)
