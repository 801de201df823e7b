"""`HostConformance` over `Library`, and over a host that does not survive."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo.conversion import convert
from octavo_conformance import HostConformance
from octavo_conformance.host import HOSTILE, survives
from octavo_contracts import IngestionResult


class TestLibrary(HostConformance):
    """`octavo.Library` survives every hostile plugin and says what happened."""


class CheerfulHost:
    """A host that reports every document as converted."""

    def ingest(self, path: Path, *, plugin: str, timeout: float) -> IngestionResult:
        """See `octavo_conformance.host.Host`."""
        return convert(path, with_="plaintext")

    def close(self) -> None:
        """See `octavo_conformance.host.Host`."""


def test_a_host_that_hides_failures_is_caught(tmp_path: Path) -> None:
    class Kit(HostConformance):
        def make_host(self, folder: Path) -> CheerfulHost:
            return CheerfulHost()

    with pytest.raises(AssertionError, match="the host says"):
        survives(Kit(), HOSTILE[0], tmp_path)
