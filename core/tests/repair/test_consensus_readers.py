"""Which readers a profile asks for a consensus, and what is told of those that fail (CNV-2)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import octavo
import pytest
from octavo.profiles.profile import parse_profile
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrSettings
from octavo.settings.repair import RepairSettings
from octavo.settings.settings import Settings
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_text
from octavo_contracts import UsageError

HEAD = "from octavo_contracts import *\n@hookimpl\ndef convert(source, request, context):\n"
TEXTS = ("The keeper read the gauge at dawn and wrote the figure down.", "Nobody read the gauge while the ice stood.")
OTHER = ("wrote the figure down. The keeper read the gauge at dawn and", TEXTS[1])
READER = HEAD + (
    "    chosen = [n for n in (1, 2) if request.pages is None or n in request.pages]\n"
    "    made = tuple(Page(number=at, markdown={texts}[n - 1], text={texts}[n - 1]) for at, n in enumerate(chosen, 1))\n"
    "    return Conversion(pages=made, paginated=True, source_pages=request.pages)\n"
)
OTHERWISE = READER.format(texts=(TEXTS[1], TEXTS[0]))
RIGHT, WRONG = READER.format(texts=TEXTS), READER.format(texts=OTHER)
BROKEN = f"{HEAD}    raise SourceCorrupt('the trailer is torn')\n"
SHORT = f"{HEAD}    return Conversion(pages=(Page(number=1, markdown='one page'),), paginated=True)\n"
UNDIVIDED = (
    f"{HEAD}    told = ConversionWarning(code='missing_page_anchors', message='one text')\n"
    "    return Conversion(pages=(Page(number=1, kind='whole', markdown='! # $ %'),), paginated=False, warnings=(told,))\n"
)
PDF = ["application/pdf"]
RANGES = 'capabilities = ["pages", "page_ranges"]'

Ask = Callable[..., octavo.ConvertedDocument]


@pytest.fixture
def two_pages(tmp_path: Path) -> Path:
    """A PDF of two pages with a line of text each."""
    path = tmp_path / "gauge.pdf"
    path.write_bytes(PdfFile(pages=[PdfPage(content=show_text(text, 72, 700)) for text in TEXTS]).to_bytes())
    return path


@pytest.fixture
def ask(make_plugin, two_pages: Path, tmp_path: Path) -> Ask:
    """Convert with the plugin `first`, and others in the order in which they are asked for a consensus.

    A plugin whose name begins with `whole` cannot read single pages.
    """

    def run(first: str, repair: RepairSettings | None = None, **others: str) -> octavo.ConvertedDocument:
        for name, code in {"first": first, **others}.items():
            more = 'capabilities = ["pages"]' if name.startswith("whole") else RANGES
            make_plugin(name, code, media_types=PDF, more=more)
        rules = tmp_path / "rules.toml"
        kinds = "".join(f'{kind} = ["first"]\n' for kind in ("text_native_pdf", "scanned_pdf", "image_heavy_pdf"))
        rules.write_text(f"[routes]\n{kinds}[consensus]\npdf = {['first', *others]}\n")
        more = {} if repair is None else {"repair": repair}
        settings = Settings(profile=str(rules), workers=1, ocr=OcrSettings(automatic=False), **more)
        with Runtime(settings) as runtime:
            return octavo.convert(two_pages, runtime=runtime)

    return run


def called(converted: octavo.ConvertedDocument) -> list[str]:
    return [attempt.plugin for attempt in converted.result.attempts]


def test_the_foot_stays_where_another_readers_page_lacks_it(ask):
    """The second and the fourth reader agree and leave out the foot, which the first and the third have."""

    def with_feet(*texts: str) -> str:
        return READER.format(texts=tuple(f"{one}\n\nPage {at} of 2" for at, one in enumerate(texts, 1)))

    third = with_feet(TEXTS[0].replace("gauge at dawn", "gouge a dawn"), TEXTS[1])
    converted = ask(with_feet(*OTHER), second=RIGHT, third=third, fourth=RIGHT)
    assert converted.result.quality_report.selected_tool_reason.endswith("; page 1 by second")
    assert converted.pages[0].markdown.split("\n\n") == [TEXTS[0], "Page 1 of 2"]
    assert converted.pages[0].text == f"{TEXTS[0]} Page 1 of 2"


def test_readers_are_asked_until_two_agree(ask):
    converted = ask(RIGHT, second=RIGHT, third=WRONG)
    assert called(converted) == ["first", "second"]
    assert converted.result.quality_report.findings == ()


def test_a_third_reader_decides_between_two(ask):
    converted = ask(WRONG, second=RIGHT, third=RIGHT, fourth=WRONG)
    assert called(converted) == ["first", "second", "third"]
    assert TEXTS[0] in converted.text
    report = converted.result.quality_report
    assert report.selected_tool_reason.endswith("; page 1 by second")
    assert [(one.flag, one.page) for one in report.findings] == [("page_repaired", 1)]


def test_a_dispute_that_changes_nothing_is_noted_with_its_page_and_both_plugins(ask):
    """QLT-3: of two readings that differ the first stands."""
    disputed = ask(WRONG, second=RIGHT)
    assert called(disputed) == ["first", "second"]
    (note,) = disputed.result.quality_report.findings
    assert (note.flag, note.page, note.severity) == ("readings_differ", 1, "note")
    assert "first" in note.message
    assert "second" in note.message
    assert disputed.result.ingestion_status == "complete"


def test_a_reader_that_fails_or_counts_other_pages_is_told_of_and_the_next_one_asked(ask):
    converted = ask(WRONG, broken=BROKEN, short=SHORT, second=RIGHT, third=RIGHT)
    assert called(converted) == ["first", "broken", "short", "second", "third"]
    assert TEXTS[0] in converted.text
    told = [(one.tool, one.outcome) for one in converted.result.quality_report.fallback_attempts]
    assert told == [("broken", "abandoned"), ("short", "abandoned")]


def test_a_reader_whose_text_cannot_be_divided_into_pages_did_not_violate_the_contract(ask):
    """CNV-12: the page boundaries of an unreadable text are not found."""
    (told,) = ask(WRONG, wholetext=UNDIVIDED).result.quality_report.fallback_attempts
    assert (told.tool, told.outcome) == ("wholetext", "abandoned")
    assert "source_anchor_missing: the boundaries of 2 pages were not found in the text" in told.reason


@pytest.mark.parametrize(
    ("repair", "asked"),
    [
        (RepairSettings(all_plugins_up_to=1), ["first", "second", "third"]),
        (RepairSettings(tables_up_to=1), ["first"]),
        (RepairSettings(enabled=False), ["first"]),
    ],
)
def test_long_documents_are_read_by_fewer_plugins_and_repair_can_be_switched_off(ask, repair, asked):
    """Of many pages a third plugin decides only if it reads the disputed ones alone."""
    assert called(ask(WRONG, repair, second=OTHERWISE, whole=RIGHT, third=RIGHT, fourth=RIGHT)) == asked


def test_a_profile_has_a_consensus_of_pdfs_only():
    assert parse_profile('[consensus]\npdf = ["one", "two"]', origin="mine").consensus == {"pdf": ("one", "two")}
    with pytest.raises(UsageError, match="html"):
        parse_profile('[consensus]\nhtml = ["one"]', origin="mine")
