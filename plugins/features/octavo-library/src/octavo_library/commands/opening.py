"""Opens libraries with the settings of the current folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from octavo_cli.toolkit.configured import settings

if TYPE_CHECKING:
    from ..facade.library import Library


def open_library(folder: str, *, create: bool = True, make_room: bool = False, **flags: Any) -> Library:
    """Open a library; use it as a context manager.

    Args:
        folder: the library's folder.
        create: whether to create a missing library.
        make_room: see `Library.open`.
        flags: as `settings`.

    Raises:
        UsageError: as `settings`; or `create` is False and there is no library.
        StorageError: as `Library.open`.
    """
    from ..facade.library import Library

    return Library.open(folder, settings=settings(**flags), create=create, make_room=make_room)
