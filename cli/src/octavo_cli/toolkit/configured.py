"""Loads the settings that apply in the working directory of the command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .options import INDEX_META

if TYPE_CHECKING:
    from octavo.settings.settings import Settings
    from octavo.settings.sources import Loaded


def settings(**flags: Any) -> Settings:
    """Load the settings of this command, as `loaded`.

    Raises:
        UsageError: a file or variable has an invalid key or value.
    """
    return loaded(**flags).settings


def loaded(**flags: Any) -> Loaded:
    """Load the settings of this command with the origin of each: flags over environment over project file over user file over defaults.

    Args:
        flags: dotted keys with `__` instead of dots, as in variables; None for an option that was not given.

    Raises:
        UsageError: a file or variable has an invalid key or value.
    """
    import click
    from octavo.settings.sources import load_settings

    context = click.get_current_context(silent=True)
    if context is not None and INDEX_META in context.meta:
        flags = {"index": context.meta[INDEX_META], **flags}
    return load_settings(flags={name.replace("__", "."): value for name, value in flags.items()})
