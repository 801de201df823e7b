"""Lazy public names for packages: a process imports only the modules that it uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def lazily(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Build a package's `__getattr__` and `__dir__`.

    Args:
        package: `__name__` of the package.
        homes: public name → module of the package that defines it.
    """

    def load(name: str) -> object:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f".{home}", package), name)

    def names() -> list[str]:
        return sorted({*vars(import_module(package)), *homes})

    return load, names
