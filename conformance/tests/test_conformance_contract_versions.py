"""A plugin that was built for contract 1.0 runs on every host of contract 1: its source is kept as it was."""

from __future__ import annotations

import hashlib
from pathlib import Path

import octavo
import pytest
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_conformance.plugin_folder import importable
from octavo_conformance.reference import PluginText, install
from octavo_contracts import CONTRACT_VERSION, host_accepts

FROZEN = Path(__file__).parent / "frozen" / "contract_1_0"
HASHES = {
    "plugin.py.txt": "c1ee31e7fc7f68c6f910335d3b943645550a153c8dcaa1084723e411afa6c9e8",
    "octavo-plugin.toml": "bb7c1c08e5e0d81243df9fc5c06b7c7c04ef21d514bbafa044f4747b0888a077",
}
"""SHA-256 of the files: a change of the contract that needs a change here breaks the promise of its major version."""


@pytest.mark.parametrize("name", HASHES)
def test_the_source_of_the_plugin_is_the_one_that_was_kept(name: str) -> None:
    assert hashlib.sha256((FROZEN / name).read_bytes()).hexdigest() == HASHES[name]


def test_a_plugin_for_contract_1_0_still_runs(tmp_path: Path) -> None:
    """It classifies, converts, and refuses as it did."""
    code, manifest = ((FROZEN / name).read_text(encoding="utf-8") for name in HASHES)
    install(tmp_path, "frozen", PluginText(code=code, manifest=manifest))
    with importable(tmp_path), Runtime(Settings(workers=1)) as runtime:
        made = octavo.convert(b"LOG\nhigh tide\flow tide", name="day.tidelog", runtime=runtime)
        refused = octavo.convert(b"no log", name="day.tidelog", runtime=runtime, plugin="frozen")

    assert [receipt.details for receipt in made.result.failure_receipts] == []
    assert made.text == "high tide\n\n---PAGE 2---\n\nlow tide"
    assert made.result.quality_report.selected_tool == "frozen"
    assert made.result.document_type == "tide_log"
    assert made.result.metadata.title == "Tide log"
    assert refused.result.ingestion_status == "hard_failed"
    assert [receipt.reason_code for receipt in refused.result.failure_receipts] == ["source_corrupt"]


def test_a_host_accepts_its_own_minor_and_older_ones_of_its_major() -> None:
    assert host_accepts("1.0")
    major, minor = map(int, CONTRACT_VERSION.split("."))
    assert not host_accepts(f"{major}.{minor + 1}")
    assert not host_accepts(f"{major + 1}.0")
    assert host_accepts("1.0", "1.7")
