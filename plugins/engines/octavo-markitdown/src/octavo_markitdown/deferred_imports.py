"""Imports MarkItDown without the libraries that the document at hand does not need.

MarkItDown imports the libraries of all its converters at once, pandas, onnxruntime and requests among them: half a second and
100 MB in every worker. They are replaced by modules that import the real one when something of it is used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from octavo_contracts.authoring.quiet_imports import without_ipv6_probe

DEFERRED = ("magika", "mammoth", "openpyxl", "pandas", "pdfminer.high_level", "pdfplumber", "pptx", "requests", "xlrd")
"""Modules that MarkItDown imports by their names alone, and uses when it converts."""
_ANNOTATIONS = {"requests": ("Response",)}
"""Module → its classes that MarkItDown has in annotations, and so looks up when it is imported."""


class _Deferred(ModuleType):
    """Stands for a module; the first attribute that is asked for imports it."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def import_engine() -> None:
    """Import MarkItDown and its converters, unless that was done already.

    Raises:
        ImportError: it is not installed, or a library that it always needs is missing.
    """
    if "markitdown" in sys.modules:
        return
    replaced = {name: _Deferred(name) for name in DEFERRED if name not in sys.modules and _is_installed(name)}
    sys.modules.update(replaced)
    for name, module in replaced.items():
        parent, _, own = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], own, module)
        vars(module).update(dict.fromkeys(_ANNOTATIONS.get(name, ()), object))
    try:
        with without_ipv6_probe():
            import_module("markitdown.converters")
    finally:
        for name, module in replaced.items():
            for annotated in _ANNOTATIONS.get(name, ()):
                delattr(module, annotated)
            if sys.modules.get(name) is module:
                del sys.modules[name]  # who imports it from now on gets the real one


def _is_installed(name: str) -> bool:
    """Return whether a module can be found; its parent is imported."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
