"""The step of the pipeline, with engines written on the spot: who is asked, what is kept, what is said."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo import ConvertedDocument, convert
from octavo.conversion.conversion_services import ConversionServices
from octavo.conversion.ocr import MemoryPages
from octavo.documents.source import Source
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrOptions, OcrSettings
from octavo.settings.settings import Settings
from octavo_contracts import ToolUnavailable, UnsupportedFormat, UsageError
from octavo_library import Library
from octavo_library.facade.recognition.on_request import recognise_document, recognise_source
from octavo_library.facade.recognition.searchable_copy import searchable_copy
from PIL import Image

OWN = "Text of its own, as a program wrote it. " * 12


@pytest.fixture
def ours() -> Iterator[Callable[..., Runtime]]:
    """`ours("keen", doubtful_below=0.5)`: a runtime with these engines in this order, and no others."""
    made: list[Runtime] = []

    def make(*engines: str, **settings: Any) -> Runtime:
        runtime = Runtime(Settings(workers=2, ocr=OcrSettings(engines=engines, dpi=36, **settings)))
        made.append(runtime)
        return runtime

    yield make
    for runtime in made:
        runtime.close()


def read(data: bytes, runtime: Runtime, name: str = "scan.pdf") -> ConvertedDocument:
    return convert(data, name=name, plugin="blank", runtime=runtime)


def flags(document: ConvertedDocument) -> set[str]:
    return {finding.flag for finding in document.result.quality_report.findings}


def test_recognised_pages_take_their_places_and_the_anchors_fit(engines: Any, ours: Any, scan: Any) -> None:
    """A mixed document: page 2 has a text layer and keeps it."""
    engines(keen=0.9)
    document = read(scan(200, OWN, 220), ours("keen"))
    anchors = list(document.result.page_anchor_map.anchors())
    texts = [document.text[anchor.text_start : anchor.text_end] for anchor in anchors]
    assert texts[0] == "keen reads shade 200 in en"
    assert texts[1].startswith("Text of its own, as a program wrote it.")
    assert texts[2] == "keen reads shade 220 in en"
    marked = [document.markdown[anchor.markdown_start : anchor.markdown_end] for anchor in anchors]
    assert marked[2] == "keen reads shade 220 in en"
    report = document.result.quality_report
    assert report.ocr_confidence_summary.applied
    assert report.ocr_confidence_summary.page_confidences == {"1": 0.9, "3": 0.9}
    assert "ocr_needed" not in flags(document)


def test_without_an_engine_the_document_is_degraded_and_says_so(engines: Any, ours: Any, scan: Any) -> None:
    engines()
    document = read(scan(200), ours())
    assert document.result.ingestion_status == "degraded_complete"
    assert "ocr_needed" in document.result.quality_report.degraded_flags
    (finding,) = [f for f in document.result.quality_report.findings if f.flag == "ocr_needed"]
    assert "no OCR engine" in finding.message


def test_switched_off_it_is_said_as_well(engines: Any, ours: Any, scan: Any) -> None:
    engines(keen=0.9)
    document = read(scan(200), ours("keen", automatic=False))
    assert "ocr_needed" in flags(document)
    assert not document.result.quality_report.ocr_confidence_summary.applied


def test_a_doubtful_page_is_shown_to_the_next_engine_and_the_surer_answer_taken(
    engines: Any, ours: Any, scan: Any
) -> None:
    engines(first=0.5, second=0.8)
    document = read(scan(200), ours("first", "second"))
    assert document.text == "second reads shade 200 in en"
    assert [attempt.plugin for attempt in document.result.attempts] == ["blank", "first", "second"]


def test_a_sure_page_is_not(engines: Any, ours: Any, scan: Any) -> None:
    engines(first=0.9, second=0.99)
    document = read(scan(200), ours("first", "second"))
    assert document.text.startswith("first reads")


def test_a_sure_answer_that_contradicts_a_doubtful_one_is_flagged(
    engines: Any, ours: Any, make_plugin: Any, reader_code: str, scan: Any
) -> None:
    """An engine reads Cyrillic as Latin letters, and is sure of it: nothing but the other engine's doubt tells."""
    engines(first=0.5)
    other = reader_code.replace("{special}", "pass").replace(
        "{name} reads shade %d in %s", "MocT%d 3aKpbIT c uac ytpa-%s"
    )
    make_plugin("sure", other.replace("{name}", "sure").replace("{confidence}", "0.95"), hooks=["ocr"], priority=50)
    document = read(scan(200), ours("first", "sure"))
    assert document.text.startswith("MocT")
    assert "ocr_low_confidence" in document.result.quality_report.degraded_flags
    (finding,) = [f for f in document.result.quality_report.findings if f.flag == "ocr_low_confidence"]
    assert "language" in finding.message
    assert "words may be wrong" in document.markdown_with_page_marks()


