"""The conformance suite's hostile plugins over `octavo_library.Library`: it survives each, says what happened, and goes on (ENG-11)."""

from __future__ import annotations

from octavo_conformance import HostConformance


class TestLibrary(HostConformance):
    """The host of the kit is `octavo_library.Library` where nobody names another."""
