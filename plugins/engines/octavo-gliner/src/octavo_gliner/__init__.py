"""Octavo engine: entities of any kind by GLiNER; see the distribution's README."""
