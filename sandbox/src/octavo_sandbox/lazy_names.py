"""Lazy public names for packages: a process imports only the modules that it uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def lazily(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Build a package's `__getattr__` and `__dir__`.

    Args:
        package: `__name__` of the package.
        homes: public name → module of the package that defines it. No name may be that of a module: once imported, the
            module is found in its place.
    """
    if both := homes.keys() & set(homes.values()):
        raise ValueError(f"names of {package} are names of its modules too: {', '.join(sorted(both))}")

    def load(name: str) -> object:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(f".{home}", package), name)
        setattr(import_module(package), name, value)  # later uses find it in the package itself
        return value

    def names() -> list[str]:
        return sorted({*vars(import_module(package)), *homes})

    return load, names
