"""PDF and the engine that wants a layout model: asked first, told where the model is, passed by where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from octavo.conversion.options import ConvertOptions
from octavo.conversion.results import convert_source
from octavo.plugins import PluginSelection
from octavo.runtime import Runtime
from octavo.settings.layout import LayoutSettings
from octavo.settings.settings import Settings
from octavo.settings.sources import load_settings

SAMPLES = Path(__file__).resolve().parents[1] / "docs" / "samples"

needs_docling = pytest.mark.skipif(
    not all(map(find_spec, ("octavo_docling", "docling"))),
    reason="octavo-docling is not installed with its engine: the extra `docling` brings it",
)


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime(Settings(workers=1, plugins=PluginSelection())) as made:
        yield made


def test_the_model_is_a_setting_of_a_file_and_an_option_of_the_plugin(tmp_path):
    assert (LayoutSettings().options, LayoutSettings().readable) == ({}, ())
    (tmp_path / "octavo.toml").write_text('[layout]\nmodel = "/models/docling"\n')
    layout = load_settings(folder=tmp_path).settings.layout
    assert layout.options == {"model": "/models/docling"}
    assert layout.readable == (Path("/models/docling"),)


@needs_docling
def test_without_weights_a_pdf_goes_to_the_next_engine(runtime):
    """CLS-4: the profile names docling first."""
    made = convert_source(SAMPLES / "annual-report.pdf", ConvertOptions(), runtime=runtime)
    first, second, *_ = made.result.attempts
    assert (first.plugin, first.reason_code) == ("docling", "tool_unavailable")
    assert second.plugin == "liteparse"
    assert first.duration_ms < 2000


@needs_docling
def test_the_next_pdf_is_not_sent_to_it(runtime):
    """What it said of the first one holds for every PDF; the report says it of each."""
    convert_source(SAMPLES / "annual-report.pdf", ConvertOptions(), runtime=runtime)
    made = convert_source(SAMPLES / "logbook-scan.pdf", ConvertOptions(), runtime=runtime)
    assert "docling" not in [attempt.plugin for attempt in made.result.attempts]
    (told,) = [one for one in made.result.quality_report.fallback_attempts if one.tool == "docling"]
    assert "the setting layout.model names no folder of weights" in told.reason


@needs_docling
def test_an_office_document_is_read_by_docling_in_the_sandbox(runtime):
    """CLS-4."""
    asked = ConvertOptions(plugin="docling", asked_by="the test")
    made = convert_source(SAMPLES / "open-day.pptx", asked, runtime=runtime)
    assert [attempt.plugin for attempt in made.result.attempts] == ["docling"]
    assert made.result.quality_report.user_visible_status == "ok"
