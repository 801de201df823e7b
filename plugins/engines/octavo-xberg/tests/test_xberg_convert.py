"""What becomes of PDF files, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import octavo_xberg.engine
import pytest
from octavo_conformance.vectors.pdf_bytes import PdfFile, PdfLine, PdfPage
from octavo_contracts import (
    ContentTooLarge,
    Conversion,
    OctavoError,
    SourceCorrupt,
    SourceEmpty,
    SourceEncrypted,
    ToolUnavailable,
    UnsupportedFormat,
    UsageError,
)

Convert = Callable[..., Conversion]
SAMPLES = Path(__file__).parents[4] / "docs" / "samples"
LINES = [(24, 50, 740, "Fog"), (11, 50, 700, "The keeper lit the lamp at dusk."), (11, 50, 686, "He wrote it down.")]


def test_pages_stay_apart_and_blank_ones_stay(convert_bytes: Convert, pdf: Callable[..., bytes]) -> None:
    conversion = convert_bytes(pdf(LINES, [], [(11, 50, 700, "The end.")]))
    assert [page.kind for page in conversion.pages] == ["page"] * 3
    assert "The keeper lit the lamp at dusk." in conversion.pages[0].markdown
    assert conversion.pages[1].markdown == ""
    assert conversion.pages[2].markdown == "The end.\n"
    assert (conversion.pages[0].width, conversion.pages[0].height) == (600, 800)
    assert conversion.paginated
    assert (conversion.engine_version or "").startswith("xberg ")


def test_a_turned_page_has_its_size_as_it_is_shown(convert_bytes: Convert, pdf: Callable[..., bytes]) -> None:
    (page,) = convert_bytes(pdf(LINES, rotate=90)).pages
    assert (page.width, page.height) == (800, 600)


def test_headings_tables_labels_and_properties_of_a_report(convert_bytes: Convert) -> None:
    conversion = convert_bytes((SAMPLES / "annual-report.pdf").read_bytes())
    first, second = conversion.pages[:2]
    assert first.markdown.startswith("# Brannoch Head Coastal Observatory\n\n## Annual report")
    assert "\n## In brief\n" in first.markdown
    assert first.label == "i"
    assert second.tables[0].rows[0] == ("Month", "Water (°C)", "Highest surge (m)", "Seals counted")
    assert "| Month | Water (°C) |" in second.markdown
    assert conversion.metadata.author == "Brannoch Head Coastal Observatory"
    assert conversion.warnings == ()


def test_a_time_has_no_zone_that_the_document_does_not_state(convert_bytes: Convert) -> None:
    """The engine reads the time of any zone as one in UTC."""
    written = datetime(2024, 2, 29, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    data = PdfFile(pages=[PdfPage(lines=[PdfLine(text="Notice of termination")])], created=written).to_bytes()
    assert convert_bytes(data).metadata.date == "2024-02-29T23:30:00"


def test_the_same_bytes_twice_are_the_same_conversion(convert_bytes: Convert, pdf: Callable[..., bytes]) -> None:
    assert convert_bytes(pdf(LINES)) == convert_bytes(pdf(LINES))


def test_a_file_without_its_end_says_so(convert_bytes: Convert, pdf: Callable[..., bytes]) -> None:
    data = pdf(LINES)
    conversion = convert_bytes(data[: data.index(b"xref\n0")])
    assert "keeper" in conversion.pages[0].markdown
    assert "partial_conversion" in {warning.code for warning in conversion.warnings}


@pytest.mark.parametrize(
    ("data", "request_", "error", "says"),
    [
        (b"x", {"media_type": "text/html"}, UnsupportedFormat, "text/html"),
        (b"", {}, SourceEmpty, "no bytes"),
        (b"x", {"pages": (1,)}, UsageError, "page_ranges"),
        (b"x", {"options": {"ocr": True}}, UsageError, "ocr"),
        (b"no PDF at all", {}, SourceCorrupt, "cannot read"),
        (b"%PDF-1.4\n" + bytes(500), {}, SourceCorrupt, "."),
    ],
)
def test_what_is_no_document_is_refused(
    data: bytes, request_: dict[str, object], error: type[OctavoError], says: str, convert_bytes: Convert
) -> None:
    with pytest.raises(error, match=says):
        convert_bytes(data, **request_)


def test_more_pages_than_asked_for_are_too_large(convert_bytes: Convert, pdf: Callable[..., bytes]) -> None:
    with pytest.raises(ContentTooLarge):
        convert_bytes(pdf(LINES, LINES, LINES), max_pages=2)


def test_an_encrypted_document_stays_closed_whatever_password_is_given(convert_bytes: Convert) -> None:
    from octavo_conformance.vectors.hostile import load_hostile

    (locked,) = (vector for vector in load_hostile("pdf") if vector.kind == "encrypted")
    with pytest.raises(SourceEncrypted):
        convert_bytes(locked.data, password=locked.password)


def test_a_panic_is_damage_and_any_other_end_goes_on(
    convert_bytes: Convert, pdf: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The class of a panic in Rust cannot be imported: it is known by its name."""

    class PanicException(BaseException):
        pass

    def ends_with(error: BaseException) -> Callable[[object], None]:
        def run(coroutine: object) -> None:
            coroutine.close()  # type: ignore[attr-defined]  # it is a coroutine
            raise error

        return run

    monkeypatch.setattr(octavo_xberg.engine.asyncio, "run", ends_with(PanicException("index out of bounds")))
    with pytest.raises(SourceCorrupt, match="panicked"):
        convert_bytes(pdf(LINES))
    monkeypatch.setattr(octavo_xberg.engine.asyncio, "run", ends_with(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        convert_bytes(pdf(LINES))


def test_without_the_engine_the_message_says_how_to_install_it(
    convert_bytes: Convert, pdf: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xberg", None)
    with pytest.raises(ToolUnavailable) as caught:
        convert_bytes(pdf(LINES))
    assert "pip install octavo-xberg" in caught.value.remedy


def test_importing_the_plugin_does_not_import_the_engine() -> None:
    code = "import sys, octavo_xberg.plugin\nassert 'xberg' not in sys.modules\n"
    subprocess.run([sys.executable, "-c", code], check=True)
