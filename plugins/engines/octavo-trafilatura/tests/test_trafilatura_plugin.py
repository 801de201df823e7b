"""The plugin as the host sees it: manifest, imports, requests it refuses."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points, version
from importlib.resources import files

import pytest
from octavo_contracts import Capability, PluginManifest, SourceEmpty, ToolUnavailable, UnsupportedFormat, UsageError
from octavo_trafilatura.convert import MEDIA_TYPES

MANIFEST = PluginManifest.from_toml(files("octavo_trafilatura").joinpath("octavo-plugin.toml").read_text("utf-8"))


def test_the_manifest_names_what_the_code_reads():
    assert set(MANIFEST.media_types) == MEDIA_TYPES
    assert (MANIFEST.name, MANIFEST.hooks, MANIFEST.engine.distribution) == ("trafilatura", ("convert",), "trafilatura")


def test_the_entry_point_leads_to_the_plugin():
    (point,) = (point for point in entry_points(group="octavo") if point.name == "trafilatura")
    assert point.value == "octavo_trafilatura.plugin"


def test_importing_the_plugin_imports_no_engine():
    code = "import sys, octavo_trafilatura.plugin; print([m for m in ('trafilatura', 'lxml') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_result_names_the_engine_version(convert):
    assert convert("<p>Words</p>").engine_version == version("trafilatura")


def test_an_empty_file_is_refused(convert):
    with pytest.raises(SourceEmpty, match="no bytes"):
        convert(b"")


def test_a_type_outside_the_manifest_is_refused(convert):
    with pytest.raises(UnsupportedFormat, match="application/pdf is no web page"):
        convert(b"%PDF", "application/pdf")


def test_pages_are_refused_for_the_capability_is_not_declared(convert):
    assert Capability.PAGE_RANGES not in MANIFEST.capabilities
    with pytest.raises(UsageError, match="page_ranges"):
        convert("<p>x</p>", pages=(1,))


def test_without_the_engine_the_error_names_the_command(convert, monkeypatch):
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    with pytest.raises(ToolUnavailable, match="pip install 'trafilatura"):
        convert("<p>x</p>")


def test_xhtml_with_a_declaration_is_read(convert):
    page = '<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml" xml:lang="fr"><body><p>Été</p></body></html>'
    conversion = convert(page, "application/xhtml+xml")
    assert conversion.pages[0].markdown == "Été"
    assert conversion.metadata.language == "fr"
