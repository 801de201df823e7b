"""PDFs are judged by a few of their pages (CLS-3 … CLS-9)."""

from __future__ import annotations

import json
import sys
import time

import octavo
import pytest
from octavo.builtins.classification import page_needs_ocr
from octavo.builtins.classification.pdf import sampled_pages
from octavo.builtins.classification.pdf_page import read_page
from octavo.builtins.classification.thresholds import ClassificationThresholds
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_contracts import Category, RoutingType, SourceCorrupt
from octavo_sandbox.preflight import PdfFile

FULL_PICTURE = b"q 600 0 0 800 0 0 cm /Im1 Do Q"
SMALL_PICTURE = b"q 60 0 0 60 50 50 cm /Im1 Do Q"


def test_a_text_pdf_is_text_native_and_only_five_pages_are_looked_at(verdict, make_pdf, page_text):
    """CLS-7: as little as gives the answer."""
    seen = verdict(make_pdf(*[page_text()] * 20), "a.pdf")
    assert (
        seen.category,
        seen.routing_type,
        seen.visual_importance,
    ) == (Category.PDF_TEXT, RoutingType.TEXT_NATIVE_PDF, "low")
    assert (
        seen.page_count,
        seen.pages_sampled,
        [page.page_number for page in seen.page_metadata],
    ) == (20, 5, [1, 2, 8, 14, 20])
    assert not any(page.needs_ocr for page in seen.page_metadata)
    assert not any((seen.has_tables, seen.has_charts, seen.has_form_fields, seen.has_signatures))


def test_tokens_are_a_quarter_of_the_characters_of_all_pages(verdict, make_pdf, page_text):
    seen = verdict(make_pdf(*[page_text("x" * 80)] * 10), "a.pdf")
    assert seen.estimated_tokens.text_only == pytest.approx(200, abs=10)
    assert seen.estimated_tokens.full_pdf == seen.estimated_tokens.text_only + 15_000
    assert seen.estimated_tokens.summary == seen.estimated_tokens.text_only


def test_pictures_of_pages_are_scanned(verdict, make_pdf):
    seen = verdict(make_pdf(*[FULL_PICTURE] * 3, raster=(1240, 1754)), "a.pdf")
    assert (
        seen.category,
        seen.routing_type,
        seen.visual_importance,
    ) == (Category.PDF_SCANNED, RoutingType.SCANNED_PDF, "high")
    assert seen.has_scanned_pages
    assert all(page.is_scanned and page.needs_ocr and not page.has_text_layer for page in seen.page_metadata)


def test_one_scanned_page_among_text_sets_the_flag_and_not_the_kind(verdict, make_pdf, page_text):
    """CLS-5. A picture as large as a page in the file makes the classifier look at up to twenty pages."""
    pages = [page_text()] * 12
    pages[6] = FULL_PICTURE
    seen = verdict(make_pdf(*pages, raster=(1240, 1754)), "a.pdf")
    assert (seen.has_scanned_pages, seen.category, seen.pages_sampled) == (True, Category.PDF_TEXT, 12)
    assert [page.page_number for page in seen.page_metadata if page.is_scanned] == [7]


def test_every_page_has_its_record_once_it_is_converted(make_pdf, page_text):
    """CLS-2, CLS-5: the inspection reads a few pages, and the conversion tells of the others; a scan among them too."""
    pages = [page_text()] * 45
    pages[2] = FULL_PICTURE
    data = make_pdf(*pages, raster=(1240, 1754))
    with Runtime(Settings(workers=1)) as runtime:
        seen = octavo.convert(data, name="a.pdf", runtime=runtime).result.classification
    assert 3 not in sampled_pages(45, 20)
    assert [page.page_number for page in seen.page_metadata] == list(range(1, 46))
    assert [page.page_number for page in seen.page_metadata if page.is_scanned] == [3]
    assert [page.page_number for page in seen.page_metadata if not page.has_text_layer] == [3]
    assert seen.has_scanned_pages
    densities = [page.text_density for page in seen.page_metadata if page.page_number != 3]
    assert max(densities) == pytest.approx(min(densities), rel=0.05)


def test_a_scan_with_a_sound_text_layer_needs_no_recognition(verdict, make_pdf, page_text):
    seen = verdict(make_pdf(FULL_PICTURE + b" " + page_text(), raster=(1240, 1754)), "a.pdf")
    assert (
        seen.has_scanned_pages,
        seen.routing_type,
        seen.category,
    ) == (False, RoutingType.IMAGE_HEAVY_PDF, Category.PDF_VISUAL)


def test_a_scan_with_a_garbled_text_layer_is_scanned(verdict, make_pdf, page_text):
    garbled = page_text(*["c~o~r bl1~d b#ld| t0u0o |nd cm~i; l0rt0;sm n#ai Od1c; a~vnl1:O"] * 20)
    assert verdict(make_pdf(FULL_PICTURE + b" " + garbled, raster=(1240, 1754)), "a.pdf").has_scanned_pages