LATIN = """\
from datetime import datetime, timezone
from octavo_contracts import OCRResult, hookimpl

@hookimpl
def ocr(image, request):
    return OCRResult(
        page_number=1, page_fingerprint="0" * 64, extracted_text="{text}", confidence={confidence}, method="{name}",
        script={script}, remedy={remedy}, processed_at=datetime.now(timezone.utc), tool_version="1.0",
    )
"""


def test_a_script_without_its_model_is_said_with_its_package(
    engines: Any, ours: Any, make_plugin: Any, scan: Any
) -> None:
    """OCR-6: an engine that is sure of Latin letters does not replace the one that knows the script."""
    engines()
    guess = LATIN.format(text="MocT 3aKpbIT c uac", confidence=0.95, name="sure", script=None, remedy=None)
    known = LATIN.format(text="", confidence=0.0, name="knows", script="'Cyrl'", remedy="'Run: apt-get install x-rus'")
    make_plugin("sure", guess, hooks=["ocr"], priority=50)
    make_plugin("knows", known, hooks=["ocr"], priority=60)
    for order in (("knows", "sure"), ("sure", "knows")):
        document = read(scan(200), ours(*order, next_engine_below=0.97))
        assert document.text == ""
        assert document.result.ingestion_status == "degraded_complete"
        (finding,) = [f for f in document.result.quality_report.findings if f.flag == "ocr_needed"]
        assert "Cyrl" in finding.message
        assert finding.remedy.startswith("Run: apt-get install x-rus")


def test_an_engine_that_reads_the_script_is_taken(engines: Any, ours: Any, make_plugin: Any, scan: Any) -> None:
    engines()
    known = LATIN.format(text="", confidence=0.0, name="knows", script="'Cyrl'", remedy="'Install x-rus'")
    reads = LATIN.format(text="Мост закрыт", confidence=0.8, name="reads", script="request.script", remedy=None)
    make_plugin("knows", known, hooks=["ocr"], priority=60)
    make_plugin("reads", reads, hooks=["ocr"], priority=50)
    document = read(scan(200), ours("knows", "reads"))
    assert document.text == "Мост закрыт"
    assert "ocr_needed" not in flags(document)


def test_text_in_the_wrong_model_of_its_script_is_kept_and_flagged(
    engines: Any, ours: Any, make_plugin: Any, scan: Any
) -> None:
    """Fraktur has Latin letters: a model of the script reads it better, another one some of it."""
    engines()
    code = LATIN.format(
        text="Was iff Auftlarung?", confidence=0.64, name="old", script="'Latf'", remedy="'Install frk'"
    )
    make_plugin("old", code, hooks=["ocr"], priority=60)
    document = read(scan(200), ours("old"))
    assert document.text == "Was iff Auftlarung?"
    remedies = [f.remedy for f in document.result.quality_report.findings if f.flag == "ocr_low_confidence"]
    assert any("install frk" in remedy for remedy in remedies)


@pytest.mark.parametrize("order", [("old", "sure"), ("sure", "old")])
def test_an_engine_that_is_sure_of_fraktur_without_its_model_is_not_trusted(
    engines: Any, ours: Any, make_plugin: Any, scan: Any, order: tuple[str, str]
) -> None:
    """OCR-6: its letters are Latin ones, so that they do not tell; the engine that detected the script does."""
    engines()
    old = LATIN.format(
        text="Was iff Auftlarung?", confidence=0.64, name="old", script="'Latf'", remedy="'Run: apt-get install frk'"
    )
    sure = LATIN.format(text="Was ißt Aufeläryng?", confidence=0.95, name="sure", script=None, remedy=None)
    make_plugin("old", old, hooks=["ocr"], priority=60)
    make_plugin("sure", sure, hooks=["ocr"], priority=50)
    document = read(scan(200), ours(*order, next_engine_below=0.97))
    assert document.text == "Was ißt Aufeläryng?"
    (finding,) = [f for f in document.result.quality_report.findings if f.flag == "ocr_low_confidence"]
    assert (finding.page, finding.message) == (
        1,
        "the page is in the script Fraktur (Latf), for which sure has no model",
    )
    assert "run: apt-get install frk" in finding.remedy


