"""Octavo engine: entities in English texts by spaCy; see the distribution's README."""
