"""The settings that apply where the command was typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...settings.settings import Settings


def settings(**flags: Any) -> Settings:
    """The settings of this command: flags over environment over project file over user file over defaults.

    Args:
        flags: dotted keys with `__` for the dot, as variables have them; None for an option that was not given.

    Raises:
        UsageError: a file or variable says what is not allowed.
    """
    from ...settings.sources import load_settings

    return load_settings(flags={name.replace("__", "."): value for name, value in flags.items()}).settings