@pytest.mark.parametrize("order", [("reads", "sure"), ("sure", "reads")])
def test_a_model_of_the_script_counts_more_than_a_surer_engine(
    engines: Any, ours: Any, make_plugin: Any, scan: Any, order: tuple[str, str]
) -> None:
    engines()
    reads = LATIN.format(text="Was iſt Aufklärung?", confidence=0.83, name="reads", script="'Latf'", remedy=None)
    sure = LATIN.format(text="Was ißt Aufeläryng?", confidence=0.95, name="sure", script=None, remedy=None)
    make_plugin("reads", reads, hooks=["ocr"], priority=60)
    make_plugin("sure", sure, hooks=["ocr"], priority=50)
    document = read(scan(200), ours(*order, next_engine_below=0.97))
    assert document.text == "Was iſt Aufklärung?"
    assert "ocr_low_confidence" not in flags(document)


def test_a_page_is_read_again_once_the_model_is_there(engines: Any, ours: Any, make_plugin: Any, scan: Any) -> None:
    """What was not read for want of a model is not kept."""
    engines()
    code = LATIN.format(text="", confidence=0.0, name="knows", script="'Cyrl'", remedy="'Install x-rus'")
    make_plugin("knows", code, hooks=["ocr"], priority=60)
    runtime, pages = ours("knows"), MemoryPages()
    with Source.from_bytes(scan(200), name="scan.pdf") as source:
        for _ in range(2):
            done = recognise_source(runtime, source, OcrOptions(), library=ConversionServices(pages=pages))
            assert "Cyrl" in done.recognition.unread[1]
            assert [attempt.plugin for attempt in done.recognition.attempts] == ["knows"]


LISTED = """\
from datetime import datetime, timezone
from octavo_contracts import BoundingBox, OCRResult, OCRWord, hookimpl

LINES = ((60, 20, "© Lamp oil for"), (68, 34, "two nights"), (60, 60, "¢ Spare wicks"))

@hookimpl
def ocr(image, request):
    words = []
    for left, top, line in LINES:
        for word in line.split():
            bottom = top + (5 if word in "©¢" else 10)
            box = BoundingBox(left=left, top=top, right=left + 5 * len(word), bottom=bottom)
            words.append(OCRWord(text=word, box=box, confidence=0.9))
            left = box.right + 3
    return OCRResult(
        page_number=1, page_fingerprint="0" * 64, extracted_text="\\n\\n".join(line for _, _, line in LINES), confidence=0.9,
        method="lists", words=tuple(words), processed_at=datetime.now(timezone.utc), tool_version="1.0",
    )
"""


def test_text_and_markdown_have_the_same_bullets(engines: Any, ours: Any, make_plugin: Any, scan: Any) -> None:
    engines()
    make_plugin("lists", LISTED, hooks=["ocr"], priority=60)
    document = read(scan(200), ours("lists"))
    assert document.markdown.strip() == "- Lamp oil for\ntwo nights\n\n- Spare wicks"
    assert document.text == "• Lamp oil for two nights • Spare wicks"
    (anchor,) = document.result.page_anchor_map.anchors()
    assert document.text[anchor.text_start : anchor.text_end] == document.text


def test_a_scan_far_into_a_long_document_is_found(engines: Any, ours: Any, scan: Any) -> None:
    """Classification looks at some pages of it: this one is known by its empty text."""
    engines(keen=0.9)
    document = read(scan(*[OWN] * 10, 200, *[OWN] * 19), ours("keen"))
    assert document.result.quality_report.ocr_confidence_summary.page_confidences == {"11": 0.9}


def test_low_confidence_degrades_and_is_said(engines: Any, ours: Any, scan: Any) -> None:
    """OCR-5."""
    engines(first=0.65)
    document = read(scan(200, 210), ours("first"))
    assert "ocr_low_confidence" in document.result.quality_report.degraded_flags
    pages = [f.page for f in document.result.quality_report.findings if f.flag == "ocr_low_confidence"]
    assert {1, 2} <= set(pages)
    marked = document.markdown_with_page_marks()
    assert "<!-- page 2; recognised with a confidence of 0.65: words may be wrong" in marked


