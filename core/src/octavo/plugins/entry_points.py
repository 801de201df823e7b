"""Validates entry points of installed distributions, which may be malformed. Light: the command line imports it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def is_well_formed(point: EntryPoint) -> bool:
    """Return whether an entry point names a module, or an object in one; others cannot be parsed."""
    return point.pattern.match(point.value) is not None
