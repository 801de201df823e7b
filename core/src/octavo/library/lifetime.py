"""How an opened library ends: by `close`, or, for a forked child, by the fork."""

from __future__ import annotations

import os
import weakref
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self

from octavo_contracts import LibraryDamaged, StorageError, UsageError

from ..storage.files import reserve
from ..storage.index.damage import damage_behind

_PARTS = ("recognition", "engine", "observers", "runtime", "chunk_index", "index", "artifacts")
"""What a library is made of, by attribute, in the order in which it is closed."""

_opened: weakref.WeakSet[HasLifetime] = weakref.WeakSet()
_parents: list[dict[str, Any]] = []
"""Parts of libraries that this process got by a fork. They are kept: to be collected would close the parent's files."""


class HasLifetime:
    """The part of `Library` that lets go of all others.

    A part that was let go of is no attribute any more, so that nothing is asked of a closed file or connection:
    whoever looks for it gets a `UsageError` that says why.
    """

    path: Path
    read_only: StorageError | None
    _gave_room = False
    """Whether the reserve was given back since the opening."""
    _owns_runtime: bool
    _why_gone = "is closed"

    def close(self) -> None:
        """Let go of the folder and end the library's own workers. Calling it again does nothing."""
        for name, part in self._take_parts().items():
            if name == "artifacts" and self._gave_room:
                reserve.keep(self.path, again=True)
            if name != "runtime" or self._owns_runtime:
                part.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        damage = self._damage_behind(error)
        self.close()
        if damage is not None:
            raise damage from error

    def _damage_behind(self, error: BaseException | None) -> LibraryDamaged | None:
        """What is wrong with the index, where that may be why the caller's work ended in an unexpected error."""
        index = vars(self).get("index")
        return damage_behind(error, index.url) if index is not None else None

    if not TYPE_CHECKING:  # for a type checker it would make every misspelt name an attribute

        def __getattr__(self, name: str) -> NoReturn:
            """Called for what is not there: a part that was taken, or a misspelt name."""
            if name in _PARTS:
                raise UsageError(f"the library at {self.path} {self._why_gone}", remedy="Open it with Library.open")
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}", name=name, obj=self)

    def _is_open(self) -> None:
        """To be called when all parts are there."""
        _opened.add(self)

    def _take_parts(self) -> dict[str, Any]:
        taken = {name: vars(self).pop(name, None) for name in _PARTS}
        return {name: part for name, part in taken.items() if part is not None}

    def _leave_to_parent(self) -> None:
        """In a forked child: let go without closing, ending or removing anything."""
        self._why_gone = "was opened by another process"
        _parents.append(self._take_parts())


def _after_fork() -> None:
    for library in list(_opened):
        library._leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