def test_a_single_doubtful_page_is_noted_and_a_sure_one_is_not(engines: Any, ours: Any, scan: Any) -> None:
    engines(first=0.6, second=0.95)
    doubtful = read(scan(200), ours("first"))
    assert "recognised with a confidence of 0.60" in doubtful.markdown_with_page_marks()
    assert "recognised with" not in read(scan(200), ours("second")).markdown_with_page_marks()


def test_an_engine_that_fails_gives_way_to_the_next(
    engines: Any, ours: Any, make_plugin: Any, reader_code: str, scan: Any
) -> None:
    engines(second=0.9)
    broken = (
        reader_code.replace("{special}", 'raise OcrFailed("no light")')
        .replace("{name}", "dark")
        .replace("{confidence}", "1.0")
    )
    make_plugin("dark", broken, hooks=["ocr"])
    document = read(scan(200), ours("dark", "second"))
    assert document.text.startswith("second reads")
    failed = [attempt for attempt in document.result.attempts if attempt.outcome == "failed"]
    assert [(attempt.plugin, attempt.reason_code) for attempt in failed] == [("dark", "ocr_failed")]


def test_a_page_that_no_engine_reads_is_unread_and_the_others_are_read(engines: Any, ours: Any, scan: Any) -> None:
    engines('if shade == 210: raise OcrFailed("too bright")', keen=0.9)
    document = read(scan(200, 210), ours("keen"))
    (finding,) = [f for f in document.result.quality_report.findings if f.flag == "ocr_needed"]
    assert finding.page == 2
    assert "too bright" in finding.message
    assert document.text.startswith("keen reads shade 200")


def test_a_blank_page_costs_one_engine_and_loses_nothing(engines: Any, ours: Any) -> None:
    engines('return OCRResult(page_number=1, page_fingerprint="0" * 64, extracted_text="", confidence=0.0, method="x", processed_at=datetime.now(timezone.utc), tool_version="1")', first=0.9, second=0.9)  # fmt: skip
    out = io.BytesIO()
    Image.new("L", (306, 396), 255).save(out, "PDF", resolution=36)
    document = read(out.getvalue(), ours("first", "second"))
    assert document.result.ingestion_status == "complete"
    assert [attempt.plugin for attempt in document.result.attempts] == ["blank", "first"]
    assert "no_content" in flags(document)


def test_a_second_ingest_recognises_nothing_and_a_changed_page_alone_is_read_again(
    engines: Any, ours: Any, tmp_path: Path, scan: Any
) -> None:
    """OCR-3: the store is global, by what the page looks like."""
    engines(keen=0.9)
    runtime = ours("keen")

    def calls(data: bytes, name: str, library: Library) -> str | None:
        result = library.ingest(data, name=name, plugin="blank").result
        details = [attempt.details for attempt in result.attempts if attempt.hook == "ocr"]
        return details[0] if details else None

    with Library.open(tmp_path / "library", runtime=runtime) as library:
        assert calls(scan(200, 205), "a.pdf", library) == "2 pages"
        first = library.document(library.documents()[0].id)
        assert library.ingest(scan(200, 205), name="a.pdf", plugin="blank").reused
        assert calls(scan(200, 207), "b.pdf", library) == "1 page"
        assert calls(scan(205, 207), "c.pdf", library) is None
        # Its two pages are in other documents too, so that purging it leaves them.
        assert library.context.index.purges.own_ocr_pages(first.id) == ()
        assert len(list((library.path / "ocr").iterdir())) == 3


def test_pages_can_be_asked_for_whether_they_need_it_or_not(engines: Any, ours: Any, scan: Any) -> None:
    """OCR-6."""
    engines(keen=0.9, other=0.4)
    runtime = ours("keen")
    with Source.from_bytes(scan(200, OWN), name="scan.pdf") as source:
        done = recognise_source(runtime, source, OcrOptions(pages=(2,), engine="other"))
        assert [result.extracted_text for result in done.results] == ["other reads shade 255 in en"]
        with pytest.raises(UsageError, match="page 7 does not exist"):
            recognise_source(runtime, source, OcrOptions(pages=(7,)))
        with pytest.raises(UsageError, match="absent"):
            recognise_source(runtime, source, OcrOptions(engine="absent"))


