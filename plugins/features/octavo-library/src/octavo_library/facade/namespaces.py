"""The namespaces of a library, imported and made at their first use: a process that reads loads no converter code."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Namespace:
    """Makes a namespace at its first use, and stores it on the library."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name
        self._attribute = ""

    @property
    def kind(self) -> type:
        """The class of the namespace."""
        found: type = getattr(import_module(f".{self._module}", __package__), self._name)
        return found

    def __set_name__(self, owner: type, attribute: str) -> None:
        self._attribute = attribute

    def __get__(self, library: Any, owner: type) -> Any:
        if library is None:
            return self
        return library.__dict__.setdefault(self._attribute, self.kind(library.context))


def at_first_use(module: str, name: str) -> Any:
    """Declare a namespace of a class that has a `context`.

    Args:
        module: its module, from this package.
        name: its class, which is called with the context.
    """
    return _Namespace(module, name)


def namespaces_of(kind: type) -> dict[str, type]:
    """The public namespaces of a class: attribute → class."""
    return {
        name: one.kind for name, one in vars(kind).items() if isinstance(one, _Namespace) and not name.startswith("_")
    }
