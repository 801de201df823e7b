"""Libraries and runtimes with the settings that apply where the command was typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...library.library import Library
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


def open_library(folder: str, *, create: bool = True, make_room: bool = False, **flags: Any) -> Library:
    """A library with these settings; use it as a context manager.

    Args:
        folder: the library's folder.
        create: whether to make it.
        make_room: see `Library.open`.
        flags: as `settings`.

    Raises:
        UsageError: as `settings`; or `create` is False and there is no library.
        StorageError: as `Library.open`.
    """
    from ...library.library import Library

    return Library.open(folder, settings=settings(**flags), create=create, make_room=make_room)
