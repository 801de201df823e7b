"""All five hooks of one plugin on the way of one document, and every kind of service that a host resolves."""

from __future__ import annotations

import re
from pathlib import Path

import octavo
import octavo_brief
import octavo_context
import octavo_digest
import octavo_fields
import octavo_library
import octavo_research
import octavo_web
from octavo.settings.entities import EntitySettings
from octavo.settings.ocr import OcrSettings
from octavo.settings.settings import Settings
from octavo_conformance.scans import scanned_pdf
from octavo_contracts import SERVICE_KINDS
from octavo_library import Library
from PIL import Image

ALL = """\
from datetime import datetime, timezone
from octavo_contracts import *

@hookimpl
def classify(source):
    return DocumentClassification(
        category=Category.PDF_SCANNED, document_type="complaint", routing_type=RoutingType.TABLE_HEAVY_FILING,
        classification_confidence=0.9,
    )

@hookimpl
def convert(source, request):
    page = Page(number=1, markdown="", text="", width=612, height=792)
    return Conversion(pages=(page,), paginated=True, metadata=DocumentMetadata(title=request.routing_type))

@hookimpl
def ocr(image, request):
    return OCRResult(
        page_number=1, page_fingerprint="0" * 64, extracted_text="Ada Quay reads the gauge.", words=(), confidence=0.95,
        method="all", processed_at=datetime.now(timezone.utc), tool_version="1.0",
    )

@hookimpl
def extract_entities(text, request):
    start = text.index("Ada Quay")
    return (EntityObservation(text="Ada Quay", label="person", start=start, end=start + 8, confidence=0.9),)

@hookimpl
def score_quality(conversion, evidence):
    return QualityAssessment(quality_score=0.123 if "Ada Quay" in conversion.pages[0].text else 0.9)
"""
HOOKS = ["classify", "convert", "ocr", "extract_entities", "score_quality"]


def test_one_document_meets_every_hook(make_plugin, tmp_path):
    make_plugin("all", ALL, hooks=HOOKS, media_types=["application/pdf"])
    settings = Settings(
        workers=1,
        ocr=OcrSettings(engines=("all",), dpi=36),
        entities=EntitySettings(engine="all"),
    )
    picture = Image.new("L", (306, 396), 200)
    picture.paste(0, (100, 200, 200, 300))
    with Library.open(tmp_path / "library", settings=settings) as library:
        result = library.ingest(scanned_pdf(picture), name="scan.pdf", plugin="all", entities=True).result
        document = library.document(result.document_id)
        (entity,) = library.entities.list(document=document.id)
        assert document.canonical_text == "Ada Quay reads the gauge."
    assert (result.document_type, result.metadata.title) == ("complaint", "table_heavy_filing")
    assert entity.name == "Ada Quay"
    assert result.quality_report.quality_score == 0.123
    assert [(one.plugin, one.hook, one.outcome) for one in result.attempts] == [
        ("all", "classify", "ok"),
        ("all", "convert", "ok"),
        ("all", "ocr", "ok"),
        ("all", "score_quality", "ok"),
    ]


RESERVED = {"fetcher"}
"""As `octavo_contracts.services` has it."""


def test_every_kind_of_service_that_is_not_reserved_is_resolved():
    """A kind that no code names must not read as if something asked for it."""
    homes = [
        Path(package.__file__).parent
        for package in (
            octavo,
            octavo_library,
            octavo_digest,
            octavo_brief,
            octavo_context,
            octavo_fields,
            octavo_research,
            octavo_web,
        )
    ]
    sources = [path for home in homes for path in home.rglob("*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    asked = {kind for kind in SERVICE_KINDS if re.search(rf'["\']{kind}["\']', text)}
    assert asked == set(SERVICE_KINDS) - RESERVED