def test_a_blank_page_is_not_scanned(verdict, make_pdf):
    seen = verdict(make_pdf(b""), "a.pdf")
    assert (seen.has_scanned_pages, seen.page_metadata[0].has_text_layer) == (False, False)


def polylines(count: int) -> bytes:
    steps = b" ".join(b"%d %d l" % (x, 100 + x * 7 % 50) for x in range(60, 400, 20))
    return b" ".join(b"50 %d m %s S" % (100 + index, steps) for index in range(count))


def test_text_drawn_as_outlines_needs_recognition(verdict, make_pdf):
    assert verdict(make_pdf(polylines(210)), "a.pdf").has_scanned_pages


def test_many_curves_beside_text_are_a_chart(verdict, make_pdf, page_text):
    seen = verdict(make_pdf(page_text() + b" " + polylines(25)), "a.pdf")
    assert seen.has_charts
    assert not seen.has_scanned_pages


def test_a_picture_within_a_form_counts(verdict, make_pdf):
    """Many producers wrap the page's picture; its size follows from the form's matrix."""
    form = b"<</Type/XObject/Subtype/Form/BBox[0 0 1 1]/Matrix[600 0 0 800 0 0]/Resources<</XObject<</Im1 4 0 R>>>>/Length 10>>\nstream\n/Im1 Do   \nendstream"
    data = make_pdf(b"/Fm1 Do", raster=(1240, 1754), extra=(form,)).replace(
        b"/Im1 4 0 R>>>>/Contents", b"/Fm1 7 0 R>>>>/Contents"
    )
    assert verdict(data, "a.pdf").has_scanned_pages


def table_lines(rows: int) -> list[str]:
    return ["Year Low High"] + [f"{1990 + row} {row}.5 {row * 3}.25" for row in range(rows)]


def test_tables_are_seen_in_lines_of_figures(verdict, make_pdf, page_text):
    seen = verdict(make_pdf(page_text(*table_lines(8))), "a.pdf")
    assert (seen.has_tables, seen.visual_importance, seen.routing_type) == (True, "medium", RoutingType.TEXT_NATIVE_PDF)


def test_more_than_three_tables_of_thirty_rows_are_table_heavy(verdict, make_pdf, page_text):
    """CLS-9."""
    seen = verdict(make_pdf(*[page_text(*table_lines(10))] * 4), "a.pdf")
    assert seen.routing_type == RoutingType.TABLE_HEAVY_FILING


@pytest.mark.parametrize(
    ("settings", "routing"),
    [
        ({}, RoutingType.TEXT_NATIVE_PDF),
        ({"heavy_tables": 2, "heavy_rows": 26}, RoutingType.TABLE_HEAVY_FILING),
        ({"heavy_tables": 2, "heavy_rows": 27}, RoutingType.TEXT_NATIVE_PDF),
        ({"heavy_tables": 3, "heavy_rows": 26}, RoutingType.TEXT_NATIVE_PDF),
    ],
)
def test_how_many_tables_are_many_is_a_setting(make_pdf, page_text, settings, routing):
    """CLS-9."""
    data = make_pdf(*[page_text(*table_lines(9))] * 3)
    with Runtime(Settings(classification=ClassificationThresholds(**settings), workers=1)) as runtime:
        made = octavo.convert(data, name="a.pdf", runtime=runtime)
    assert made.result.classification.routing_type == routing


def test_a_ruled_table_is_seen_by_its_lines(verdict, make_pdf, page_text):
    rules = b" ".join(b"50 %d m 450 %d l S" % (y, y) for y in range(300, 400, 20))
    assert verdict(make_pdf(page_text() + b" " + rules), "a.pdf").has_tables
    grid = (
        b" ".join(b"%d 300 m %d 400 l S" % (x, x) for x in (50, 100, 200))
        + b" 50 300 m 200 300 l S 40 400 m 200 400 l S 30 350 m 200 350 l S 20 380 m 200 380 l S"
    )
    assert verdict(make_pdf(page_text() + b" " + grid), "a.pdf").has_tables


def test_form_fields_and_signatures_are_seen(verdict, make_pdf, page_text):
    fields = (
        b"<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/Rect[0 0 10 10]>>",
        b"<</Type/Annot/Subtype/Widget/FT/Sig/T(sig)/Rect[20 20 30 30]>>",
    )
    data = make_pdf(
        page_text(),
        catalogue=b"/AcroForm<</Fields[6 0 R 7 0 R]>>",
        page_extra=b"/Annots[6 0 R 7 0 R]",
        extra=fields,
    )
    seen = verdict(data, "a.pdf")
    assert (seen.has_form_fields, seen.has_signatures) == (True, True)


def test_a_filing_is_table_heavy_by_its_type(verdict, make_pdf, page_text):
    cover = page_text("UNITED STATES", "SECURITIES AND EXCHANGE COMMISSION", "FORM 10-K", "Commission file number 1-2")
    seen = verdict(make_pdf(cover, *[page_text()] * 3), "a.pdf")
    assert (seen.document_type, seen.routing_type) == ("sec_filing", RoutingType.TABLE_HEAVY_FILING)


