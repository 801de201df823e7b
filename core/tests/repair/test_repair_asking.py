"""Who is asked for the tables that a PDF's conversion lost, and what is told of a plugin that has none (CNV-2)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import octavo
import pytest
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrSettings
from octavo.settings.settings import Settings

HEAD = "from octavo_contracts import *\n@hookimpl\ndef convert(source, request, context):\n"
ROWS = [["Ship", "Cargo", "Crew"], ["Freja", "salt", "14"], ["Ran", "fish", "9"], ["Skade", "timber", "22"]]
LINES = "A list of ships.\n" + "\n".join(" ".join(row) for row in ROWS)
PAGES = "    page = Page(number=1, markdown=TEXT, text=TEXT, tables=TABLES)\n    return Conversion(pages=(page,), paginated=True)\n"
TEXT = f"TEXT = {LINES!r}\nTABLES = ()\n{HEAD}{PAGES}"
TABLES = f"from octavo_contracts import Table\nTEXT = 'of its own'\nTABLES = (Table(rows=tuple(map(tuple, {ROWS!r}))),)\n{HEAD}{PAGES}"
BROKEN = f"{HEAD}    raise SourceCorrupt('the trailer is torn')\n"
WHOLE = f"{HEAD}    return Conversion(pages=(Page(number=1, kind='whole', markdown='all of it'),), paginated=False)\n"
MISSING = f"{HEAD}    raise ToolUnavailable('no engine', remedy='Install it')\n"
PDF = ["application/pdf"]

Ask = Callable[..., octavo.ConvertedDocument]


@pytest.fixture
def ships(tmp_path: Path) -> Path:
    """A PDF of one page that shows a ruled table."""
    cells = "".join(
        f"BT /F1 11 Tf {77 + 120 * column} {700 - 22 * row} Td ({cell}) Tj ET\n"
        for row, line in enumerate(ROWS)
        for column, cell in enumerate(line)
    )
    rules = "".join(f"72 {716 - 22 * row} m 432 {716 - 22 * row} l S\n" for row in range(len(ROWS) + 1))
    edges = "".join(
        f"{72 + 120 * column} 716 m {72 + 120 * column} {716 - 22 * len(ROWS)} l S\n" for column in range(4)
    )
    content = cells + rules + edges
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    body = "%PDF-1.7\n" + "".join(f"{number} 0 obj\n{item}\nendobj\n" for number, item in enumerate(objects, start=1))
    path = tmp_path / "ships.pdf"
    path.write_bytes((body + "trailer<</Root 1 0 R/Size 6>>\n%%EOF\n").encode("ascii"))
    return path


@pytest.fixture
def ask(make_plugin, ships: Path, tmp_path: Path) -> Ask:
    """Convert with a plugin that makes no tables, and others in the order in which they are to be asked for them."""

    def run(**others: str) -> octavo.ConvertedDocument:
        make_plugin("plain", TEXT, media_types=PDF)
        for name, code in others.items():
            make_plugin(name, code, media_types=PDF, priority=1)
        names = ", ".join(f'"{name}"' for name in others)
        rules = tmp_path / "rules.toml"
        routes = "".join(
            f'{kind} = ["plain"]\n'
            for kind in ("text_native_pdf", "scanned_pdf", "image_heavy_pdf", "table_heavy_filing", "unknown")
        )
        rules.write_text(f"[routes]\n{routes}[escalate]\ntables = [{names}]\n")
        settings = Settings(profile=str(rules), workers=1, ocr=OcrSettings(automatic=False))
        with Runtime(settings) as runtime:
            return octavo.convert(ships, runtime=runtime)

    return run


def told(converted: octavo.ConvertedDocument) -> list[tuple[str, str]]:
    return [(one.tool, one.outcome) for one in converted.result.quality_report.fallback_attempts]


def test_a_plugin_that_fails_is_told_of_and_the_next_one_asked(ask):
    converted = ask(broken=BROKEN, whole=WHOLE, missing=MISSING, keeper=TABLES)
    assert told(converted) == [
        ("broken", "abandoned"),
        ("whole", "abandoned"),
        ("missing", "abandoned"),
        ("plain", "escalated_to_keeper"),
    ]
    reasons = [one.reason for one in converted.result.quality_report.fallback_attempts]
    assert reasons == [
        "source_corrupt: the trailer is torn",
        "page 1: it has no table on this page either",
        "tool_unavailable: no engine",
        "tables_lost on page 1 in the conversion by plain",
    ]
    assert "| Skade | timber | 22 |" in converted.markdown
    assert "of its own" not in converted.markdown + converted.text


def test_where_nobody_has_the_tables_the_first_conversion_stands_and_is_flagged(ask):
    converted = ask(broken=BROKEN, other=TEXT)
    assert told(converted) == [("broken", "abandoned"), ("other", "abandoned")]
    assert converted.result.quality_report.degraded_flags == ("tables_lost",)
    assert [attempt.plugin for attempt in converted.result.attempts] == ["plain", "broken", "other"]


def test_the_plugin_of_the_text_is_not_asked_for_its_tables(make_plugin, ships, tmp_path):
    make_plugin("plain", TEXT, media_types=PDF)
    rules = tmp_path / "rules.toml"
    rules.write_text('[routes]\nunknown = ["plain"]\n[escalate]\ntables = ["plain"]\n')
    with Runtime(Settings(profile=str(rules), workers=1, ocr=OcrSettings(automatic=False))) as runtime:
        result = octavo.convert(ships, runtime=runtime).result
    assert [attempt.plugin for attempt in result.attempts] == ["plain"]
