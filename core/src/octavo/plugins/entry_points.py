"""Entry points of installed distributions, whose authors may have written anything. Light: the command line starts with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def is_well_formed(point: EntryPoint) -> bool:
    """Whether an entry point names a module, or an object in one; of any other Python knows nothing but the text."""
    return point.pattern.match(point.value) is not None


def names_object(point: EntryPoint) -> bool:
    """Whether an entry point names an object in a module."""
    return is_well_formed(point) and bool(point.attr)
