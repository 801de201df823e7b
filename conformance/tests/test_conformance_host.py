"""`HostConformance` over hosts that do not survive. The core's own tests run it over `octavo_library.Library`."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo import convert
from octavo_conformance import HostConformance
from octavo_conformance.host import HOSTILE, survives
from octavo_contracts import IngestionResult


class CheerfulHost:
    """A host that reports every document as converted."""

    def ingest(self, path: Path, *, plugin: str, timeout: float) -> IngestionResult:
        """See `octavo_conformance.host.Host`."""
        return convert(path, plugin="plaintext").result

    def close(self) -> None:
        """See `octavo_conformance.host.Host`."""


class FragileHost(CheerfulHost):
    """A host that a plugin takes along."""

    def ingest(self, path: Path, *, plugin: str, timeout: float) -> IngestionResult:
        """See `octavo_conformance.host.Host`."""
        raise RuntimeError(f"{plugin} broke the host")


def test_a_host_that_falls_is_caught(tmp_path: Path) -> None:
    class Kit(HostConformance):
        def make_host(self, folder: Path) -> FragileHost:
            return FragileHost()

    with pytest.raises(RuntimeError, match="host-raises broke the host"):
        survives(Kit(), HOSTILE[0], tmp_path)


def test_the_kit_names_every_way_to_harm_a_host() -> None:
    """Each is a test of every subclass."""
    names = {plugin.name for plugin in HOSTILE}
    assert {"raises", "hangs", "leaks", "bad-import", "lies", "segfaults", "forks"} <= names
    assert {"floods-output", "floods-files", "floods-the-result"} <= names
    tests = {name for name in dir(HostConformance) if name.startswith("test_survives_a_plugin_that_")}
    assert len(tests) == len(HOSTILE)


def test_a_host_that_hides_failures_is_caught(tmp_path: Path) -> None:
    class Kit(HostConformance):
        def make_host(self, folder: Path) -> CheerfulHost:
            return CheerfulHost()

    with pytest.raises(AssertionError, match=r"the (status|reason) is"):
        survives(Kit(), HOSTILE[0], tmp_path)
