"""The plugin as the host sees it: manifest, imports, requests it refuses."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points, version
from importlib.resources import files

import pytest
from octavo_contracts import (
    Capability,
    ContentTooLarge,
    PluginManifest,
    SourceCorrupt,
    SourceEmpty,
    UnsupportedFormat,
    UsageError,
)
from octavo_plaintext.convert import MEDIA_TYPES

MANIFEST = PluginManifest.from_toml(files("octavo_plaintext").joinpath("octavo-plugin.toml").read_text("utf-8"))


def test_the_manifest_names_what_the_code_reads():
    assert set(MANIFEST.media_types) == MEDIA_TYPES
    assert MANIFEST.name == "plaintext"
    assert MANIFEST.hooks == ("convert",)


def test_the_entry_point_leads_to_the_plugin():
    (point,) = (point for point in entry_points(group="octavo") if point.name == "plaintext")
    assert point.value == "octavo_plaintext.plugin"
    assert version("octavo-plaintext") == "0.1.0"


def test_importing_the_plugin_imports_no_engine():
    """The detector costs time and memory that most documents never need."""
    code = "import sys, octavo_plaintext.plugin; print([m for m in ('charset_normalizer', 'octavo_plaintext.convert') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("media_type", sorted(MEDIA_TYPES))
def test_an_empty_file_is_refused(convert, media_type):
    with pytest.raises(SourceEmpty, match="no bytes"):
        convert(b"", media_type)


def test_a_type_outside_the_manifest_is_refused(convert):
    with pytest.raises(UnsupportedFormat, match="application/pdf is not read"):
        convert(b"%PDF-1.7", "application/pdf")


def test_pages_are_refused_for_the_capability_is_not_declared(convert):
    assert Capability.PAGE_RANGES not in MANIFEST.capabilities
    with pytest.raises(UsageError, match="page_ranges"):
        convert(b"a", "text/plain", pages=(1,))


def test_bytes_that_are_no_text_are_corrupt(convert):
    with pytest.raises(SourceCorrupt, match="no text"):
        convert(b"\x00\x01\x02\x03\x04\xff\xfe\x05" * 50, "text/plain")


def test_more_pages_than_the_limit_are_refused(convert):
    text = "WEBVTT\n\n00:00.000 --> 00:01.000\na\n\n05:00.000 --> 05:01.000\nb\n"
    assert len(convert(text, "text/vtt", max_pages=2).pages) == 2
    with pytest.raises(ContentTooLarge, match="2 pages"):
        convert(text, "text/vtt", max_pages=1)


@pytest.mark.parametrize(
    ("data", "media_type"),
    [(b"caf\xe9 au lait", "text/plain"), (b"a;b\n1;2", "text/csv"), (b"Subject: x\n\nbody", "message/rfc822")],
)
def test_equal_bytes_give_equal_conversions(convert, data, media_type):
    assert convert(data, media_type) == convert(data, media_type)
