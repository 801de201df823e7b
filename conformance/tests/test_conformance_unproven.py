"""What a plugin's answers do not show is unproven: it fails no run, and the badge names the level that was reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from octavo_conformance.kit import run_plugin
from octavo_conformance.report import Report
from octavo_conformance.runner import Selection

SILENT = {
    "classify": "def classify(source):\n    return None\n",
    "score_quality": "def score_quality(conversion, evidence):\n    return None\n",
    "extract_entities": "def extract_entities(text, request):\n    return ()\n",
}
CONVERTER = """
from octavo_contracts import Conversion, Page, hookimpl

@hookimpl
def convert(source):
    text = source.read_bytes().decode("utf-8", "replace")
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text),), paginated=False)
"""


def report_of(name: str, level: int = 2) -> Report:
    return run_plugin(name, selection=Selection(level=level, seed=7))


@pytest.mark.parametrize("hook", SILENT)
def test_a_hook_that_never_says_anything_reaches_no_level(make_plugin: Callable[..., Any], hook: str) -> None:
    code = f"from octavo_contracts import hookimpl\n\n@hookimpl\n{SILENT[hook]}"
    media_types = ["application/pdf"] if hook == "classify" else []
    make_plugin("silent", code, hooks=[hook], media_types=media_types)
    report = report_of("silent")
    assert report.ok
    assert (report.reached, report.totals["unproven"] > 2) == (0, True)
    assert report.badge.startswith("octavo 1.0 L0 ")


def test_a_classifier_of_a_format_without_documents_is_unproven(make_plugin: Callable[..., Any]) -> None:
    code = f"from octavo_contracts import hookimpl\n\n@hookimpl\n{SILENT['classify']}"
    make_plugin("silent", code, hooks=["classify"], media_types=["application/x-unknown"])
    assert report_of("silent").reached == 0


def test_a_classifier_that_names_no_type_is_asked_for_documents_of_all(make_plugin: Callable[..., Any]) -> None:
    """As a host asks it."""
    make_plugin(
        "counter",
        "from octavo_contracts import Category, DocumentClassification, RoutingType, hookimpl\n\n"
        "@hookimpl\ndef classify(source):\n"
        "    if not source.read_bytes().startswith(b'%PDF'):\n        return None\n"
        "    return DocumentClassification(category=Category.PDF_TEXT, document_type='report',\n"
        "        routing_type=RoutingType.TEXT_NATIVE_PDF, classification_confidence=0.9, page_count=1)\n",
        hooks=["classify"],
        media_types=[],
    )
    failed = {(one.check, one.vector) for one in report_of("counter").outcomes if one.status == "failed"}
    assert ("OC-CLS-002", "pdf/annual-report.pdf") in failed


def test_an_opinion_of_some_documents_is_enough(make_plugin: Callable[..., Any]) -> None:
    code = (
        "from octavo_contracts import Category, DocumentClassification, RoutingType, hookimpl\n\n"
        "@hookimpl\ndef classify(source):\n"
        "    data = source.read_bytes()\n"
        "    if len(data) % 2 or not data.startswith(b'%PDF') or b'/Encrypt' in data:\n        return None\n"
        "    return DocumentClassification(category=Category.PDF_TEXT, document_type='report',\n"
        "        routing_type=RoutingType.TEXT_NATIVE_PDF, classification_confidence=0.9)\n"
    )
    make_plugin("halves", code, hooks=["classify"], media_types=["application/pdf"])
    report = report_of("halves")
    assert (report.totals["unproven"], report.reached) == (0, 2)


def test_a_capability_that_no_document_shows_is_named(make_plugin: Callable[..., Any]) -> None:
    make_plugin("csv", CONVERTER, media_types=["text/csv"], capabilities=["metadata", "attachments", "tables"])
    (found,) = [one for one in report_of("csv", level=3).outcomes if one.check == "OC-LOAD-010"]
    assert (found.status, found.reason) == ("unproven", "no document of the suite shows attachments, metadata")
    make_plugin("plain", CONVERTER, media_types=["text/csv"], capabilities=[])
    (found,) = [one for one in report_of("plain", level=3).outcomes if one.check == "OC-LOAD-010"]
    assert found.status == "passed"
