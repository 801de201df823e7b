"""Octavo engine: literal values by patterns, without a model; see the distribution's README."""
