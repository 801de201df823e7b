"""The static manifest, read from TOML without importing the plugin."""

from __future__ import annotations

import pytest
from octavo_contracts import Capability, Limits, ManifestError, PluginManifest, host_accepts
from pydantic import ValidationError

GOOD = """
[plugin]
name = "tide-reader"
contract = "1.0"
description = "Reads tide tables"
hooks = ["convert", "score_quality"]
media_types = ["text/x-tide"]
extensions = [".tide"]
priority = 70
capabilities = ["tables", "page_ranges"]
determinism = "nondeterministic"
concurrency = "serial"

[plugin.engine]
distribution = "tidelib"
module = "tidelib.reader"
versions = ">=2,<3"
licence = "MIT"

[plugin.limits]
timeout_seconds = 12.5
memory_mb = 512
max_bytes = 1000000

[[plugin.system]]
command = "tidectl"
install = "apt-get install tidectl"

[plugin.services]
scorer = "octavo_tide_reader.services:scorer"
"""

SMALL = """
[plugin]
name = "small"
description = "The least a plugin says"
hooks = ["classify"]
[plugin.engine]
licence = "Apache-2.0"
"""


def edited(before: str, after: str) -> str:
    """The small manifest with one line replaced."""
    assert before in SMALL
    return SMALL.replace(before, after)


def test_every_table_of_a_manifest_is_read() -> None:
    """What an author writes is what the loader sees."""
    manifest = PluginManifest.from_toml(GOOD, version="3.1.4")
    assert manifest.name == "tide-reader"
    assert manifest.version == "3.1.4"
    assert manifest.hooks == ("convert", "score_quality")
    assert manifest.capabilities == (Capability.TABLES, Capability.PAGE_RANGES)
    assert (manifest.engine.distribution, manifest.engine.licence) == ("tidelib", "MIT")
    assert manifest.limits == Limits(timeout_seconds=12.5, memory_mb=512, max_bytes=1_000_000)
    assert [(system.command, system.install) for system in manifest.system] == [("tidectl", "apt-get install tidectl")]
    assert manifest.services == {"scorer": "octavo_tide_reader.services:scorer"}


def test_the_defaults_are_the_modest_ones() -> None:
    """Nothing is claimed that was not written down."""
    manifest = PluginManifest.from_toml(SMALL)
    assert manifest.version == "0"
    assert manifest.priority == 50
    assert manifest.capabilities == ()
    assert manifest.determinism == "deterministic"
    assert manifest.concurrency == "parallel"
    assert manifest.limits == Limits()


def test_a_plugin_may_offer_services_alone() -> None:
    """A feature's services need no document hook."""
    text = edited('hooks = ["classify"]', "") + '[plugin.services]\ndigestor = "a.b:c"\n'
    assert PluginManifest.from_toml(text).hooks == ()


def test_keys_of_a_newer_minor_are_ignored() -> None:
    """A plugin for contract 1.0 may carry keys that only newer hosts read (ENG-19)."""
    text = edited('description = "The least', 'colour = "blue"\ndescription = "The least')
    assert PluginManifest.from_toml(text) == PluginManifest.from_toml(SMALL)


def test_a_newer_contract_is_read_so_that_the_host_can_refuse_it() -> None:
    """Reading does not judge: the loader compares the versions and records the refusal."""
    manifest = PluginManifest.from_toml(edited('name = "small"', 'name = "small"\ncontract = "1.9"'))
    assert manifest.contract == "1.9"
    assert not host_accepts(manifest.contract, "1.0")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[plugin", "is not TOML"),
        ("", r"has no \[plugin\] table"),
        ("plugin = 3", r"has no \[plugin\] table"),
        ("[tool]\nname = 'x'", r"has no \[plugin\] table"),
        (edited('name = "small"', ""), "name: Field required"),
        (edited('description = "The least a plugin says"', ""), "description: Field required"),
        (edited("[plugin.engine]", "[plugin.motor]"), "engine: Field required"),
        (edited('licence = "Apache-2.0"', ""), r"engine\.licence: Field required"),
        (edited('name = "small"', 'name = "Small_One"'), "name: String should match"),
        (edited('name = "small"', 'name = "small-"'), "name: String should match"),
        (edited('name = "small"', 'name = "small"\nname = "twice"'), "is not TOML"),
        (edited('hooks = ["classify"]', "hooks = []"), "at least one hook or service"),
        (edited('hooks = ["classify"]', 'hooks = ["guess"]'), r"hooks\.0"),
        (edited('hooks = ["classify"]', 'hooks = "classify"'), "hooks"),
        (edited('hooks = ["classify"]', 'hooks = ["convert"]'), "declare the media types that it reads"),
        (edited('name = "small"', 'name = "small"\ncapabilities = ["flight"]'), r"capabilities\.0"),
        (edited('name = "small"', 'name = "small"\npriority = 101'), "priority"),
        (edited('name = "small"', 'name = "small"\npriority = "70"'), "priority"),
        (edited('name = "small"', 'name = "small"\ncontract = "one"'), "contract: .*MAJOR.MINOR"),
        (edited('name = "small"', 'name = "small"\ncontract = 1.0'), "contract: .*string"),
        (edited('name = "small"', 'name = "small"\nreleased = 2026-11-21'), "contains a date or time"),
        (SMALL + "[plugin.limits]\nmemory_mb = 8192\n", r"limits\.memory_mb"),
        (SMALL + "[plugin.limits]\ntimeout_seconds = 0\n", r"limits\.timeout_seconds"),
        (SMALL + '[[plugin.system]]\ncommand = "x"\n', r"system\.0\.install: Field required"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused_by_the_name_of_its_field(text: str, named: str) -> None:
    """The author sees which file and which key, whatever is wrong with it."""
    with pytest.raises(ManifestError, match=rf"^octavo-plugin\.toml.*{named}"):
        PluginManifest.from_toml(text)


@pytest.mark.parametrize("name", ["", "a_b", "A", "1a", "-a", "a--b", "a b", "ä", "a\n"])
def test_a_name_fits_a_distribution_and_a_command_line(name: str) -> None:
    """`octavo-NAME` must be a distribution, and NAME an argument."""
    with pytest.raises(ValidationError, match=r"1 validation error for PluginManifest\nname\n"):
        PluginManifest.read({"name": name, "description": "d", "hooks": ["ocr"], "engine": {"licence": "MIT"}})


def test_a_misspelt_kind_of_service_is_refused_with_those_there_are() -> None:
    """It would be dropped in silence otherwise: no host asks for it."""
    with pytest.raises(ManifestError, match=r"unknown kinds of service embeder; known: .*embedder"):
        PluginManifest.from_toml(SMALL + '[plugin.services]\nembeder = "octavo_small.plugin:make"\n')
