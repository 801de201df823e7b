"""The conformance suite of Octavo's plugin contract.

    octavo conformance run NAME
    pytest --pyargs octavo_conformance.suite --octavo-plugin=NAME

or, in an author's own repository, `class TestMine(ConverterConformance): plugin = "mine"`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .version import SUITE_VERSION

if TYPE_CHECKING:
    from .host import HostConformance, LibraryHost
    from .kit import ConverterConformance

__all__ = ["SUITE_VERSION", "ConverterConformance", "HostConformance", "LibraryHost"]


def __getattr__(name: str) -> Any:
    """Import the kits on first use: the rest of the package does not need pytest."""
    if name == "ConverterConformance":
        from .kit import ConverterConformance

        return ConverterConformance
    if name in ("HostConformance", "LibraryHost"):
        from . import host

        return getattr(host, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
