"""Which pages may need recognition, what an answer is worth, and which engines are asked."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from octavo.builtins.classification import SCANNED_DENSITY
from octavo.conversion.ocr import MemoryPages, PageReading, Recognition, needs_ocr
from octavo.conversion.ocr import merge as merging
from octavo.conversion.ocr.engines import engines_for
from octavo.conversion.ocr.page_cache import result_name
from octavo.plugins import load_catalogue
from octavo.settings.ocr import AUTOMATIC, OcrOptions, OcrSettings
from octavo_contracts import (
    BoundingBox,
    Box,
    Category,
    Conversion,
    DocumentClassification,
    OCRRequest,
    OCRResult,
    OCRWord,
    Page,
    PageImage,
    PageMetadata,
    QualityEvidence,
    ToolUnavailable,
    UsageError,
)
from octavo_library.storage import ArtifactStore
from octavo_library.storage.recognised_pages import LibraryPages
from octavo_text.recognised_markdown import as_markdown
from octavo_text.recognised_quality import better, is_text, share_of_letters, shared_words

FINGERPRINT = "ab" * 32
BOX = BoundingBox(left=10, top=10, right=60, bottom=22)
LONG = "The gauge at the old pier was read at every hour of the day and of the night. " * 5


def answer(text: str, *, confidence: float = 0.9, page: int = 1, words: bool = True) -> OCRResult:
    """What an engine gives for a page, every word as sure as the others."""
    return OCRResult(
        page_number=page,
        page_fingerprint=FINGERPRINT,
        extracted_text=text,
        words=tuple(OCRWord(text=word, box=BOX, confidence=confidence) for word in text.split()) if words else (),
        confidence=confidence if text else 0.0,
        method="stub",
        processed_at=datetime(2026, 1, 1, tzinfo=UTC),
        tool_version="1",
    )


def pdf(*texts: str, size: tuple[float, float] | None = (595.0, 842.0)) -> Conversion:
    width, height = size or (None, None)
    pages = tuple(
        Page(number=number, markdown=text, text=text, width=width, height=height)
        for number, text in enumerate(texts, start=1)
    )
    return Conversion(pages=pages, paginated=True)


def seen(*pages: tuple[int, bool], density: float = 0.0) -> DocumentClassification:
    return DocumentClassification(
        category=Category.PDF_TEXT,
        classification_confidence=0.5,
        page_metadata=tuple(
            PageMetadata(page_number=number, is_scanned=needs, text_density=density, needs_ocr=needs)
            for number, needs in pages
        ),
    )


known_to_need = partial(needs_ocr.known_to_need, density=SCANNED_DENSITY)
worth_a_look = partial(needs_ocr.worth_a_look, density=SCANNED_DENSITY)


class TestPages:
    def test_what_classification_saw_stands(self) -> None:
        """OCR-2: a page that it looked at is not looked at again, whatever its text."""
        conversion = pdf("", "", LONG)
        assert known_to_need(conversion, seen((1, True), (2, False))) == {1}
        assert worth_a_look(conversion, seen((1, False), (2, False))) == []

    @pytest.mark.parametrize("size", [(595.0, 842.0), None])
    def test_a_page_that_nobody_looked_at_is_judged_by_its_text(self, size: tuple[float, float] | None) -> None:
        junk = "\ue000\ue001\ue002 " * 80
        conversion = pdf(LONG, "", "A stamp", junk, size=size)
        assert worth_a_look(conversion, None) == [2, 3, 4]

    def test_one_page_of_junk_makes_every_other_one_worth_a_look(self) -> None:
        """A converter may drop the very characters by which a junk layer is known."""
        conversion = pdf("", LONG, LONG)
        assert worth_a_look(conversion, seen((1, True), density=0.004)) == [2, 3]
        assert worth_a_look(conversion, seen((1, False), density=0.004)) == []

    def test_a_cover_that_is_a_picture_says_nothing_of_the_other_pages(self) -> None:
        assert worth_a_look(pdf("", LONG, "A stamp"), seen((1, True))) == [3]

    def test_a_converter_that_recognises_by_itself_is_believed(self) -> None:
        conversion, classification = pdf("", LONG), seen((1, True), (2, True))
        assert known_to_need(conversion, classification) == {1, 2}
        assert known_to_need(conversion, classification, reads_scans=True) == {1}

    def test_a_page_beyond_the_conversion_is_left_out(self) -> None:
        assert known_to_need(pdf(""), seen((1, True), (2, True))) == {1}

    def test_only_pages_that_can_be_rendered_and_replaced_count(self) -> None:
        whole = Conversion(pages=(Page(number=1, kind="whole", markdown=""),), paginated=False)
        assert needs_ocr.is_paged_picture("application/pdf", pdf(""))
        assert needs_ocr.is_paged_picture("image/png", whole)
        assert not needs_ocr.is_paged_picture("application/pdf", whole)
        assert not needs_ocr.is_paged_picture("image/svg+xml", whole)
        assert not needs_ocr.is_paged_picture("text/html", whole)


class TestAnswers:
    def test_sure_words_are_text(self) -> None:
        assert is_text(answer("Berth 42 is free"))

    @pytest.mark.parametrize(("text", "confidence"), [("", 0.0), ("| ~ — .", 0.9), ("eo wn Sy ai", 0.3), ("a b", 0.95)])
    def test_what_a_photograph_gives_is_none(self, text: str, confidence: float) -> None:
        assert not is_text(answer(text, confidence=confidence))

    def test_a_few_sure_words_among_many_doubtful_ones_are_none(self) -> None:
        doubtful = answer("xq " * 60, confidence=0.1)
        mixed = doubtful.model_copy(update={"words": (*doubtful.words, *answer("Exit door").words)})
        assert not is_text(mixed)

    def test_an_engine_without_words_is_taken_at_its_word(self) -> None:
        assert is_text(answer("Berth 42", words=False))
        assert not is_text(answer("", words=False))

    def test_the_surer_of_two_answers_is_taken(self) -> None:
        first, second = answer("Total l2.5O", confidence=0.5), answer("Total 12.50", confidence=0.9)
        assert better(first, second) is second
        assert better(second, first) is second
        assert better(None, first) is first

    def test_answers_are_compared_by_their_words(self) -> None:
        assert shared_words(answer("Berth 42, is free today"), answer("berth 42 is tree today")) == 0.8
        assert shared_words(answer("Berth 42"), answer("Quay seven is taken today")) == 1.0

    def test_an_answer_that_leaves_out_letters_is_told_by_their_number(self) -> None:
        assert share_of_letters(answer("Debian GNU"), answer("Debian GNU und mehr")) == pytest.approx(9 / 16)
        assert share_of_letters(answer("Debian"), answer("")) == 1.0

    def test_text_is_better_than_none_however_sure(self) -> None:
        assert better(answer("~ | —", confidence=0.99), answer("Total 12.50", confidence=0.7)).confidence == 0.7


class TestMerging:
    def recognition(self, **results: OCRResult) -> Recognition:
        return Recognition(
            readings={
                int(page[1:]): PageReading(result=result, holds_text=is_text(result))
                for page, result in results.items()
            }
        )

    def test_only_pages_that_hold_text_are_replaced(self) -> None:
        before = pdf(LONG, "", "caption")
        done = self.recognition(p2=answer("The missing page", page=2), p3=answer("", page=3))
        after = merging.merge(before, done)
        assert [page.text for page in after.pages] == [LONG, "The missing page", "caption"]
        assert after.extensions["octavo.recognised"] == {
            "2": {"engine": "stub", "version": "1", "confidence": 0.9, "page_fingerprint": FINGERPRINT}
        }
        assert [box.text for box in after.pages[1].boxes] == ["The", "missing", "page"]

    def test_nothing_recognised_leaves_the_conversion_as_it_is(self) -> None:
        before = pdf("", "")
        assert merging.merge(before, self.recognition(p1=answer(""))) is before

    def test_places_of_other_things_are_kept(self) -> None:
        page = Page(
            number=1,
            markdown="",
            boxes=(Box(kind="image", box=BOX), Box(kind="word", box=BOX, text="old")),
        )
        after = merging.merge(Conversion(pages=(page,), paginated=True), self.recognition(p1=answer("new words")))
        assert [(box.kind, box.text) for box in after.pages[0].boxes] == [
            ("image", ""),
            ("word", "new"),
            ("word", "words"),
        ]

    def test_recognised_text_is_not_read_as_markup(self) -> None:
        assert as_markdown("# 12 *units*\n- one\n\n\n1. two") == "\\# 12 \\*units\\*\n\\- one\n\n1\\. two"

    def test_confidences_of_pages_with_text_are_evidence(self) -> None:
        evidence = QualityEvidence(media_type="application/pdf")
        done = self.recognition(p1=answer("Berth 42", confidence=0.8), p2=answer("", page=2))
        assert merging.with_recognition(evidence, done).ocr_confidences == (0.8,)
        assert merging.with_recognition(evidence, Recognition()) is evidence

    def test_the_report_names_doubtful_and_unread_and_replaced_pages(self) -> None:
        """OCR-5: low confidence is visible page by page."""
        before = pdf("zq#x junk", "", LONG, "")
        done = self.recognition(p1=answer("Good text here"), p2=answer("Hard to tell", confidence=0.62))
        done = Recognition(readings=done.readings, unread={4: "no engine"})
        found = merging.findings(done, before, doubtful_below=0.7)
        assert {(item.flag, item.page, item.severity) for item in found} == {
            ("ocr_needed", 4, "degraded"),
            ("ocr_low_confidence", 2, "degraded"),
            ("text_layer_replaced", 1, "note"),
        }

    def test_a_blank_page_whose_picture_is_lost_is_no_blank_page(self) -> None:
        lost = Recognition(readings={1: PageReading(result=answer(""), holds_text=False, undecodable=1)})
        flags = {item.flag for item in merging.findings(lost, pdf(""), doubtful_below=0.7)}
        assert flags == {"partial_conversion", "no_content"}

    def test_a_photograph_is_noted_and_not_degraded(self) -> None:
        (finding,) = merging.findings(self.recognition(p1=answer("")), pdf(""), doubtful_below=0.7)
        assert (finding.flag, finding.severity) == ("no_content", "note")

    def test_classification_knows_what_was_read(self) -> None:
        """OCR-9."""
        told = merging.recorded(seen((1, True), (2, True)), self.recognition(p1=answer("text on it")))
        assert [(page.needs_ocr, page.has_ocr_cache) for page in told.page_metadata] == [(False, True), (True, False)]


ENGINE = "from octavo_contracts import hookimpl\n@hookimpl\ndef ocr(image, request):\n    raise RuntimeError\n"


class TestEngines:
    @pytest.fixture
    def engines(self, make_plugin: Any, good_plugin: str) -> None:
        make_plugin("keen", ENGINE, hooks=["ocr"], priority=90)
        make_plugin("slow", ENGINE, hooks=["ocr"], priority=10)
        make_plugin(
            "lame", ENGINE, hooks=["ocr"], more='[[plugin.system]]\ncommand = "no-such-program"\ninstall = "get it"'
        )
        make_plugin("words", good_plugin)

    def ours(self, settings: OcrSettings, options: OcrOptions = AUTOMATIC) -> list[str]:
        found = engines_for(load_catalogue(), settings, options)
        return [plugin.name for plugin in found if plugin.name in ("keen", "slow", "lame")]

    def test_they_come_by_priority(self, engines: None) -> None:
        assert self.ours(OcrSettings()) == ["keen", "slow"]

    def test_or_in_the_order_of_the_settings(self, engines: None) -> None:
        """OCR-1: the order is a setting; what is not there is passed over."""
        assert self.ours(OcrSettings(engines=("slow", "absent", "lame", "keen"))) == ["slow", "keen"]

    def test_one_that_was_asked_for_is_the_only_one(self, engines: None) -> None:
        assert self.ours(OcrSettings(), OcrOptions(engine="slow")) == ["slow"]

    def test_one_that_was_asked_for_has_to_be_there(self, engines: None) -> None:
        with pytest.raises(UsageError, match="absent"):
            self.ours(OcrSettings(), OcrOptions(engine="absent"))
        with pytest.raises(UsageError, match="does not recognise"):
            self.ours(OcrSettings(), OcrOptions(engine="words"))
        with pytest.raises(ToolUnavailable, match="no-such-program"):
            self.ours(OcrSettings(), OcrOptions(engine="lame"))


class TestStore:
    IMAGE = PageImage(page_number=3, page_fingerprint=FINGERPRINT, width=9, height=9, dpi=300, png=b"x")

    def test_names_differ_by_engine_version_settings_and_resolution(self, make_plugin: Any) -> None:
        """OCR-3."""
        make_plugin("keen", ENGINE, hooks=["ocr"])
        make_plugin("slow", ENGINE, hooks=["ocr"])
        catalogue = load_catalogue()
        keen, slow = catalogue.get("keen"), catalogue.get("slow")
        english, german = OCRRequest(), OCRRequest(languages=("de",))
        names = {
            result_name(keen, english, dpi=300),
            result_name(slow, english, dpi=300),
            result_name(keen, german, dpi=300),
            result_name(keen, english, dpi=200),
        }
        assert len(names) == 4
        assert result_name(keen, english, dpi=300).startswith("keen-1.2-")

    def test_what_is_kept_is_found_under_any_page_number(self, tmp_path: Path) -> None:
        with ArtifactStore(tmp_path) as artifacts:
            for store in (MemoryPages(), LibraryPages(artifacts)):
                assert store.get(self.IMAGE, "keen-1-a.json") is None
                store.put(self.IMAGE, "keen-1-a.json", answer("Berth 42", page=3))
                other = self.IMAGE.model_copy(update={"page_number": 8})
                found = store.get(other, "keen-1-a.json")
                assert found is not None
                assert (found.page_number, found.extracted_text) == (8, "Berth 42")

    def test_a_new_recognition_replaces_the_old_one(self, tmp_path: Path) -> None:
        with ArtifactStore(tmp_path) as artifacts:
            store = LibraryPages(artifacts)
            store.put(self.IMAGE, "keen-1-a.json", answer("Berlh 42"))
            store.put(self.IMAGE, "keen-1-a.json", answer("Berth 42"))
            found = store.get(self.IMAGE, "keen-1-a.json")
            assert found is not None
            assert found.extracted_text == "Berth 42"

    def test_a_damaged_one_is_as_if_it_were_not_there(self, tmp_path: Path) -> None:
        with ArtifactStore(tmp_path) as artifacts:
            artifacts.put_ocr(FINGERPRINT, name="keen-1-a.json", data=b"{")
            assert LibraryPages(artifacts).get(self.IMAGE, "keen-1-a.json") is None