def test_exhibit_marks_are_seen(verdict, make_pdf, page_text):
    assert verdict(make_pdf(page_text("EXHIBIT A", "A letter")), "a.pdf").has_exhibits


def test_the_threshold_is_a_setting(verdict, make_pdf, page_text):
    """CLS-4."""
    data = make_pdf(FULL_PICTURE + b" " + page_text(*["word " * 12] * 10), raster=(1240, 1754))
    assert not verdict(data, "a.pdf").has_scanned_pages
    assert verdict(data, "a.pdf", thresholds=ClassificationThresholds(scanned_density=0.01)).has_scanned_pages


def test_a_pdf_that_does_not_open_has_no_verdict(verdict):
    with pytest.raises(SourceCorrupt, match="pdfium cannot open"):
        verdict(b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n", "a.pdf")


def test_equal_bytes_give_equal_verdicts(verdict, make_pdf, page_text):
    data = make_pdf(*[page_text()] * 7, SMALL_PICTURE, raster=(500, 900))
    assert verdict(data, "a.pdf") == verdict(data, "a.pdf")


@pytest.mark.parametrize(("count", "wanted"), [(1, 5), (5, 5), (6, 5), (7, 5), (21, 20), (352, 20), (10_000, 5)])
def test_sampled_pages_are_spread_from_first_to_last(count, wanted):
    numbers = sampled_pages(count, wanted)
    assert min(count, wanted) == len(numbers) == len(set(numbers))
    assert (1, count) == (numbers[0], numbers[-1])
    assert numbers == sorted(numbers)


def test_text_beside_no_large_picture_is_not_read(verdict, make_pdf, page_text):
    """CLS-7: a picture as large as a page has further pages looked at, and their text is read where it is shown."""
    pages = [page_text()] * 20
    pages[10] += b" " + FULL_PICTURE
    seen = verdict(make_pdf(*pages, raster=(1240, 1754)), "a.pdf")
    assert (seen.pages_sampled, seen.has_scanned_pages) == (20, False)
    assert [page.page_number for page in seen.page_metadata] == [1, 2, 8, 11, 14, 20]


def test_most_of_a_document_being_junk_settles_it(verdict, make_pdf, page_text):
    """CLS-7: no further page is read where most have words that are none; the conversion examines each."""
    garbled = FULL_PICTURE + b" " + page_text(*["c~o~r bl1~d b#ld| t0u0o |nd cm~i; l0rt0;sm n#ai Od1c; a~vnl1:O"] * 20)
    seen = verdict(make_pdf(*[garbled] * 20, raster=(1240, 1754)), "a.pdf")
    assert (seen.pages_sampled, seen.category) == (5, Category.PDF_SCANNED)


@pytest.mark.parametrize("picture", [None, (1240, 1754)])
def test_a_twenty_page_text_pdf_takes_less_than_fifty_milliseconds(verdict, make_pdf, page_text, picture):
    """CLS-7, in processor time and the best of five: other work on the machine is not the classifier's.

    A file with a large picture has twenty pages looked at.
    """
    if sys.gettrace() is not None:
        pytest.skip("a tracer, such as coverage's, costs more than the classifier")
    pages = [page_text(*["A line of a page that is full of words, as those of reports are."] * 45)] * 20
    data = make_pdf(*pages, **({"raster": picture} if picture else {}))
    assert verdict(data, "a.pdf").pages_sampled == (20 if picture else 5)
    verdict(data, "a.pdf")
    best = 1.0
    for _ in range(5):
        start = time.process_time()
        verdict(data, "a.pdf")
        best = min(best, time.process_time() - start)
    assert best < 0.05


@pytest.mark.corpus
def test_scanned_pages_are_found_on_the_corpus(corpus):
    """F1 1.00 over every page: the scans, two covers that are pictures, and one file whose font maps to nothing."""
    scanned_kinds = {"pdf-scanned", "pdf-bad-text-layer"}
    # Looked at one by one: their text layers hold nothing, or nothing that is text.
    also = {("free-culture-352p", 1), ("debian-reference-en", 1), *(("pdfjs-tamreview", page) for page in range(2, 23))}
    hits = misses = false_alarms = 0
    for row in json.loads((corpus / "manifest.json").read_text())["documents"]:
        path = corpus / row["path"]
        if path.suffix != ".pdf" or row["path"].startswith("bad/"):
            continue
        with PdfFile(path.read_bytes()) as pdf:
            for number in range(1, pdf.page_count + 1):
                page = read_page(pdf.document, number, has_rasters=bool(pdf.rasters), has_form=False)
                wanted = row["kind"] in scanned_kinds or (path.stem, number) in also
                found = page_needs_ocr(
                    page.chars,
                    area=page.area,
                    picture_share=page.picture_share,
                    drawn_paths=page.paths,
                    garbled=page.garbled,
                    unmapped=page.unmapped,
                )
                hits += wanted and found
                misses += wanted and not found
                false_alarms += found and not wanted
    assert hits >= 36
    assert 2 * hits / (2 * hits + misses + false_alarms) >= 0.99