def test_what_is_kept_is_read_again_only_when_asked(engines: Any, ours: Any, scan: Any) -> None:
    engines(keen=0.9)
    runtime, pages = ours("keen"), MemoryPages()
    with Source.from_bytes(scan(200), name="scan.pdf") as source:

        def kept(**options: Any) -> bool:
            done = recognise_source(runtime, source, OcrOptions(**options), library=ConversionServices(pages=pages))
            return done.recognition.readings[1].stored

        assert [kept(), kept(), kept(again=True), kept()] == [False, True, False, True]


def test_a_document_read_again_is_a_new_version(engines: Any, ours: Any, tmp_path: Path, scan: Any) -> None:
    engines(keen=0.9, other=0.95)
    runtime = ours("keen")
    with Library.open(tmp_path / "library", runtime=runtime) as library:
        ingested = library.ingest(scan(200, 210), name="scan.pdf", plugin="blank")
        document = library.document(ingested.document_id or "")
        again = recognise_document(document, OcrOptions())
        assert again.version is None
        done = recognise_document(document, OcrOptions(pages=(1,), engine="other"))
        assert done.version is not None
        assert done.version.version == 2
        renewed = library.document(document.id)
        assert renewed.active_version == 2
        assert renewed.page(1).text == "other reads shade 200 in en"
        assert document.page(1).text == "keen reads shade 200 in en"


def test_a_plain_reconversion_reads_what_was_read_when_it_was_asked_for(
    engines: Any, ours: Any, tmp_path: Path, scan: Any
) -> None:
    """Where recognition is switched off, pages that somebody had read stay read."""
    engines(keen=0.9)
    with Library.open(tmp_path / "library", runtime=ours("keen", automatic=False)) as library:
        taken = library.ingest(scan(200), name="scan.pdf", plugin="blank")
        assert library.document(taken.document_id).canonical_text == ""
        recognise_document(library.document(taken.document_id), OcrOptions(asked=True))
        library.document(taken.document_id).reconvert(plugin="blank")
        assert library.document(taken.document_id).canonical_text == "keen reads shade 200 in en"


def test_a_searchable_copy_is_made_of_a_pdf_with_something_read(engines: Any, ours: Any, scan: Any) -> None:
    engines(keen=0.9)
    runtime = ours("keen")
    with Source.from_bytes(scan(200), name="scan.pdf") as source:
        done = recognise_source(runtime, source, OcrOptions())
        copy = searchable_copy(runtime, source, done)
        assert copy.startswith(b"%PDF")
        empty = recognise_source(
            runtime, source, OcrOptions(engine="keen"), library=ConversionServices(pages=MemoryPages())
        )
        nothing = type(empty)(
            source="x", media_type="application/pdf", page_count=1, recognition=type(empty.recognition)()
        )
        with pytest.raises(UsageError, match="no recognised words to write"):
            searchable_copy(runtime, source, nothing)
        picture = type(empty)(source="x", media_type="image/png", page_count=1, recognition=done.recognition)
        with pytest.raises(UnsupportedFormat):
            searchable_copy(runtime, source, picture)


def test_a_searchable_copy_without_its_writer_says_what_to_install(
    engines: Any, ours: Any, scan: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines(keen=0.9)
    runtime = ours("keen")
    monkeypatch.setitem(sys.modules, "octavo_searchable_pdf.writer", None)
    with Source.from_bytes(scan(200), name="scan.pdf") as source:
        done = recognise_source(runtime, source, OcrOptions())
        with pytest.raises(ToolUnavailable) as caught:
            searchable_copy(runtime, source, done)
    assert caught.value.remedy == "Run: pip install octavo-searchable-pdf"


def test_an_engine_asked_for_that_lacks_its_program_is_an_error(
    engines: Any, ours: Any, make_plugin: Any, reader_code: str, scan: Any
) -> None:
    engines(keen=0.9)
    make_plugin(
        "lame", reader_code, hooks=["ocr"], more='[[plugin.system]]\ncommand = "no-such-program"\ninstall = "get it"'
    )
    with (
        Source.from_bytes(scan(200), name="scan.pdf") as source,
        pytest.raises(ToolUnavailable, match="no-such-program"),
    ):
        recognise_source(ours("keen"), source, OcrOptions(engine="lame"))
