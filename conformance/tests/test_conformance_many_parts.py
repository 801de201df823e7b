"""Documents of many parts and series of documents that look alike: what makes them fit for the checks that use them."""

from __future__ import annotations

import io
import itertools
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from octavo_conformance.kit import run_plugin
from octavo_conformance.runner import Selection
from octavo_conformance.vectors import load_golden, words_of
from octavo_conformance.vectors.fresh import FRESH_PATHS, make_alike
from octavo_conformance.vectors.hostile import load_hostile
from octavo_conformance.vectors.many import LEAST, MANY_MAKERS
from octavo_conformance.vectors.sequences import LEAST_LINKS, SEQUENCES
from octavo_conformance.vectors.sheaf_bytes import SHEAF
from octavo_conformance.vectors.undecided import make_alike_typed
from octavo_conformance.vectors.unreadable import WORD_TYPE, make_hidden
from octavo_conformance.vectors.words import Words

RECOGNISER = """
from datetime import datetime, timezone
from octavo_contracts import OCRResult, ToolUnavailable, hookimpl

@hookimpl
def ocr(image, request):
    if request.languages != ("en",):
        raise ToolUnavailable("there is no data of this language")
    return OCRResult(
        document_id=request.document_id, page_number=image.page_number, page_fingerprint=image.page_fingerprint,
        extracted_text="", words=(), confidence=0.0, method="none", processed_at=datetime(2026, 1, 1, tzinfo=timezone.utc),
        tool_version="1",
    )
"""


@pytest.mark.parametrize("media_type", ["application/pdf", "application/zip", "text/html", SHEAF, WORD_TYPE])
def test_documents_of_a_series_have_one_size_and_begin_alike(media_type: str) -> None:
    made = make_alike(3, [media_type], count=36)
    assert len({one.data for one in made}) == 36
    assert len({len(one.data) for one in made}) == 1
    # The checksums of archives and of sheaves stand near the beginning.
    assert len({one.data[:14] for one in made}) == 1


@pytest.mark.parametrize("media_type", ["text/plain", "text/markdown", SHEAF])
def test_long_texts_of_several_types_have_one_size(media_type: str) -> None:
    made = make_alike_typed(3, media_type)
    assert (len(made), len({one.data for one in made}), len({len(one.data) for one in made})) == (3, 3, 1)
    assert len(made[0].data) > 1_000


def test_hidden_text_is_short_in_some_places_and_long_in_others() -> None:
    # Each second document is a long one, with lengths by chance.
    for made in make_hidden(3, ["text/html", "application/pdf", SHEAF, WORD_TYPE])[::2]:
        assert min(map(len, made.hidden.values())) < 40
        assert max(map(len, made.hidden.values())) > 80


def test_a_series_takes_the_formats_in_turn() -> None:
    made = make_alike(3, ["text/csv", "text/plain"], count=5)
    assert [one.path for one in made] == [
        f"{family}/alike-{place}.{family}" for place, family in enumerate(("csv", "txt", "csv", "txt", "csv"))
    ]
    assert make_alike(3, ["application/x-unknown"], count=5) == ()


def test_sequences_have_many_links_each_with_its_own_target_and_parts_that_occur_once() -> None:
    for seed, (_, make) in itertools.product(range(5), SEQUENCES.values()):
        _, _, pages, truth = make(Words(seed))
        links, text = truth["links"], " ".join(words_of(" ".join(pages)))
        assert len(links) >= LEAST_LINKS
        assert len({target for _, target in links}) == len(links)
        places = [text.index(" ".join(words_of(part))) for part in truth.get("parts", ())]
        assert places == sorted(places)
        assert all(text.count(" ".join(words_of(part))) == 1 for part in truth.get("parts", ()))


def test_documents_of_many_parts_have_more_than_a_hundred_and_sixty_of_them() -> None:
    for _, make in MANY_MAKERS.values():
        _, _, pages, truth = make(Words(3))
        assert max(len(pages), len(truth.get("headings", ())), len(truth.get("attachments", ()))) >= LEAST


@pytest.mark.parametrize("family", ["docx", "epub", "odt", "pptx", "xlsx"])
def test_archives_that_are_cut_off_are_intact_but_for_one_part(family: str) -> None:
    from lxml import etree

    cut = [one for one in load_hostile(family) if "/cut-" in one.path]
    assert [one.kind for one in cut] == ["truncated"] * 2
    for vector in cut:
        with zipfile.ZipFile(io.BytesIO(vector.data)) as archive:
            assert archive.testzip() is None
            parts = [archive.read(name) for name in archive.namelist() if name.endswith((".xml", ".rels", ".xhtml"))]
        assert sum(not _is_well_formed(part, etree) for part in parts) == 1


def _is_well_formed(part: bytes, etree: Any) -> bool:
    try:
        etree.fromstring(part)
    except etree.XMLSyntaxError:
        return False
    return True


def test_a_recogniser_without_the_languages_of_the_suite_is_not_judged_by_them(
    make_plugin: Callable[..., Any],
) -> None:
    make_plugin("english", RECOGNISER, hooks=["ocr"], media_types=[])
    chosen = Selection(level=2, seed=7, checks=frozenset({"OC-OCR-017"}), without=frozenset({"OC-OCR-008"}))
    report = run_plugin("english", selection=chosen)
    (found,) = [one for one in report.outcomes if one.check == "OC-OCR-017"]
    assert (found.status, found.reason) == ("skipped", "the recogniser has no data for de and fr")


def test_no_fresh_document_has_the_path_of_a_stored_one() -> None:
    """What a run keeps of a document is found by its path."""
    assert not FRESH_PATHS & {vector.path for vector in load_golden()}
