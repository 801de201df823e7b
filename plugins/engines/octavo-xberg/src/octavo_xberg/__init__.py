"""Octavo engine: PDF read by xberg."""
