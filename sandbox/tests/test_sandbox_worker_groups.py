"""Which worker a plugin runs in."""

from __future__ import annotations

import pytest
from octavo.plugins.dispatcher import lane_of
from octavo.plugins.registry import PluginInfo
from octavo_contracts import Capability, EngineInfo, PluginManifest
from octavo_sandbox import WorkerGroup


def plugin(name: str, *, subprocess: bool = False) -> PluginInfo:
    manifest = PluginManifest(
        name=name,
        description="A converter.",
        hooks=("convert",),
        media_types=("text/plain",),
        capabilities=(Capability.SUBPROCESS,) if subprocess else (),
        engine=EngineInfo(licence="Apache-2.0"),
    )
    return PluginInfo(manifest=manifest, module=f"octavo_{name}.plugin", distribution=f"octavo-{name}")


def test_no_plugin_shares_a_lane_with_another_or_with_the_inspection() -> None:
    """One can change the other's code in the process they share, and with it what it says of a document."""
    lanes = {lane_of(plugin(name)) for name in ("one", "two", "shared")}
    assert len(lanes) == 3
    assert WorkerGroup() not in lanes


@pytest.mark.parametrize("subprocess", [False, True])
def test_programs_are_started_by_who_declares_it(subprocess: bool) -> None:
    assert lane_of(plugin("one", subprocess=subprocess)).subprocess is subprocess
