"""What a repair asks of a plugin, and what it makes of answers that are none (CNV-2)."""

from __future__ import annotations

from pathlib import Path

import octavo
import pytest
from octavo.runtime import Runtime
from octavo.settings.settings import Settings

HEAD = "from octavo_contracts import *\n@hookimpl\ndef convert(source, request, context):\n"
FIRST = HEAD + (
    "    texts = ['A sound page. ' * 30, '', 'Another sound page. ' * 30, '']\n"
    "    pages = tuple(Page(number=n, markdown=t, text=t) for n, t in enumerate(texts, 1))\n"
    "    lost = tuple(ConversionWarning(code='partial_conversion', message='it is torn', page=n) for n in (2, 4))\n"
    "    return Conversion(pages=pages, paginated=True, warnings=lost)\n"
)
ASKED = HEAD + (
    "    assert request.pages is not None\n"
    "    text = f'asked for {request.pages} ' * 20\n"
    "    pages = tuple(Page(number=n, markdown=text, text=text) for n, _ in enumerate(request.pages, 1))\n"
    "    return Conversion(pages=pages, paginated=True, source_pages=request.pages)\n"
)
LYING = ASKED.replace("source_pages=request.pages", "source_pages=(1, 2)")
PROFILE = "[routes]\nimage = ['first']\nunknown = ['first']\n[escalate]\npdf = {heavier}\nother = {heavier}\n"
RANGES = 'capabilities = ["pages", "page_ranges", "scans"]'


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    """A one-pixel TIFF: a document of pictures of pages, of which the plugins of the tests claim what they like."""
    pillow = pytest.importorskip("PIL.Image", reason="makes the picture")
    path = tmp_path / "torn.tiff"
    pillow.new("L", (60, 80), 255).save(path)
    return path


def convert(path: Path, tmp_path: Path, *heavier: str) -> octavo.ConvertedDocument:
    rules = tmp_path / "rules.toml"
    rules.write_text(PROFILE.format(heavier=list(heavier)))
    from octavo.settings.ocr import OcrSettings

    with Runtime(Settings(profile=str(rules), workers=1, ocr=OcrSettings(automatic=False))) as runtime:
        return octavo.convert(path, runtime=runtime)


def test_only_the_doubted_pages_are_asked_for(make_plugin, picture, tmp_path):
    make_plugin("first", FIRST, media_types=["image/tiff"], priority=99)
    make_plugin("asked", ASKED, media_types=["image/tiff"], priority=1, more=RANGES)
    converted = convert(picture, tmp_path, "asked")
    anchors = converted.result.page_anchor_map.anchors()
    texts = [converted.text[one.text_start : one.text_end] for one in anchors]
    assert [text[:20] for text in texts] == [
        "A sound page. A soun",
        "asked for (2, 4) ask",
        "Another sound page. ",
        "asked for (2, 4) ask",
    ]
    assert "partial_conversion" not in converted.result.quality_report.degraded_flags


def test_a_plugin_that_answers_for_other_pages_is_given_up_and_the_next_one_asked(make_plugin, picture, tmp_path):
    make_plugin("first", FIRST, media_types=["image/tiff"], priority=99)
    make_plugin("lying", LYING, media_types=["image/tiff"], priority=1, more=RANGES)
    make_plugin("asked", ASKED, media_types=["image/tiff"], priority=2, more=RANGES)
    result = convert(picture, tmp_path, "lying", "asked").result
    outcomes = [(one.tool, one.outcome) for one in result.quality_report.fallback_attempts]
    assert outcomes == [("lying", "abandoned"), ("first", "escalated_to_asked")]
    assert (
        "pages (2, 4) were requested, but the conversion has pages (1, 2)"
        in result.quality_report.fallback_attempts[0].reason
    )
